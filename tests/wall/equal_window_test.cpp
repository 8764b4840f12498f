// N tiles equal one window: each program, on each wall, against the picture of one window of plain FreeGLUT.
#include "wall_run.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <tuple>

namespace wall_test {
namespace {

namespace fs = std::filesystem;

class Comparison {
  public:
    Comparison(const Program &program, const WallCase &wall, std::map<std::string, std::string> environment = {},
               std::vector<std::string> options = {})
        : program_(program), wall_(wall), environment_(std::move(environment)), options_(std::move(options)),
          spec_(wall.spec.starts_with("walls/") ? source_path(wall.spec) : wall.spec),
          name_(scratch_folder() + "/" + program.name + "-" + wall.name) {
        for (const auto &[variable, value] : environment_) // tests that differ in these alone go on side by side
            name_ += "-" + variable;
        if (late())
            name_ += "-late";
        environment_.merge(wall_environment());
    }

    void expect_equal() const;

  private:
    std::string file(const std::string &what, std::size_t number = 1) const {
        return mpiglut::numbered(name_ + "-" + what + ".png", number);
    }
    std::string stats_file() const { return name_ + ".json"; }
    /// Frames are shown one frame later, but for the one that is captured. Of which frame that is has to be known then.
    bool late() const { return std::ranges::find(options_, "latency:1") != options_.end(); }
    Finished run_on_wall() const;
    bool plain(const pixmpi::Wall &wall, const std::string &said, std::size_t number, Picture &picture,
               std::string &error) const;
    void expect_good_stats() const;
    void expect_picture(const pixmpi::Wall &wall, std::size_t number, const Finished &finished) const;
    void save(std::size_t number, const Picture &one_window, const Difference &difference) const;
    void tidy(std::size_t number) const;

