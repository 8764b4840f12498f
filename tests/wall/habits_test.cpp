// Timers, clocks and frames as programs use them: as in one window, and the same on every rank.
#include "event_log.h"
#include "picture_compare.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>

namespace wall_test {
namespace {

using Words = std::vector<std::string>;

const char *const tiles[] = {"(0,0)", "(1,0)"};

/// On two tiles; everything that every rank prints.
Finished run_habit(const std::string &habit, Words options, int status = 0,
                   const std::map<std::string, std::string> &more = {}) {
    options.insert(options.end(), {"--wall", "2x1", "--headless", "--output", "all"});
    auto environment = wall_environment();
    environment.insert(more.begin(), more.end());
    Finished finished = run(wall_command(options, support_path("habits"), {habit}), environment, longest_run);
    EXPECT_FALSE(finished.timed_out);
    EXPECT_EQ(finished.status, status) << finished.errors;
    return finished;
}

void expect_lines(const Finished &finished, const Words &lines) {
    for (const char *tile : tiles)
        EXPECT_EQ(lines_of_tile(finished.output, tile), lines) << tile << "\n" << finished.errors;
}

TEST(Timers, WithoutADelayRunOnceATick) {
    const Finished finished = run_habit("timer", {"--clock", "step:60", "--frames", "5"});
    // The third one turns the main loop itself, and the fourth comes in that turn.
    expect_lines(finished, {"timer 1 after frame 0", "timer 2 after frame 0", "timer 3 after frame 1",
                            "timer 4 after frame 1", "timer 5 after frame 3", "timer 6 after frame 4"});
}

TEST(Timers, GoByWholeMilliseconds) {
    expect_lines(run_habit("periods", {"--clock", "step:60", "--frames", "5"}), {"50", "100", "150", "200"});
}

TEST(ElapsedTime, IsTheSameBeforeGlutInit) {
    expect_lines(run_habit("early", {"--clock", "step:60"}), {"1000000 before, 0 after"});
}

TEST(Frames, OfTwoWindowsAreOneStepEach) {
    expect_lines(run_habit("windows", {"--clock", "step:100", "--frames", "4"}),
                 {"frame 1 at 10", "frame 2 at 20", "frame 3 at 30", "frame 4 at 40"});
}

TEST(Frames, OfASubwindowAloneCount) { run_habit("subwindow", {"--frames", "5"}); }

/// How often each tile drew in each of its frames.
std::vector<Words> drawings(const Finished &finished, int most) {
    std::vector<Words> all;
    for (const char *tile : tiles)
        all.push_back(lines_of_tile(finished.output, tile));
    for (const std::string &line : all[0]) {
        int times = 0, milliseconds = 0;
        EXPECT_EQ(std::sscanf(line.c_str(), "drew %d times in %d ms", &times, &milliseconds), 2) << line;
        EXPECT_GE(milliseconds, 20);
        EXPECT_LT(times, most);
    }
    return all;
}

struct Loop {
    const char *habit, *clock;
    int most = 15'000; ///< drawings: fewer than there are microseconds in 20 ms
};
void PrintTo(const Loop &loop, std::ostream *out) { *out << loop.habit << " " << loop.clock; }
class Loops : public testing::TestWithParam<Loop> {};

TEST_P(Loops, ThatDrawUntilItIsTimeAreAlike) {
    const std::string stats = scratch_folder() + "/habits-" + GetParam().habit + GetParam().clock + ".json";
    std::filesystem::remove(stats);
    const Finished finished =
        run_habit(GetParam().habit, {"--clock", GetParam().clock, "--frames", "2", "--stats", stats});
    const auto all = drawings(finished, GetParam().most);
    EXPECT_EQ(all[0].size(), 2u);
    EXPECT_EQ(all[0], all[1]);
    std::ifstream in(stats);
    EXPECT_EQ(nlohmann::json::parse(in, nullptr, false).value("divergences", -1), 0);
}

INSTANTIATE_TEST_SUITE_P(Wall, Loops,
                         testing::Values(Loop{"drawing", "wall"}, Loop{"slow", "wall", 20}, Loop{"reading", "wall"},
                                         Loop{"drawing", "step:60"}, Loop{"reading", "step:60"}),
                         [](const auto &param) { return std::string(param.param.habit) + "_" + param.param.clock[0]; });

TEST(Waits, MoveTheClockByTheSameEverywhere) {
    for (const char *clock : {"wall", "step:60"}) {
        const Finished finished = run_habit("waits", {"--clock", clock, "--frames", "1"});
        const Words lines = lines_of_tile(finished.output, tiles[0]);
        ASSERT_EQ(lines.size(), 3u) << finished.output;
        expect_lines(finished, lines);
        for (int i = 0; i < 2; ++i) {
            long long taken = 0;
            EXPECT_EQ(std::sscanf(lines[i].c_str(), "%*s took %lld ns", &taken), 1) << lines[i];
            EXPECT_GE(taken, 20'000'000) << lines[i];
        }
    }
}

/// The steps of `step` are too small for a program that reads the clock a few dozen times: in the end it gets real time.
TEST(Clock, MovesOnWhileTheProgramWorks) {
    const Finished finished =
        run_habit("measure", {"--clock", "step:60", "--frames", "1"}, 0, {{"MPIGLUT_STEP_PATIENCE", "0.1"}});
    const Words lines = lines_of_tile(finished.output, tiles[0]);
    ASSERT_EQ(lines.size(), 1u) << finished.output;
    expect_lines(finished, lines);
}

/// One redisplay for what the thread of every rank has asked for, on all ranks in the same tick.
TEST(OtherThreads, PostRedisplaysInStep) {
    const std::string stats = scratch_folder() + "/habits-posting.json";
    std::filesystem::remove(stats);
    const Finished finished = run_habit("posting", {"--stats", stats});
    std::ifstream in(stats);
    const auto values = nlohmann::json::parse(in, nullptr, false);
    EXPECT_EQ(values.value("divergences", -1), 0) << finished.errors;
    EXPECT_EQ(values.value("frames", -1), 12);
    EXPECT_EQ(finished.errors.find("thread"), std::string::npos) << finished.errors;
}

TEST(OtherThreads, AreToldWhichCallsTheyMayNotMake) {
    const std::string errors = run_habit("calling", {}).errors;
    for (const char *call : {"glutTimerFunc in another thread", "glutIdleFunc in another thread"}) {
        const auto at = errors.find(call);
        EXPECT_NE(at, std::string::npos) << errors;
        EXPECT_EQ(errors.find(call, at + 1), std::string::npos) << errors;
    }
    EXPECT_EQ(errors.find("Redisplay"), std::string::npos) << errors;
}

TEST(ExitHandlers, FindTheirWindows) { expect_lines(run_habit("handler", {}), {"window 1 at the end"}); }

TEST(Addresses, ThatAreNotFixedAreReported) {
    const std::string warning = "addresses differ from rank to rank";
    EXPECT_EQ(run_habit("short", {}).errors.find(warning), std::string::npos);
    // setarch takes back what the launcher has asked for.
    const Finished finished =
        run(wall_command({"--wall", "2x1", "--headless"}, "setarch", {"linux64", support_path("habits"), "short"}),
            wall_environment(), longest_run);
    EXPECT_EQ(finished.status, 0) << finished.errors;
    EXPECT_NE(finished.errors.find(warning), std::string::npos) << finished.errors;
}

TEST(Capture, OfSeveralFramesOfOneCallback) {
    const std::string file = scratch_folder() + "/series";
    Words options{"--clock", "step:60"};
    for (const char *frame : {"3", "1", "2"}) {
        std::filesystem::remove(file + frame + ".png");
        options.insert(options.end(), {"--capture", file + frame + ".png@" + frame});
    }
    const Finished finished = run_habit("series", options);
    for (const int frame : {1, 2, 3}) {
        Picture picture;
        std::string error;
        ASSERT_TRUE(read_png(file + std::to_string(frame) + ".png", picture, error)) << error << finished.errors;
        EXPECT_EQ(picture.rgb[0], frame * 51);
    }
}

/// The last frame, also where the program ends before another one that is wanted.
TEST(Capture, OfTheLastFrameAfterOneThatDoesNotCome) {
    const std::string file = scratch_folder() + "/series_last.png";
    std::filesystem::remove(file);
    const Finished finished = run_habit(
        "series",
        {"--clock", "step:60", "--capture", file + ".9.png@9", "--capture", file, "--capture", file + ".1.png@1"}, 1);
    Picture picture;
    std::string error;
    ASSERT_TRUE(read_png(file, picture, error)) << error << finished.errors;
    EXPECT_EQ(picture.rgb[0], 3 * 51);
    EXPECT_NE(finished.errors.find("there is no frame 9"), std::string::npos) << finished.errors;
}

TEST(Capture, OfAFrameThatNeverCame) {
    const std::string file = scratch_folder() + "/habits.png";
    std::filesystem::remove(file);
    const Finished finished = run_habit("short", {"--capture", file + "@9"}, 1);
    EXPECT_NE(finished.errors.find("--capture: there is no frame 9: the program ended after 3"), std::string::npos)
        << finished.errors;
    EXPECT_FALSE(std::filesystem::exists(file));
}

} // namespace
} // namespace wall_test
