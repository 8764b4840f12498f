// Programs of X11 without GLUT: rank 0's program alone has an X server, and every rank's makes the same requests of it.
#include "event_log.h"
#include "processes.h"
#include "wall_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace wall_test {
namespace {

using Words = std::vector<std::string>;

Finished run_x11(const std::string &program, const std::string &way, const std::string &wall, const Words &more = {}) {
    Words options{"--wall", wall, "--headless", "--output", "all", "--clock", "wall"};
    options.insert(options.end(), more.begin(), more.end());
    return run(wall_command(options, std::string(X11_PROGRAMS) + "/" + program, {way}), wall_environment(),
               longest_run);
}

/// Each of three ranks has printed the same, `at_least` lines with "done" at the end, which are in `first` then.
void expect_same_on_all_ranks(const Finished &finished, std::size_t at_least, Words &first) {
    ASSERT_FALSE(finished.timed_out) << finished.errors;
    EXPECT_EQ(finished.status, 0) << finished.errors;
    EXPECT_EQ(finished.errors.find("divergence"), std::string::npos) << finished.errors;
    first = lines_of_tile(finished.output, "(0,0)");
    ASSERT_GE(first.size(), at_least) << finished.output << finished.errors;
    EXPECT_EQ(first.back(), "done");
    EXPECT_EQ(first, lines_of_tile(finished.output, "(1,0)")) << finished.errors;
    EXPECT_EQ(first, lines_of_tile(finished.output, "(2,0)")) << finished.errors;
}

class X11Operations : public testing::TestWithParam<const char *> {};

TEST_P(X11Operations, AreTheSameOnAllRanks) {
    Words first;
    expect_same_on_all_ranks(run_x11("x11_operations", GetParam(), "3x1@200x300"), 20, first);
    ASSERT_FALSE(HasFatalFailure());
    EXPECT_EQ(std::ranges::count(first, "closed: 0"), 0);
    EXPECT_EQ(std::ranges::count(first, "pipe: 1 2"), std::string(GetParam()) == "sorted");
    EXPECT_EQ(std::ranges::count_if(first, [](const std::string &line) { return line.starts_with("motion "); }), 20);
}

class X11ByXcb : public testing::TestWithParam<const char *> {};

TEST_P(X11ByXcb, IsTheSameOnAllRanks) {
    Words first;
    expect_same_on_all_ranks(run_x11("x11_by_xcb", GetParam(), "3x1@200x300"), 40, first);
}

INSTANTIATE_TEST_SUITE_P(All, X11ByXcb,
                         testing::Values("ppoll", "pselect", "far", "reader", "busy", "late", "napping", "jobs"),
                         [](const auto &way) { return std::string(way.param); });

INSTANTIATE_TEST_SUITE_P(All, X11Operations, testing::Values("select", "poll", "epoll", "blocking", "sorted", "reader"),
                         [](const auto &way) { return std::string(way.param); });

TEST(X11Notifier, TellsTheSameOnAllRanks) {
    Words first;
    expect_same_on_all_ranks(run_x11("x11_notifier", "", "3x1@200x300"), 60, first);
}

class X11Threads : public testing::TestWithParam<const char *> {};

TEST_P(X11Threads, InOrderDoTheSameOnAllRanks) {
    Words first;
    const std::string way = GetParam();
    const std::size_t lines = way == "xlib" ? 1 : way == "pool" ? 3 : way == "displays" || way == "looked_up" ? 20 : 100;
    expect_same_on_all_ranks(run_x11("x11_threads", GetParam(), "3x1@100x100", {"--threads", "ordered"}),
                             lines, first);
}

INSTANTIATE_TEST_SUITE_P(All, X11Threads,
                         testing::Values("mutex", "try", "queue", "timed", "others", "displays", "looked_up", "xlib",
                                         "pool"),
                         [](const auto &way) { return std::string(way.param); });

TEST(X11Threads, OfProgramsOfGlutHaveNoOrder) {
    const Finished finished = run_x11("x11_threads", "mutex", "1x1@100x100", {"--threads", "ordered", "--system", "glut"});
    EXPECT_NE(finished.status, 0);
    EXPECT_NE(finished.errors.find("--threads ordered: expected a program of X11"), std::string::npos)
        << finished.errors;
}

TEST(X11Memory, WorksInTheWaysOfPrograms) {
    if (is_sanitized)
        GTEST_SKIP() << "skipped: memory is the sanitizer's";
    Words first;
    expect_same_on_all_ranks(run_x11("x11_memory", "", "3x1@100x100"), 1, first);
    EXPECT_EQ(first.size(), 1u) << testing::PrintToString(first);
}

TEST(X11Memory, IsThatOfAProgramWithAnAllocator) {
    if (is_sanitized)
        GTEST_SKIP() << "skipped: memory is the sanitizer's";
    Words first;
    expect_same_on_all_ranks(run_x11("x11_allocator", "", "3x1@100x100"), 2, first);
    ASSERT_FALSE(first.empty());
    EXPECT_EQ(first.front(), "0 left, 0 of others");
}

TEST(X11Beside, IsNothingForProgramsOfGlut) {
    const Finished finished =
        run_x11("x11_threads", "mutex", "1x1@100x100", {"--beside", "true", "--system", "glut"});
    EXPECT_NE(finished.status, 0);
    EXPECT_NE(finished.errors.find("--beside: expected a program of X11"), std::string::npos) << finished.errors;
}

TEST(X11Script, StartsOneProgramAndIsToldOfAnother) {
    const std::string script = scratch_folder() + "/x11_script.sh";
    std::ofstream(script) << "#!/bin/sh\n# of X11: libX11\n" X11_PROGRAMS "/x11_by_xcb ppoll && " X11_PROGRAMS
                             "/x11_drawn $1.ppm exit || exit 5\n";
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    const Finished finished =
        run(wall_command({"--wall", "2x1@200x150", "--headless", "--system", "x11"}, script, {script}),
            wall_environment(), longest_run);
    ASSERT_FALSE(finished.timed_out) << finished.errors;
    EXPECT_EQ(finished.status, 5) << finished.errors;
    EXPECT_NE(finished.errors.find("'x11_drawn' ends: a script that starts programs has already started one"),
              std::string::npos)
        << finished.errors;
}

/// Which of two is the first: another one on each rank.
TEST(X11Script, StartsTheSameProgramOnAllRanks) {
    const std::string script = scratch_folder() + "/x11_scripts.sh";
    std::ofstream(script) << "#!/bin/sh\n# of X11: libX11\ncase $PMI_RANK$OMPI_COMM_WORLD_RANK in\n"
                             "0) exec " X11_PROGRAMS "/x11_by_xcb ppoll;;\n"
                             "*) exec " X11_PROGRAMS "/x11_drawn $1.ppm exit;;\nesac\n";
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    const Finished finished =
        run(wall_command({"--wall", "2x1@200x150", "--headless", "--system", "x11"}, script, {script}),
            wall_environment(), longest_run);
    ASSERT_FALSE(finished.timed_out) << finished.errors;
    EXPECT_NE(finished.status, 0);
    EXPECT_NE(finished.errors.find("its program is 'x11_drawn', and rank 0's is 'x11_by_xcb'"), std::string::npos)
        << finished.errors;
}

struct Named {
    const char *way, *line;
};

class X11Named : public testing::TestWithParam<Named> {};

TEST_P(X11Named, SaysWhatTilesDoNotShow) {
    const Finished finished = run_x11("glx_named", GetParam().way, "2x1@64x48");
    ASSERT_FALSE(finished.timed_out) << finished.errors;
    EXPECT_EQ(finished.status, 0) << finished.errors;
    EXPECT_NE(finished.errors.find(GetParam().line), std::string::npos) << finished.errors;
}

INSTANTIATE_TEST_SUITE_P(All, X11Named,
                         testing::Values(Named{"front", "to the front buffer of a window"},
                                         Named{"threads", "main()'s thread and thread 1 show windows"},
                                         Named{"beside", "main()'s thread and thread 1 show windows"},
                                         Named{"waiting", "main()'s thread and thread 1 show windows"}),
                         [](const auto &named) { return std::string(named.param.way); });

TEST(X11Divergence, IsNamedByRequest) {
    const Finished finished = run_x11("x11_operations", "rank", "2x1@200x300");
    ASSERT_FALSE(finished.timed_out) << finished.errors;
    EXPECT_EQ(finished.status, 0) << "the program goes on\n" << finished.errors;
    EXPECT_NE(finished.errors.find("rank 1"), std::string::npos) << finished.errors;
    EXPECT_NE(finished.errors.find("PolyPoint (opcode 64), has other bytes than on rank 0"), std::string::npos)
        << finished.errors;
}

TEST(X11Divergence, OfValuesIsToldWithTheValuesWhereSeveralRanksDiffer) {
    const Finished finished = run_x11("glx_named", "values", "2x2@32x24");
    ASSERT_FALSE(finished.timed_out) << finished.errors;
    EXPECT_EQ(finished.status, 0) << finished.errors;
    EXPECT_NE(finished.errors.find("floats of glLightfv, call"), std::string::npos) << finished.errors;
}

TEST(X11Divergence, OfColoursAndCountsInBuffersIsTold) {
    for (const char *way : {"colours", "counts"}) {
        const Finished finished = run_x11("glx_named", way, "2x1@32x24");
        ASSERT_FALSE(finished.timed_out) << finished.errors;
        EXPECT_EQ(finished.status, 0) << finished.errors;
        EXPECT_NE(finished.errors.find("floats of glBufferData, call"), std::string::npos) << way << finished.errors;
    }
}

TEST(X11Divergence, IsNotOneWhereUnwrittenFloatsAreAddressesOfTheHeap) {
    const Finished finished = run_x11("glx_named", "gaps", "2x2@32x24");
    ASSERT_FALSE(finished.timed_out) << finished.errors;
    if (finished.errors.find("ADDR_NO_RANDOMIZE") != std::string::npos)
        GTEST_SKIP() << "skipped: the system puts each program elsewhere";
    EXPECT_EQ(finished.status, 0) << finished.errors;
    EXPECT_EQ(finished.errors.find("divergence"), std::string::npos) << finished.errors;
}

TEST(X11Divergence, OfWhatTheProgramDoesEndsTheRun) {
    const Finished finished = run_x11("x11_operations", "shorter", "2x1@200x300");
    ASSERT_FALSE(finished.timed_out) << finished.errors;
    EXPECT_NE(finished.status, 0);
    EXPECT_NE(finished.errors.find("on rank 0 it is PolyRectangle (opcode 67)"), std::string::npos) << finished.errors;
}

} // namespace
} // namespace wall_test
