// What programs draw by X requests: the tiles show what the wall's X server has, and OpenGL where it is seen between.
#include "event_log.h"
#include "picture_compare.h"
#include "pointer.h"
#include "processes.h"
#include "run/record.h"
#include "screen.h"
#include "wall_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace wall_test {
namespace {

struct Shape {
    const char *name;
    const char *toml;
};

constexpr Shape sized{"sized", "[grid]\ncolumns = 2\nrows = 2\ntile = [170, 110]\n"},
    bezels{"bezels", "[grid]\ncolumns = 2\nrows = 2\ntile = [161, 103]\nbezel = [9, 6]\n"},
    turned{"turned", "[grid]\ncolumns = 2\nrows = 2\ntile = [170, 110]\n[[tile]]\ncolumn = 0\nrow = 0\nrotation = 90\n"
                     "[[tile]]\ncolumn = 1\nrow = 1\nrotation = 180\n"};

struct Case {
    const char *way;
    Shape shape;
};

class X11Drawn : public testing::TestWithParam<Case> {};

TEST_P(X11Drawn, IsOnTheTiles) {
    const auto &[way, shape] = GetParam();
    const std::string file = scratch_folder() + "/x11_drawn_" + way + "_" + shape.name;
    for (const char *kind : {".png", ".ppm", ".toml"})
        std::filesystem::remove(file + kind);
    std::ofstream(file + ".toml") << shape.toml;
    const Finished finished =
        run(wall_command({"--wall", file + ".toml", "--headless", "--clock", "step:60", "--capture", file + ".png"},
                         std::string(X11_PROGRAMS) + "/x11_drawn", {file + ".ppm", way}),
            wall_environment(), longest_run);
    ASSERT_FALSE(finished.timed_out) << finished.errors;
    ASSERT_EQ(finished.status, 0) << finished.errors;
    EXPECT_EQ(finished.errors.find("divergence"), std::string::npos) << finished.errors;
    Picture screen, captured;
    std::string error;
    ASSERT_TRUE(read_ppm(file + ".ppm", screen));
    ASSERT_TRUE(read_png(file + ".png", captured, error)) << error << finished.errors;
    const pixmpi::WallResult parsed = pixmpi::parse_wall(shape.toml, "wall");
    ASSERT_TRUE(parsed.wall);
    const Difference shown = compare(screen, captured, *parsed.wall);
    EXPECT_TRUE(shown.acceptable(true)) << shown.text();
}

INSTANTIATE_TEST_SUITE_P(All, X11Drawn,
                         testing::Values(Case{"exit", sized}, Case{"close", bezels}, Case{"exit", turned},
                                         Case{"over", sized}, Case{"over", turned}, Case{"gone", bezels}),
                         [](const auto &one) { return std::string(one.param.way) + "_" + one.param.shape.name; });

// Nothing is captured here, so places are asked for only where a change is heard of.
TEST(X11DrawnScreen, FollowsAWindowThatMoves) {
    const std::string file = scratch_folder() + "/x11_drawn_stay.ppm";
    std::filesystem::remove(file);
    const Xvfb server(800, 600);
    auto environment = wall_environment();
    environment["DISPLAY"] = server.display();
    Process process(
        wall_command({"--wall", "2x2@170x110"}, std::string(X11_PROGRAMS) + "/x11_drawn", {file, "stay"}), environment);
    const pixmpi::Wall wall = pixmpi::read_wall("2x2@170x110").wall.value();
    Picture screen;
    EXPECT_TRUE(process.wait_until(
        [&] {
            return read_ppm(file, screen) &&
                   compare(screen, wall_on_screen(server.display(), wall), wall).acceptable(true);
        },
        longest_run));
    // The program would end by itself in each rank's next frame, which are not the same.
    kill(process.pid(), SIGTERM);
    const Finished finished = process.finish(longest_run);
    EXPECT_FALSE(finished.timed_out);
    EXPECT_EQ(finished.errors.find("divergence"), std::string::npos) << finished.errors;
}

/// A program that waits for input, on the tiles of a display of its own.
class X11DrawnInput : public testing::Test {
  protected:
    void start(const std::string &name, const std::string &wall, std::vector<std::string> options = {}) {
        file_ = scratch_folder() + "/x11_drawn_" + name + ".ppm";
        std::filesystem::remove(file_);
        auto environment = wall_environment();
        environment["DISPLAY"] = server_.display();
        options.insert(options.end(), {"--wall", wall, "--output", "all"});
        process_ = std::make_unique<Process>(
            wall_command(options, std::string(X11_PROGRAMS) + "/x11_drawn", {file_, "input"}), environment);
        wall_ = pixmpi::read_wall(wall).wall.value();
        EXPECT_TRUE(all_say([](const std::string &line) { return line == "ready"; }));
        ASSERT_TRUE(read_ppm(file_, screen_));
    }

    template <class Line> bool all_say(Line is_it) {
        return process_->wait_until(
            [&] {
                const std::string said = process_->output_so_far();
                return std::ranges::all_of(wall_.tiles, [&](const pixmpi::Tile &tile) {
                    return std::ranges::count_if(lines_of_tile(said, tile.name), is_it) == 1;
                });
            },
            longest_run);
    }

    bool tiles_show_screen() {
        return process_->wait_until(
            [&] { return compare(screen_, wall_on_screen(server_.display(), wall_), wall_).acceptable(true); },
            longest_run);
    }

    Finished expect_end() {
        Finished finished = process_->finish(longest_run);
        EXPECT_FALSE(finished.timed_out) << finished.errors;
        EXPECT_EQ(finished.status, 0) << finished.errors;
        return finished;
    }

