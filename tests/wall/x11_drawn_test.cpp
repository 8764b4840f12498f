// What programs draw by X requests: the tiles show what the wall's X server has, and OpenGL where it is seen between.
#include "event_log.h"
#include "picture_compare.h"
#include "pointer.h"
#include "processes.h"
#include "screen.h"
#include "wall_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
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
    kill(process.pid(), SIGTERM);
    EXPECT_FALSE(process.finish(longest_run).timed_out);
}

TEST(X11DrawnInput, ComesFromTilesWithoutOpenGL) {
    const std::string file = scratch_folder() + "/x11_drawn_input.ppm";
    std::filesystem::remove(file);
    const Xvfb server(800, 600);
    auto environment = wall_environment();
    environment["DISPLAY"] = server.display();
    Process process(wall_command({"--wall", "2x2@170x110", "--output", "all"}, std::string(X11_PROGRAMS) + "/x11_drawn",
                                 {file, "input"}),
                    environment);
    const auto all_have_said = [&process](const std::string &line) {
        return process.wait_until(
            [&] {
                const std::string said = process.output_so_far();
                return std::ranges::all_of(std::array{"(0,0)", "(1,0)", "(0,1)", "(1,1)"}, [&](const char *tile) {
                    return std::ranges::count(lines_of_tile(said, tile), line) == 1;
                });
            },
            longest_run);
    };
    EXPECT_TRUE(all_have_said("ready"));
    Picture screen;
    ASSERT_TRUE(read_ppm(file, screen));
    const pixmpi::Wall wall = pixmpi::read_wall("2x2@170x110").wall.value();
    EXPECT_TRUE(process.wait_until(
        [&] { return compare(screen, wall_on_screen(server.display(), wall), wall).acceptable(true); }, longest_run));
    Hand hand(server.display());
    ASSERT_TRUE(hand.ready());
    hand.move(240, 150);
    hand.click(1);
    EXPECT_TRUE(all_have_said("button 1 at 240 150"));
    hand.type("a");
    const Finished finished = process.finish(longest_run);
    EXPECT_FALSE(finished.timed_out) << finished.errors;
    EXPECT_EQ(finished.status, 0) << finished.errors;
}

} // namespace
} // namespace wall_test