    Program program_;
    WallCase wall_;
    std::map<std::string, std::string> environment_;
    std::vector<std::string> options_;
    std::string spec_, name_;
};

Finished Comparison::run_on_wall() const {
    for (int number = 1; number <= program_.windows; ++number)
        tidy(static_cast<std::size_t>(number));
    fs::remove(stats_file());
    const std::string frames = std::to_string(program_.frames), capture = file("wall") + (late() ? "@" + frames : "");
    std::vector<std::string> options{"--headless", "--clock", "step:60", "--frames", frames,      "--capture",
                                     capture,      "--wall",  spec_,     "--stats",  stats_file()};
    options.insert(options.end(), options_.begin(), options_.end());
    if (program_.reads)
        options.push_back("--behind=draw");
    if (program_.replay) {
        options.push_back("--replay");
        options.push_back(source_path("input/" + program_.name + ".jsonl"));
    }
    return run(wall_command(options, program_path(program_.name)), environment_, longest_run);
}

/// A program that says what it was seeded with gets the same once more; every other picture is worth keeping.
bool Comparison::plain(const pixmpi::Wall &wall, const std::string &said, std::size_t number, Picture &picture,
                       std::string &error) const {
    Window window = window_for(wall);
    window.apart = wall.from_window && program_.windows > 1;
    if (!program_.seeded)
        return cached_plain_picture(program_, window, picture, error, number);
    long time = 0;
    int process = 0;
    if (std::sscanf(said.c_str(), "seed time=%ld pid=%d", &time, &process) != 2) {
        error = "expected the program to say its seed, not '" + said + "'";
        return false;
    }
    const std::map<std::string, std::string> seed{{"ORACLE_TIME", std::to_string(time)},
                                                  {"ORACLE_PID", std::to_string(process)}};
    return plain_picture(program_, window, seed, file("plain"), error) && read_png(file("plain"), picture, error);
}

/// The ranks did the same, by their own account.
void Comparison::expect_good_stats() const {
    std::ifstream in(stats_file());
    const auto stats = nlohmann::json::parse(in, nullptr, false);
    ASSERT_FALSE(stats.is_discarded()) << stats_file();
    EXPECT_EQ(stats.value("divergences", -1), 0) << stats.value("first_divergence", nlohmann::json()).dump();
    EXPECT_EQ(stats.contains("latency"), std::ranges::find(options_, "--balance") != options_.end());
    if (late()) {
        EXPECT_EQ(stats["latency"].value("frames", 0), 1);
    }
}

void Comparison::save(std::size_t number, const Picture &one_window, const Difference &difference) const {
    std::string error;
    EXPECT_TRUE(mpiglut::write_png(file("plain", number), one_window, error)) << error;
    if (difference.shown.width) {
        EXPECT_TRUE(mpiglut::write_png(file("difference", number), difference.shown, error)) << error;
    }
}

void Comparison::tidy(std::size_t number) const {
    for (const char *what : {"plain", "wall", "difference"})
        fs::remove(file(what, number));
}

void Comparison::expect_picture(const pixmpi::Wall &wall, std::size_t number, const Finished &finished) const {
    std::string error;
    Picture captured, one_window;
    ASSERT_TRUE(read_png(file("wall", number), captured, error)) << error << "\n" << finished.errors;
    ASSERT_TRUE(plain(wall, finished.output, number, one_window, error)) << error;
    const Difference difference = compare(one_window, captured, wall.cut(captured.width, captured.height));
    if (difference.acceptable(program_.exact))
        return tidy(number);
    save(number, one_window, difference);
    ADD_FAILURE() << difference.text() << "\n  one window: " << file("plain", number)
                  << "\n  wall:       " << file("wall", number) << "\n  difference: " << file("difference", number)
                  << "\n"
                  << finished.errors;
}

void Comparison::expect_equal() const {
    if (const std::string lacking = lacking_for(program_); !lacking.empty())
        GTEST_SKIP() << lacking;
    const pixmpi::WallResult parsed = pixmpi::read_wall(spec_);
    ASSERT_TRUE(parsed.wall) << parsed.errors.front();
    const Finished finished = run_on_wall();
    ASSERT_FALSE(finished.timed_out) << finished.errors;
    ASSERT_EQ(finished.status, 0) << finished.errors;
    expect_good_stats();
    const int pictures = parsed.wall->from_window ? program_.windows : 1;
    for (int number = 1; number <= pictures; ++number)
        expect_picture(*parsed.wall, static_cast<std::size_t>(number), finished);
    EXPECT_FALSE(fs::exists(file("wall", static_cast<std::size_t>(pictures) + 1)));
    if (!testing::Test::HasFailure())
        fs::remove(stats_file());
}

class EqualWindow : public testing::TestWithParam<std::tuple<Program, WallCase>> {};

TEST_P(EqualWindow, Picture) { Comparison(std::get<0>(GetParam()), std::get<1>(GetParam())).expect_equal(); }

/// Each program on two rows of tiles and on turned tiles. Of the other walls two programs share two that have sizes of
/// their own, and of four programs one has one tile and one has three: what is wrong on these for one program alone is
/// wrong on the other walls, too.
std::vector<std::tuple<Program, WallCase>> programs_on_walls() {
    std::vector<std::tuple<Program, WallCase>> all;
    for (std::size_t i = 0; i < programs().size(); ++i)
        for (const WallCase &wall : walls())
            if (const std::string &on = wall.name; on == "1x1"          ? i % 4 == 0
                                                   : on == "3x1"        ? i % 4 == 2
                                                   : on == "1x3_bezels" ? i % 2 == 0
                                                   : on == "uneven"     ? i % 2 == 1
                                                                        : true)
                all.emplace_back(programs()[i], wall);
    return all;
}

INSTANTIATE_TEST_SUITE_P(Wall, EqualWindow, testing::ValuesIn(programs_on_walls()), [](const auto &param) {
    return std::get<0>(param.param).name + "_on_" + std::get<1>(param.param).name;
});

/// The wall is larger than the driver's viewports may be, so that the projection has to do the shifting.
class SmallViewports : public testing::TestWithParam<Program> {};

TEST_P(SmallViewports, Picture) {
    Comparison(GetParam(), {"2x2", "2x2"}, {{"MPIGLUT_MAX_VIEWPORT", "256"}}).expect_equal();
}

INSTANTIATE_TEST_SUITE_P(Wall, SmallViewports,
                         testing::ValuesIn(programs({"attrib_stack", "bitmap_text", "default_reshape", "display_lists",
                                                     "perspective_cubes", "selection", "subwindows", "unproject_pick",
                                                     "viewport_query"})),
                         [](const auto &param) { return param.param.name; });

/// Ranks render what others show, and who renders what is another in each tick.
class Balanced : public testing::TestWithParam<Program> {};

TEST_P(Balanced, Picture) {
    Comparison(GetParam(), {"2x2", "2x2"}, {{"MPIGLUT_BALANCE", "force"}, {"MPIGLUT_GPU_TIME", "yes"}}, {"--balance"})
        .expect_equal();
}

INSTANTIATE_TEST_SUITE_P(Wall, Balanced,
                         testing::ValuesIn(programs({"accum_blur", "copy_pixels", "copy_texture", "depth_readback",
                                                     "display_lists", "drawing_thread", "fragcoord_130", "front_buffer",
                                                     "idle_animation", "input_reactions", "occlusion_query",
                                                     "read_pixel_pick", "reshape_in_run", "scissor_clear", "selection",
                                                     "stipple", "subwindows", "unproject_pick", "window_changes"})),
                         [](const auto &param) { return param.param.name; });

/// The wall shows frames one frame later, while their pixels travel.
class BalancedLate : public testing::TestWithParam<Program> {};

TEST_P(BalancedLate, Picture) {
    Comparison(GetParam(), {"2x2", "2x2"}, {{"MPIGLUT_BALANCE", "force"}}, {"--balance", "latency:1"}).expect_equal();
}

INSTANTIATE_TEST_SUITE_P(Wall, BalancedLate,
                         testing::ValuesIn(programs({"copy_texture", "drawing_thread", "idle_animation",
                                                     "read_pixel_pick", "window_changes"})),
                         [](const auto &param) { return param.param.name; });

/// The same on other walls, with ranks that show nothing, and with cuts that pass through every row.
struct BalancedWall {
    WallCase wall;
    std::string program, cuts;
    std::vector<std::string> options;
};
void PrintTo(const BalancedWall &wall, std::ostream *out) { *out << wall.wall.spec; }

class BalancedOn : public testing::TestWithParam<BalancedWall> {};

TEST_P(BalancedOn, Picture) {
    Comparison(programs({GetParam().program}).front(), GetParam().wall, {{"MPIGLUT_BALANCE", GetParam().cuts}},
               GetParam().options)
        .expect_equal();
}

INSTANTIATE_TEST_SUITE_P(
    Wall, BalancedOn,
    testing::Values(BalancedWall{{"one_helper", "1x1"}, "timer_animation", "sweep", {"--balance", "--helpers", "1"}},
                    BalancedWall{{"more_helpers", "2x1"}, "elapsed_time", "force", {"--balance", "--helpers", "3"}},
                    BalancedWall{{"rotated", "walls/rotated.toml"}, "idle_animation", "force", {"--balance"}},
                    BalancedWall{{"uneven", "walls/uneven.toml"}, "teapot", "force", {"--balance"}},
                    BalancedWall{
                        {"bezels", "1x3@421x101+0+10"}, "elapsed_time", "force", {"--balance", "--ship", "raw"}},
                    BalancedWall{{"one_row", "1x3@301x1"}, "idle_animation", "force", {"--balance", "--ship=lz4"}},
                    BalancedWall{{"late", "walls/rotated.toml"},
                                 "timer_animation",
                                 "sweep",
                                 {"--balance", "latency:1", "--helpers", "2", "--ship=lz4"}}),
    [](const auto &param) { return param.param.wall.name; });

/// Drivers that make no pbuffers draw off screen, too: turned tiles, and walls whose work is shared out.
class WithoutPbuffers : public testing::TestWithParam<BalancedWall> {};

TEST_P(WithoutPbuffers, Picture) {
    Comparison(programs({GetParam().program}).front(), GetParam().wall,
               {{"MPIGLUT_PBUFFERS", "no"}, {"MPIGLUT_BALANCE", GetParam().cuts}}, GetParam().options)
        .expect_equal();
}

INSTANTIATE_TEST_SUITE_P(
    Wall, WithoutPbuffers,
    testing::Values(BalancedWall{{"2x2", "2x2"}, "unproject_pick", "force", {"--balance"}},
                    BalancedWall{{"rotated", "walls/rotated.toml"}, "teapot", "force", {"--balance"}},
                    BalancedWall{{"single_buffered", "walls/rotated.toml"}, "single_buffered", "", {}}),
    [](const auto &param) { return param.param.wall.name; });

/// What programs draw and read does not depend on what Mesa has beyond other drivers.
class OtherDriver : public testing::TestWithParam<Program> {};

TEST_P(OtherDriver, Picture) { Comparison(GetParam(), {"3x1", "3x1"}, with_other_driver()).expect_equal(); }

INSTANTIATE_TEST_SUITE_P(Wall, OtherDriver,
                         testing::ValuesIn(programs({"display_lists", "read_pixel_pick", "read_whole_window",
                                                     "stipple"})),
                         [](const auto &param) { return param.param.name; });

/// A comparison is worth what it notices: each program's picture, shifted by one pixel either way, has to be refused.
class Noticed : public testing::TestWithParam<Program> {};

TEST_P(Noticed, ShiftByOnePixel) {
    if (const std::string lacking = lacking_for(GetParam()); !lacking.empty())
        GTEST_SKIP() << lacking;
    Picture picture;
    std::string error;
    ASSERT_TRUE(cached_plain_picture(GetParam(), {}, picture, error)) << error;
    const pixmpi::Wall one_tile = pixmpi::read_wall("1x1").wall.value().cut(picture.width, picture.height);
    EXPECT_TRUE(compare(picture, picture, one_tile).acceptable());
    for (const auto &[x, y] : {std::pair{1, 0}, {0, 1}, {-1, 0}, {0, -1}}) {
        Picture shifted(picture.width, picture.height);
        paste(shifted, picture, x, y);
        EXPECT_FALSE(compare(picture, shifted, one_tile).acceptable()) << "by (" << x << "," << y << ")";
    }
}

INSTANTIATE_TEST_SUITE_P(Wall, Noticed, testing::ValuesIn(programs()),
                         [](const auto &param) { return param.param.name; });

} // namespace
} // namespace wall_test