    const Xvfb server_{800, 600};
    std::string file_;
    std::unique_ptr<Process> process_;
    pixmpi::Wall wall_;
    Picture screen_;
};

TEST_F(X11DrawnInput, ComesFromTilesWithoutOpenGL) {
    start("input", "2x2@170x110");
    EXPECT_TRUE(tiles_show_screen());
    Hand hand(server_.display());
    ASSERT_TRUE(hand.ready());
    hand.move(240, 150);
    hand.click(1);
    EXPECT_TRUE(all_say([](const std::string &line) { return line == "button 1 at 240 150"; }));
    // Another window has the keyboard when the key goes up, and the program hears of it all the same.
    hand.key("a", true);
    EXPECT_TRUE(all_say([](const std::string &line) { return line.starts_with("key "); }));
    Cover cover(server_.display());
    hand.key("a", false);
    expect_end();
}

TEST_F(X11DrawnInput, AndTheColoursOfATileAreCorrected) {
    const std::string toml = scratch_folder() + "/x11_drawn_corrected.toml";
    std::ofstream(toml) << "[grid]\ncolumns = 2\nrows = 1\ntile = [170, 220]\n"
                           "[[tile]]\ncolumn = 0\nrow = 0\nbrightness = 0.5\ncolour = [1, 0.25, 1]\n";
    start("corrected", toml);
    for (int y = 0; y < 220; ++y)
        for (int x = 0; x < 170; ++x)
            for (const std::size_t colour : {0, 1, 2}) {
                unsigned char &value = screen_.rgb[3 * static_cast<std::size_t>(y * screen_.width + x) + colour];
                value = static_cast<unsigned char>(std::lround(value * (colour == 1 ? 0.125 : 0.5)));
            }
    EXPECT_TRUE(tiles_show_screen());
    Hand hand(server_.display());
    ASSERT_TRUE(hand.ready());
    hand.move(100, 100);
    hand.type("a");
    expect_end();
}

TEST_F(X11DrawnInput, IsSharedWithProgramsBesideIt) {
    const std::string beside = scratch_folder() + "/x11_drawn_beside", shared = scratch_folder() + "/x11_drawn_shared.ppm";
    for (const std::string &file : {beside + ".ppm", beside + ".pid", shared})
        std::filesystem::remove(file);
    const std::string when_drawn = "until [ $(stat -c %s " + shared + " || echo 0) -ge 224400 ]; do sleep 0.05; done; ";
    start("shared", "2x2@170x110",
          {"--beside",
           when_drawn + "echo $$ >" + beside + ".pid; exec " + X11_PROGRAMS + "/x11_drawn " + beside + ".ppm beside",
           "--beside", "echo not this line; echo for a reason >&2; exit 3"});
    Picture both;
    EXPECT_TRUE(process_->wait_until([&] { return read_ppm(beside + ".ppm", both); }, longest_run));
    EXPECT_NE(both.rgb, screen_.rgb);
    screen_ = both;
    EXPECT_TRUE(tiles_show_screen());
    pid_t pid = 0;
    std::ifstream(beside + ".pid") >> pid;
    EXPECT_GT(pid, 1);
    EXPECT_EQ(kill(pid, 0), 0) << "it has ended";
    Hand hand(server_.display());
    ASSERT_TRUE(hand.ready());
    hand.move(40, 150);
    hand.type("a");
    const Finished finished = expect_end();
    EXPECT_NE(finished.errors.find("exit 3' exited with status 3: for a reason"), std::string::npos) << finished.errors;
    EXPECT_NE(kill(pid, 0), 0) << "it is left over";
}

/// Again and again: nothing says when the program has asked for its input.
TEST(X11DrawnReplay, GivesInputByTimeWhereThereAreNoFrames) {
    const std::string file = scratch_folder() + "/x11_drawn_replay";
    std::string error;
    std::ofstream events(file + ".jsonl");
    events << R"({"mpiglut":"input","version":1,"columns":2,"rows":1,"width":340,"height":220})" << "\n";
    for (int after = 20; after < 100 * 60; after += 20)
        for (const char *kind : {"key", "key_up"})
            events << R"({"frame":0,"after":)" << after << R"(,"kind":")" << kind
                   << R"(","window":0,"rank":1,"x":240,"y":150,"z":0,"a":97,"b":0,"modifiers":0})" << "\n";
    events.close();
    std::filesystem::remove(file + "_again.jsonl");
    const Finished finished =
        run(wall_command({"--wall", "2x1@170x220", "--headless", "--output", "all", "--replay", file + ".jsonl", "--record",
                          file + "_again.jsonl"},
                         std::string(X11_PROGRAMS) + "/x11_drawn", {file + ".ppm", "input"}),
            wall_environment(), longest_run);
    ASSERT_FALSE(finished.timed_out) << finished.output << finished.errors;
    EXPECT_EQ(finished.status, 0) << finished.errors;
    const std::vector<std::string> told = lines_of_tile(finished.output, "(0,0)");
    ASSERT_FALSE(told.empty()) << finished.errors;
    EXPECT_EQ(told.back(), "done") << finished.output;
    EXPECT_EQ(told, lines_of_tile(finished.output, "(1,0)")) << finished.errors;
    std::ifstream again(file + "_again.jsonl");
    const std::vector<mpiglut::Recorded> recorded = mpiglut::read_record(again, "again", error);
    ASSERT_GE(recorded.size(), 2U) << error;
    EXPECT_EQ(recorded.front().frame, 0);
    EXPECT_GE(recorded.front().after, 20) << "it was given too early";
}

} // namespace
} // namespace wall_test
