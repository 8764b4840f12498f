// What was recorded plays again to the same effect, a stepped clock makes two runs alike, and all windows count frames.
#include "event_log.h"

#include <fstream>
#include <iterator>

namespace wall_test {
namespace {

using Replay = EventLog;

std::string contents(const std::string &file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::string joined(const std::vector<std::string> &lines) {
    std::string text;
    for (const std::string &line : lines)
        text += line + "\n";
    return text;
}

TEST_F(Replay, GivesTheSameEventsAtTheSameFrames) {
    const std::string file = scratch_folder() + "/replay_test.jsonl";
    start("2x2", {"--record", file}, {"animate"});
    ASSERT_FALSE(HasFatalFailure());
    for (const auto &[x, y] : {std::pair{30, 30}, {300, 40}, {20, 280}, {390, 290}}) {
        hand_.move(x, y);
        hand_.click(1);
        hand_.type("k");
        expect_everywhere("key 107 up at " + std::to_string(x) + " " + std::to_string(y));
    }
    hand_.type("q");
    const auto recorded = finish();
    ASSERT_FALSE(recorded[0].empty());
    EXPECT_NE(contents(file).find(R"("width":403,"height":301)"), std::string::npos) << contents(file).substr(0, 200);

    // By other hands, on another wall, headless: the events are the wall's, not a tile's.
    for (const char *wall : {"2x2", "3x1"}) {
        const Finished again =
            run(wall_command({"--wall", wall, "--headless", "--replay", file}, support_path("event_log"), {"animate"}),
                wall_environment(), longest_run);
        EXPECT_EQ(again.status, 0) << again.errors;
        EXPECT_EQ(again.output, joined(recorded[0])) << wall;
    }
}

TEST(GameMode, ThatIsEnteredLaterCountsFrames) {
    const std::string file = scratch_folder() + "/late_game_mode.png";
    const Finished finished =
        run(wall_command({"--wall", "2x1", "--headless", "--clock", "step:60", "--frames", "6", "--capture", file},
                         support_path("late_game_mode")),
            wall_environment(), longest_run);
    EXPECT_FALSE(finished.timed_out);
    EXPECT_EQ(finished.status, 0) << finished.errors;
    Picture window, game;
    std::string error;
    EXPECT_TRUE(read_png(file, window, error)) << error;
    EXPECT_TRUE(read_png(mpiglut::numbered(file, 2), game, error)) << error;
    EXPECT_EQ(game.width, 1920);
}

TEST(StepClock, MakesTwoRunsAlike) {
    std::string pictures[2];
    for (std::string &picture : pictures) {
        const std::string file = scratch_folder() + "/step_clock.png";
        const Finished finished =
            run(wall_command({"--wall", "2x1", "--headless", "--clock", "step:25", "--frames", "9", "--capture", file},
                             support_path("clock_picture")),
                wall_environment(), longest_run);
        ASSERT_EQ(finished.status, 0) << finished.errors;
        picture = contents(file);
        ASSERT_FALSE(picture.empty());
    }
    EXPECT_EQ(pictures[0], pictures[1]);
}

} // namespace
} // namespace wall_test
