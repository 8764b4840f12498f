// Ranks that die: the wall goes on without them, wherever the others are just then.
#include "event_log.h"
#include "screen.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

namespace wall_test {
namespace {

using Words = std::vector<std::string>;

Finished run_dying(const std::string &deaths, Words options, Words arguments = {},
                   std::map<std::string, std::string> more = {}) {
    options.insert(options.end(), {"--headless", "--clock", "step:60", "--output", "all", "--frames", "12"});
    auto environment = wall_environment();
    environment.merge(more);
    environment["DYING"] = deaths;
    Finished finished = run(wall_command(options, support_path("dying"), arguments), environment, longest_run);
    EXPECT_FALSE(finished.timed_out) << finished.errors;
    return finished;
}

std::string goes_on(const std::string &rank_and_tile) {
    return rank_and_tile + "): killed by signal 9 (Killed); the wall goes on without it";
}

bool contains(const std::string &text, const std::string &part) { return text.find(part) != text.npos; }

/// The pictures of a run without deaths, and of one where these ranks die; the dead tiles are dark there, the others
/// alike.
void expect_dark(const std::string &deaths, const std::vector<pixmpi::Rect> &dark, const Words &options,
                 const std::map<std::string, std::string> &more = {}) {
    const std::string name =
                          scratch_folder() + "/death_" + testing::UnitTest::GetInstance()->current_test_info()->name(),
                      whole = name + "_whole.png", part = name + "_part.png"; // other tests run at the same time
    for (const auto &[file, who] : {std::pair{whole, std::string()}, {part, deaths}}) {
        std::filesystem::remove(file);
        // Named, so that frames before that one may be late.
        Words all{"--wall", "2x2@120x90", "--on-death", "continue", "--capture", file + "@12"};
        all.insert(all.end(), options.begin(), options.end());
        const Finished finished = run_dying(who, all, {}, more);
        ASSERT_EQ(finished.status, 0) << finished.errors;
        EXPECT_EQ(contains(finished.errors, "the wall goes on without it"), !who.empty()) << finished.errors;
    }
    Picture undisturbed, picture;
    std::string error;
    ASSERT_TRUE(read_png(whole, undisturbed, error)) << error;
    ASSERT_TRUE(read_png(part, picture, error)) << error;
    for (const pixmpi::Rect &rect : dark)
        paste(undisturbed, Picture(rect.width, rect.height), rect.x, rect.y);
    const auto wall = pixmpi::read_wall("2x2@120x90").wall;
    const Difference difference = compare(undisturbed, picture, *wall);
    EXPECT_TRUE(difference.acceptable()) << whole << " and " << part << ": " << difference.text();
}

TEST(Death, OfATileLeavesItDark) { expect_dark("3@5", {{120, 90, 120, 90}}, {}); }

TEST(Death, OfTwoTiles) { expect_dark("1@4,2@6", {{120, 0, 120, 90}, {0, 90, 120, 90}}, {}); }

TEST(Death, OfAHelperGivesItsWorkBack) {
    expect_dark("4@5", {}, {"--balance", "--helpers", "1"}, {{"MPIGLUT_BALANCE", "force"}});
}

TEST(Death, OfATileThatOthersRenderFor) {
    expect_dark("3@5", {{120, 90, 120, 90}}, {"--balance", "--helpers", "1"}, {{"MPIGLUT_BALANCE", "force"}});
}

TEST(Death, WhileFramesAreLate) {
    expect_dark("3@5,4@7", {{120, 90, 120, 90}}, {"--balance", "latency:1", "--helpers", "1"},
                {{"MPIGLUT_BALANCE", "force"}});
}

TEST(Death, WhileAllRead) {
    const Finished finished = run_dying("2@5", {"--wall", "2x2@120x90", "--on-death", "continue"}, {"read"});
    EXPECT_EQ(finished.status, 0) << finished.errors;
    EXPECT_TRUE(contains(finished.errors, goes_on("tile (0,1)"))) << finished.errors;
    EXPECT_FALSE(contains(finished.errors, "divergence")) << finished.errors;
    for (const char *tile : {"(0,0)", "(1,0)", "(1,1)"}) {
        const Words lines = lines_of_tile(finished.output, tile);
        ASSERT_EQ(lines.size(), 12U) << tile << "\n" << finished.output;
        EXPECT_EQ(lines[3], "frame 4: 0 black") << tile;
        EXPECT_EQ(lines[4], "frame 5: 10800 black") << tile;
        EXPECT_EQ(lines[11], "frame 12: 10800 black") << tile;
    }
}

TEST(Death, WhileAllCountSamples) {
    const Finished finished = run_dying("1@5", {"--wall", "2x2@120x90", "--on-death", "continue"}, {"query"});
    EXPECT_EQ(finished.status, 0) << finished.errors;
    const Words lines = lines_of_tile(finished.output, "(1,1)");
    ASSERT_EQ(lines.size(), 12U) << finished.output;
    EXPECT_EQ(lines[3], "frame 4: 43200 samples");
    EXPECT_EQ(lines[11], "frame 12: 32400 samples");
}

TEST(Death, OfRankZeroEndsTheRun) {
    const Finished finished = run_dying("0@5", {"--wall", "2x1@120x90", "--on-death", "continue"});
    EXPECT_EQ(finished.status, 128 + SIGKILL) << finished.errors;
    EXPECT_FALSE(contains(finished.errors, "goes on without")) << finished.errors;
}

TEST(Death, EndsTheRunUnlessToldOtherwise) {
    const Finished finished = run_dying("1@5", {"--wall", "2x1@120x90"});
    EXPECT_EQ(finished.status, 128 + SIGKILL) << finished.errors;
    EXPECT_FALSE(contains(finished.errors, "goes on without")) << finished.errors;
}

TEST(Death, BeforeTheRanksHaveMetEndsTheRun) {
    auto environment = wall_environment();
    const Finished finished =
        run(wall_command({"--wall", "2x1", "--headless", "--on-death", "continue"}, "/bin/sh",
                         {"-c", "[ \"$PMI_RANK$OMPI_COMM_WORLD_RANK\" = 0 ] && exec sleep 60; kill -9 $$"}),
            environment, longest_run);
    EXPECT_FALSE(finished.timed_out);
    EXPECT_NE(finished.status, 0) << finished.errors;
    EXPECT_FALSE(contains(finished.errors, "goes on without")) << finished.errors;
}

/// The tiles have their own X servers; that of rank 1 goes.
TEST(Death, OfAnXServer) {
    const Xvfb first(400, 300);
    auto second = std::make_unique<Xvfb>(400, 300);
    ASSERT_FALSE(first.display().empty() || second->display().empty());
    const std::string wall = scratch_folder() + "/death_displays.toml";
    std::ofstream(wall) << "[grid]\ncolumns = 2\nrows = 1\ntile = [120, 90]\n"
                        << "[[tile]]\ncolumn = 0\nrow = 0\ndisplay = \"" << first.display() << "\"\n"
                        << "[[tile]]\ncolumn = 1\nrow = 0\ndisplay = \"" << second->display() << "\"\n";
    Process process(wall_command({"--wall", wall, "--on-death", "continue"}, support_path("dying"), {"read"}),
                    wall_environment());
    ASSERT_TRUE(process.wait_until([&] { return contains(process.output_so_far(), "frame 5: 0 black"); }, longest_run));
    second.reset();
    EXPECT_TRUE(process.wait_until([&] { return contains(process.output_so_far(), ": 10800 black"); }, longest_run));
    ::kill(process.pid(), SIGTERM);
    const Finished finished = process.finish(longest_run);
    EXPECT_TRUE(contains(finished.errors, "tile (1,0)): the connection to the X server is lost")) << finished.errors;
    EXPECT_TRUE(contains(finished.errors, "the wall goes on without it")) << finished.errors;
}

} // namespace
} // namespace wall_test
