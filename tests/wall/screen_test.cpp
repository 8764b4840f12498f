// What the screens really show, not what --capture says of them: windows at their places, turned where the monitor is.
#include "screen.h"
#include "wall_run.h"

#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

namespace wall_test {
namespace {

class Screen : public testing::TestWithParam<std::tuple<Program, WallCase>> {};

TEST_P(Screen, ShowsOneWindow) {
    const auto &[program, wall_case] = GetParam();
    const std::string spec = wall_case.spec.starts_with("walls/") ? source_path(wall_case.spec) : wall_case.spec;
    pixmpi::Wall wall = pixmpi::read_wall(spec).wall.value();
    Picture one_window;
    std::string error;
    ASSERT_TRUE(cached_plain_picture(program, window_for(wall), one_window, error)) << error;
    wall = wall.cut(one_window.width, one_window.height);

    const Xvfb server(1280, 1024);
    auto environment = wall_environment();
    environment["DISPLAY"] = server.display();
    Process process(wall_command({"--wall", spec, "--clock", "step:60"}, program_path(program.name)), environment);
    Picture shown;
    const bool equal = process.wait_until(
        [&] {
            shown = wall_on_screen(server.display(), wall);
            return compare(one_window, shown, wall).acceptable(program.exact);
        },
        longest_run);
    if (!equal) {
        const std::string name = scratch_folder() + "/" + program.name + "-on-screen-" + wall_case.name + "-";
        const Difference difference = compare(one_window, shown, wall);
        mpiglut::write_png(name + "plain.png", one_window, error);
        mpiglut::write_png(name + "wall.png", shown, error);
        mpiglut::write_png(name + "difference.png", difference.shown, error);
        ADD_FAILURE() << difference.text() << "\n  " << name << "{plain,wall,difference}.png";
    }
    kill(process.pid(), SIGTERM);
    EXPECT_FALSE(process.finish(longest_run).timed_out);
}

// A file of input by hand says nothing of what covers a window, so that the window system does.
TEST(ScreenReplay, DrawsAgainWhatWasCovered) {
    const Program program = programs({"perspective_cubes"}).front();
    Picture one_window;
    std::string error;
    ASSERT_TRUE(cached_plain_picture(program, {}, one_window, error)) << error;
    const pixmpi::Wall wall = pixmpi::read_wall("2x2").wall.value().cut(one_window.width, one_window.height);
    const std::string file = scratch_folder() + "/by_hand.jsonl";
    std::ofstream(file) << R"({"mpiglut":"input","version":1,"width":1,"height":1})" << std::endl;

    const Xvfb server(1280, 1024);
    auto environment = wall_environment();
    environment["DISPLAY"] = server.display();
    Process process(wall_command({"--wall", "2x2", "--replay", file}, program_path(program.name)), environment);
    const auto shown = [&] { return compare(one_window, wall_on_screen(server.display(), wall), wall).acceptable(); };
    ASSERT_TRUE(process.wait_until(shown, longest_run));
    {
        const Cover cover(server.display());
        ASSERT_FALSE(shown());
    }
    EXPECT_TRUE(process.wait_until(shown, longest_run));
    kill(process.pid(), SIGTERM);
    EXPECT_FALSE(process.finish(longest_run).timed_out);
}

// A tile of a wall with a size has its place and its size.
TEST(ScreenTile, IsPutBack) {
    const Program program = programs({"perspective_cubes"}).front();
    pixmpi::Wall wall = pixmpi::read_wall("2x1@200x150").wall.value();
    Picture one_window;
    std::string error;
    ASSERT_TRUE(cached_plain_picture(program, window_for(wall), one_window, error)) << error;
    const Xvfb server(1280, 1024);
    auto environment = wall_environment();
    environment["DISPLAY"] = server.display();
    Process process(wall_command({"--wall", "2x1@200x150"}, program_path(program.name)), environment);
    const auto shown = [&] { return compare(one_window, wall_on_screen(server.display(), wall), wall).acceptable(); };
    ASSERT_TRUE(process.wait_until(shown, longest_run));
    ASSERT_TRUE(pull_at_window(server.display(), 200, 150));
    EXPECT_TRUE(process.wait_until(shown, longest_run));
    kill(process.pid(), SIGTERM);
    const Finished finished = process.finish(longest_run);
    EXPECT_FALSE(finished.timed_out);
    EXPECT_NE(finished.errors.find("its window was moved or got another size"), std::string::npos) << finished.errors;
}

// Walls that share out their work, by programs that come to rest on a picture.
struct Shared {
    std::string name, program, cuts;
    std::vector<std::string> options;
    int pictures = 1; ///< that have to be right one after another: the program draws again and again
};
void PrintTo(const Shared &shared, std::ostream *out) { *out << shared.name; }

class ScreenShared : public testing::TestWithParam<Shared> {};

TEST_P(ScreenShared, ShowsOneWindow) {
    const Program program = programs({GetParam().program}).front();
    Picture one_window;
    std::string error;
    ASSERT_TRUE(cached_plain_picture(program, {}, one_window, error)) << error;
    const pixmpi::Wall wall = pixmpi::read_wall("2x1").wall.value().cut(one_window.width, one_window.height);

    const Xvfb server(1280, 1024);
    auto environment = wall_environment();
    environment["DISPLAY"] = server.display();
    environment["MPIGLUT_BALANCE"] = GetParam().cuts;
    std::vector<std::string> options{"--wall", "2x1", "--clock", "step:60"};
    if (program.replay)
        options.insert(options.end(), {"--replay", source_path("input/" + program.name + ".jsonl")});
    options.insert(options.end(), GetParam().options.begin(), GetParam().options.end());
    Process process(wall_command(options, program_path(program.name)), environment);
    const auto shown = [&] { return compare(one_window, wall_on_screen(server.display(), wall), wall).acceptable(); };
    ASSERT_TRUE(process.wait_until(shown, longest_run));
    for (int i = 1; i < GetParam().pictures && !HasFailure(); ++i)
        EXPECT_TRUE(shown()) << "picture " << i;
    kill(process.pid(), SIGTERM);
    EXPECT_FALSE(process.finish(longest_run).timed_out);
}

const std::vector<std::string> late{"--balance", "latency:1", "--helpers", "1"};

// Who renders what is another in each tick. Late frames are those that were drawn with the cuts of the tick before; a
// frame that is late and that no other follows is shown all the same.
INSTANTIATE_TEST_SUITE_P(Wall, ScreenShared,
                         testing::Values(Shared{"WhereverTheCutsAre", "timer_animation", "sweep", {"--balance"}, 40},
                                         Shared{"OneFrameLater", "timer_animation", "force", late, 20},
                                         Shared{"DrawnOnce", "perspective_cubes", "force", late},
                                         Shared{"DrawnAfterInput", "input_reactions", "force", late},
                                         Shared{"ResizedWhileLate", "reshape_in_run", "force", late},
                                         Shared{"FrozenWhileLate", "front_buffer", "force", late}),
                         [](const auto &param) { return param.param.name; });

/// Which frame of support/held the wall shows; 0: none of them, or not all of one.
int frame_on_screen(const std::string &display) {
    const Picture shown = wall_on_screen(display, pixmpi::read_wall("2x1").wall.value().cut(80, 40));
    for (std::size_t i = 0; i < shown.rgb.size(); ++i)
        if (shown.rgb[i] != shown.rgb[i % 3])
            return 0;
    return shown.rgb[2] == 204 ? shown.rgb[0] / 10 : 0;
}

// While a frame is drawn the wall shows the one before, or that before that.
void expect_lateness(const std::vector<std::string> &balance, int frames) {
    const Xvfb server(1280, 1024);
    const std::string held = scratch_folder() + "/held_" + std::to_string(frames);
    const auto allow = [&](int frame) { std::ofstream(held) << frame << std::endl; };
    auto environment = wall_environment();
    environment["DISPLAY"] = server.display();
    environment["MPIGLUT_BALANCE"] = "force";
    environment["HELD"] = held;
    std::vector<std::string> options{"--wall", "2x1", "--clock", "step:60"};
    options.insert(options.end(), balance.begin(), balance.end());
    allow(2);
    Process process(wall_command(options, support_path("held")), environment);
    for (int drawn = 3; drawn < 7; ++drawn) {
        const std::string says = "frame " + std::to_string(drawn) + "\n";
        EXPECT_TRUE(
            process.wait_until([&] { return process.output_so_far().find(says) != std::string::npos; }, longest_run));
        const int shown = drawn - 1 - frames;
        EXPECT_TRUE(process.wait_until([&] { return frame_on_screen(server.display()) == shown; }, longest_run))
            << "while frame " << drawn << " is drawn: frame " << frame_on_screen(server.display());
        allow(drawn);
    }
    allow(1'000'000);
    kill(process.pid(), SIGTERM);
    EXPECT_FALSE(process.finish(longest_run).timed_out);
}

TEST(ScreenHeld, ShowsTheLastFrame) { expect_lateness({"--balance"}, 0); }

TEST(ScreenHeld, ShowsTheFrameBeforeWithLatency) { expect_lateness({"--balance", "latency:1"}, 1); }

// Programs that come to rest on a picture, each of another kind of window, which shows on turned tiles and on others.
std::vector<std::tuple<Program, WallCase>> programs_at_rest() {
    std::vector<std::tuple<Program, WallCase>> all;
    for (const Program &program :
         programs({"edge_subwindow", "front_buffer", "fragcoord_330", "multisample", "reshape_in_run", "second_window",
                   "single_buffered", "subwindows", "window_changes"})) {
        const bool odd = all.size() % 4 != 0;
        all.emplace_back(program, WallCase{"rotated", "walls/rotated.toml"});
        all.emplace_back(program, odd ? WallCase{"uneven", "walls/uneven.toml"} : WallCase{"2x2", "2x2"});
    }
    return all;
}

INSTANTIATE_TEST_SUITE_P(Wall, Screen, testing::ValuesIn(programs_at_rest()), [](const auto &param) {
    return std::get<0>(param.param).name + "_on_" + std::get<1>(param.param).name;
});

// What lies behind bezels is drawn once the program has asked for it, off screen: the windows show the rest of that.
INSTANTIATE_TEST_SUITE_P(Behind, Screen,
                         testing::Combine(testing::ValuesIn(programs({"copy_texture", "occlusion_query"})),
                                          testing::Values(WallCase{"turned", "walls/turned_bezels.toml"},
                                                          WallCase{"uneven", "walls/uneven.toml"})),
                         [](const auto &param) {
                             return std::get<0>(param.param).name + "_on_" + std::get<1>(param.param).name;
                         });

} // namespace
} // namespace wall_test
