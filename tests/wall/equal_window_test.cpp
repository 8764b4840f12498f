// N tiles equal one window: each program, on each wall, against the picture of one window of plain FreeGLUT.
#include "wall_run.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <tuple>

namespace wall_test {
namespace {

namespace fs = std::filesystem;

class EqualWindow : public testing::TestWithParam<std::tuple<Program, WallCase>> {
  protected:
    const Program &program() const { return std::get<0>(GetParam()); }
    const WallCase &wall_case() const { return std::get<1>(GetParam()); }

    std::string wall_spec() const {
        const std::string &spec = wall_case().spec;
        return spec.starts_with("walls/") ? source_path(spec) : spec;
    }

    std::string file(const std::string &what) const {
        return scratch_folder() + "/" + program().name + "-" + wall_case().name + "-" + what + ".png";
    }

    std::string stats_file() const { return scratch_folder() + "/" + program().name + "-" + wall_case().name + ".json"; }

    Finished run_on_wall(const std::string &capture) const {
        fs::remove(capture);
        fs::remove(stats_file());
        std::vector<std::string> options{"--headless", "--clock",   "step:60", "--frames", std::to_string(program().frames),
                                         "--capture",  capture,     "--wall",  wall_spec(), "--stats", stats_file()};
        if (program().replay) {
            options.push_back("--replay");
            options.push_back(source_path("input/" + program().name + ".jsonl"));
        }
        return run(wall_command(options, program_path(program().name)), wall_environment(), longest_run);
    }

    /// A program that says what it was seeded with gets the same once more; everything else is worth keeping.
    bool plain(const Window &window, const std::string &said, Picture &picture, std::string &error) const {
        if (!program().seeded)
            return cached_plain_picture(program(), window, picture, error);
        long time = 0;
        int process = 0;
        if (std::sscanf(said.c_str(), "seed time=%ld pid=%d", &time, &process) != 2) {
            error = "expected the program to say its seed, not '" + said + "'";
            return false;
        }
        return plain_picture(program(), window, {{"ORACLE_TIME", std::to_string(time)}, {"ORACLE_PID", std::to_string(process)}},
                             file("plain"), error) &&
               read_png(file("plain"), picture, error);
    }

    /// The ranks did the same, by their own account.
    void expect_no_divergence() const {
        std::ifstream file(stats_file());
        const auto stats = nlohmann::json::parse(file, nullptr, false);
        ASSERT_FALSE(stats.is_discarded()) << stats_file();
        EXPECT_EQ(stats.value("divergences", -1), 0) << stats.value("first_divergence", nlohmann::json()).dump();
    }

    void save(const Picture &one_window, const Difference &difference) const {
        std::string error;
        EXPECT_TRUE(mpiglut::write_png(file("plain"), one_window, error)) << error;
        if (difference.shown.width) {
            EXPECT_TRUE(mpiglut::write_png(file("difference"), difference.shown, error)) << error;
        }
    }
};

TEST_P(EqualWindow, Picture) {
    const std::string capture = file("wall");
    const Finished finished = run_on_wall(capture);
    ASSERT_FALSE(finished.timed_out) << finished.errors;
    ASSERT_EQ(finished.status, 0) << finished.errors;
    std::string error;
    Picture captured, one_window;
    ASSERT_TRUE(read_png(capture, captured, error)) << error << "\n" << finished.errors;

    expect_no_divergence();

    const pixmpi::WallResult parsed = pixmpi::read_wall(wall_spec());
    ASSERT_TRUE(parsed.wall) << parsed.errors.front();
    ASSERT_TRUE(plain(window_for(program(), *parsed.wall, wall_case().name), finished.output, one_window, error)) << error;

    const Difference difference = compare(one_window, captured, parsed.wall->cut(captured.width, captured.height));
    if (!difference.acceptable()) {
        save(one_window, difference);
        ADD_FAILURE() << difference.text() << "\n  one window: " << file("plain") << "\n  wall:       " << capture
                      << "\n  difference: " << file("difference") << "\n"
                      << finished.errors;
        return;
    }
    for (const char *what : {"plain", "wall", "difference"})
        fs::remove(file(what));
    fs::remove(stats_file());
}

/// A comparison is worth what it notices: each program's picture, shifted by one pixel either way, has to be refused.
class Noticed : public testing::TestWithParam<Program> {};

TEST_P(Noticed, ShiftByOnePixel) {
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

INSTANTIATE_TEST_SUITE_P(Wall, Noticed, testing::ValuesIn(programs()), [](const auto &param) { return param.param.name; });

INSTANTIATE_TEST_SUITE_P(Wall, EqualWindow, testing::Combine(testing::ValuesIn(programs()), testing::ValuesIn(walls())),
                         [](const auto &param) {
                             return std::get<0>(param.param).name + "_on_" + std::get<1>(param.param).name;
                         });

} // namespace
} // namespace wall_test
