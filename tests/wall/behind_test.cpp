// What a program finds where it reads behind a bezel, as --behind has it. That it is what one window has there, is
// shown by the pictures of programs that read (equal_window_test).
#include "wall_run.h"

#include <gtest/gtest.h>

namespace wall_test {
namespace {

Finished read_behind(const std::vector<std::string> &options, const std::vector<std::string> &arguments = {}) {
    std::vector<std::string> all{"--wall", "2x1@60x50+15", "--headless", "--frames", arguments.empty() ? "3" : "2"};
    all.insert(all.end(), options.begin(), options.end());
    const Finished finished =
        run(wall_command(all, support_path("behind_bezels"), arguments), wall_environment(), longest_run);
    EXPECT_FALSE(finished.timed_out) << finished.errors;
    EXPECT_EQ(finished.status, 0) << finished.errors;
    return finished;
}

bool says(const Finished &finished, const std::string &text) { return finished.errors.find(text) != std::string::npos; }

} // namespace

TEST(Behind, IsDrawnOnceItIsRead) {
    const Finished finished = read_behind({});
    EXPECT_EQ(finished.output, "frame 1: 0 0\nframe 2: 20 255\nframe 3: 30 255\n");
    EXPECT_TRUE(says(finished, "which were black so far: from the next frame on")) << finished.errors;
}

TEST(Behind, IsDrawnFromTheStart) {
    const Finished finished = read_behind({"--behind", "draw"});
    EXPECT_EQ(finished.output, "frame 1: 10 255\nframe 2: 20 255\nframe 3: 30 255\n");
    EXPECT_FALSE(says(finished, "bezel")) << finished.errors;
}

TEST(Behind, StaysBlack) {
    const Finished finished = read_behind({"--behind", "black"});
    EXPECT_EQ(finished.output, "frame 1: 0 0\nframe 2: 0 0\nframe 3: 0 0\n");
    EXPECT_TRUE(says(finished, "finds them black (--behind black)")) << finished.errors;
}

/// Or a program that draws when it has to would go on with what it read.
TEST(Behind, IsDrawnForProgramsThatWaitForAReasonToDraw) {
    const Finished finished = read_behind({}, {"once"});
    EXPECT_EQ(finished.output, "frame 1: 0 0\nframe 2: 20 255\n");
}

} // namespace wall_test
