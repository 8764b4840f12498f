// What the drivers have to keep swaps in step is engaged on all ranks or on none; and what MPI has is not needed to
// end.
#include "wall_run.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace wall_test {
namespace {

std::string run_with_groups(const std::string &rank_without_room) {
    auto environment = wall_environment();
    environment.merge(with_other_driver());
    environment["OTHER_DRIVER_GROUPS"] = rank_without_room;
    const Finished finished =
        run(wall_command({"--wall", "2x1", "--headless", "--frames", "1"}, program_path("teapot")), environment,
            longest_run);
    EXPECT_EQ(finished.status, 0) << finished.errors;
    return finished.errors;
}

TEST(SwapGroups, AreEngagedWhereAllRanksHaveThem) {
    const std::string said = run_with_groups("none");
    EXPECT_NE(said.find("in step by: software barrier, GLX_NV_swap_group with its barrier"), std::string::npos) << said;
    EXPECT_EQ(said.find("swap group 0"), std::string::npos) << said;
}

TEST(SwapGroups, AreLeftWhereOneRankHasNone) {
    const std::string said = run_with_groups("1");
    EXPECT_EQ(said.find("GLX_NV_swap_group"), std::string::npos) << said;
    EXPECT_NE(said.find("swap barrier 0"), std::string::npos) << said;
    EXPECT_NE(said.find("swap group 0"), std::string::npos) << said;
}

/// Or the tiles would swap together, and one of them would show its picture later than the others.
TEST(Swaps, WaitForTheGpuBeforeRanksMeet) {
    auto environment = wall_environment();
    environment.merge(with_other_driver());
    environment["OTHER_DRIVER_DRAWING"] = "late";
    for (const std::string &wall : {std::string("2x1"), source_path("walls/rotated.toml")}) {
        const Finished finished = run(
            wall_command({"--wall", wall, "--headless", "--frames", "1", "--output", "all"}, program_path("teapot")),
            environment, longest_run);
        EXPECT_EQ(finished.status, 0) << finished.errors;
        EXPECT_NE(finished.errors.find("swap after the GPU has drawn"), std::string::npos) << finished.errors;
        EXPECT_NE(finished.errors.find("message after the GPU has drawn"), std::string::npos) << finished.errors;
        EXPECT_EQ(finished.errors.find("before the GPU has drawn"), std::string::npos) << finished.errors;
    }
}

TEST(SwapIntervals, AreOfWindows) {
    auto environment = wall_environment();
    environment.merge(with_other_driver());
    environment["OTHER_DRIVER_INTERVALS"] = "windows";
    for (const std::string &wall : {std::string("2x1"), source_path("walls/rotated.toml")}) {
        const Finished finished =
            run(wall_command({"--wall", wall, "--headless", "--frames", "1"}, program_path("teapot")), environment,
                longest_run);
        EXPECT_EQ(finished.status, 0) << finished.errors;
        EXPECT_NE(finished.errors.find("GLX_SGI_swap_control"), std::string::npos) << finished.errors;
    }
}

/// The main loop has had the window's context again, for FreeGLUT, before the thread comes to take what it was given.
TEST(Contexts, ArePassedOnByDriversThatInsistOnOneThread) {
    auto environment = wall_environment();
    environment.merge(with_other_driver());
    environment["OTHER_DRIVER_CONTEXTS"] = "strict";
    const Finished finished = run(wall_command({"--wall", "2x2", "--headless"}, support_path("threaded"), {"late"}),
                                  environment, longest_run);
    ASSERT_FALSE(finished.timed_out) << finished.errors;
    EXPECT_EQ(finished.status, 0) << finished.errors;
    EXPECT_EQ(finished.output, "drawn, 0 wrong pixels\n");
    EXPECT_EQ(finished.errors.find("divergence"), std::string::npos) << finished.errors;
}

/// A window that grows, or one whose part is too large from the start: on turned tiles, behind bezels, shared out.
class RefusedPbuffers : public testing::TestWithParam<const char *> {};

TEST_P(RefusedPbuffers, EndNoRun) {
    const std::vector<std::vector<std::string>> ways{{"--wall", source_path("walls/rotated.toml")},
                                                     {"--wall", "2x1@150x100+9+0", "--behind", "draw"},
                                                     {"--wall", "2x1", "--balance"}};
    for (std::vector<std::string> options : ways) {
        auto environment = wall_environment();
        environment.merge(with_other_driver());
        environment["OTHER_DRIVER_PBUFFERS"] = GetParam();
        environment["MPIGLUT_BALANCE"] = "force";
        options.insert(options.end(), {"--headless", "--frames", "12"});
        const Finished finished = run(wall_command(options, program_path("reshape_in_run")), environment, longest_run);
        ASSERT_FALSE(finished.timed_out) << options[1] << finished.errors;
        EXPECT_EQ(finished.status, 0) << options[1] << finished.errors;
        EXPECT_EQ(finished.errors.find("divergence"), std::string::npos) << options[1] << finished.errors;
        EXPECT_NE(finished.errors.find("the X server refuses what a window is to be drawn to off screen"),
                  std::string::npos)
            << options[1] << finished.errors;
    }
}

INSTANTIATE_TEST_SUITE_P(All, RefusedPbuffers, testing::Values("20", "152"),
                         [](const auto &widest) { return std::string("wider_than_") + widest.param; });

/// Also where a window is drawn off screen, in what is never swapped.
TEST(FrontBuffers, HaveTheLastFrameWhereTheDriverKeepsIt) {
    auto environment = wall_environment();
    environment.merge(with_other_driver());
    environment["OTHER_DRIVER_FRONT"] = "kept";
    for (const std::string &wall : {std::string("2x1"), source_path("walls/rotated.toml")}) {
        const Finished finished =
            run(wall_command({"--wall", wall, "--headless", "--frames", "4"}, support_path("front_reader")),
                environment, longest_run);
        EXPECT_EQ(finished.status, 0) << finished.errors;
        EXPECT_EQ(finished.output, "front: 0 wrong\n") << wall << "\n" << finished.errors;
    }
}

/// What is put together off screen keeps the colours of windows with more than 8 bits, and loses no eye in silence.
TEST(RichPixels, AreKeptOrNamed) {
    auto environment = wall_environment();
    environment.merge(with_other_driver());
    environment["OTHER_DRIVER_PIXELS"] = "rich";
    const Finished finished = run(wall_command({"--wall", source_path("walls/rotated.toml"), "--headless", "--frames",
                                                "1", "--output", "all"},
                                               program_path("teapot")),
                                  environment, longest_run);
    EXPECT_EQ(finished.status, 0) << finished.errors;
    EXPECT_NE(finished.errors.find("a texture of 10 bits"), std::string::npos) << finished.errors;
    EXPECT_NE(finished.errors.find("pictures for two eyes"), std::string::npos) << finished.errors;
}

TEST(Ending, DoesNotWaitForAnMpiThatNeverEnds) {
    auto environment = wall_environment();
    environment.merge(with_other_driver());
    environment["OTHER_DRIVER_MPI"] = "stuck";
    const Finished finished =
        run(wall_command({"--wall", "2x1", "--headless", "--frames", "1"}, program_path("teapot")), environment,
            longest_run);
    EXPECT_FALSE(finished.timed_out);
    EXPECT_EQ(finished.status, 0) << finished.errors;
}

} // namespace
} // namespace wall_test
