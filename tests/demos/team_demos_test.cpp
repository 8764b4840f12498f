// The demos with ranks that draw each frame together.
#include "processes.h"
#include "screen.h"
#include "subject.h"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>

namespace {

using demo::Picture;

struct Case {
    const char *name, *program;
    std::vector<std::string> more; ///< further arguments
    int levels;                    ///< that the picture of several ranks may differ by from one rank's
    std::string says;              ///< part of what it prints
};

void PrintTo(const Case &c, std::ostream *out) { *out << c.name; }

int most_difference(const Picture &one, const Picture &other) {
    int most = one.rgba.size() == other.rgba.size() ? 0 : 255;
    for (std::size_t i = 0; most < 255 && i < one.rgba.size(); ++i)
        most = std::max(most, std::abs(int{one.rgba[i]} - int{other.rgba[i]}));
    return most;
}

class TeamDemos : public testing::TestWithParam<Case> {
  protected:
    /// The arguments of a small run.
    std::vector<std::string> small(int frames, std::vector<std::string> further) const {
        std::vector<std::string> all{"--size", "131x77", "--frames", std::to_string(frames)};
        all.insert(all.end(), GetParam().more.begin(), GetParam().more.end());
        all.insert(all.end(), further.begin(), further.end());
        return all;
    }
    Scratch scratch_;
};

/// To the demo's own eyes (--compare) and to ours.
TEST_P(TeamDemos, SamePictureOnAnyNumberOfRanks) {
    Picture alone;
    for (int ranks : {1, 2, 3, 4, 5, 8}) {
        SCOPED_TRACE(std::to_string(ranks) + " ranks");
        const std::string file = scratch_.file("picture.png");
        const Outcome outcome = run(GetParam().program, ranks, small(3, {"--headless", "--compare", "--output", file}));
        ASSERT_EQ(outcome.status, 0) << described(outcome);
        EXPECT_NE(outcome.output.find(GetParam().says), std::string::npos) << described(outcome);
        EXPECT_NE(outcome.output.find("3 frames compared with one rank's"), std::string::npos) << described(outcome);
        const Picture picture = demo::load_png(file);
        ASSERT_EQ(std::to_string(picture.width) + "x" + std::to_string(picture.height), "131x77");
        if (ranks == 1)
            alone = picture;
        EXPECT_GE(colours(picture), 500u);
        EXPECT_LE(most_difference(picture, alone), GetParam().levels);
    }
}

TEST_P(TeamDemos, SavesEveryFrameAndMeasures) {
    for (const bool alone : {false, true}) {
        std::vector<std::string> arguments =
            small(3, {"--headless", "--save", scratch_.file("frames"), "--output", scratch_.file("last.png")});
        if (alone)
            arguments.emplace_back("--alone");
        const Outcome outcome = run(GetParam().program, 2, arguments);
        ASSERT_EQ(outcome.status, 0) << described(outcome);
        for (const char *says : {"2 ranks: ", "draw ", "compose ", "wait ",
                                 alone ? "one rank alone takes " : "if one rank alone took all ranks' time"})
            EXPECT_NE(outcome.output.find(says), std::string::npos) << described(outcome);
        const Picture last = demo::load_png(scratch_.file("last.png"));
        EXPECT_EQ(demo::differences(demo::load_png(scratch_.file("frames/frame-00002.png")), last), "");
        EXPECT_NE(demo::differences(demo::load_png(scratch_.file("frames/frame-00000.png")), last), "");
        EXPECT_THROW(demo::load_png(scratch_.file("frames/frame-00003.png")), std::exception);
    }
}

/// On a screen: something is seen, and closing the window ends all ranks.
TEST_P(TeamDemos, ShowInAWindow) {
    const wall_test::Xvfb xvfb(320, 240);
    ASSERT_NE(xvfb.display(), "");
    ScreenView screen(xvfb.display());
    ASSERT_TRUE(screen.ready());
    wall_test::Process program(ranks_command(GetParam().program, 2,
                                             small(1'000'000, {"--compare", "--output", scratch_.file("screen.png")}),
                                             {"DISPLAY=" + xvfb.display()}));
    const bool seen = program.wait_until([&] { return screen.lit(0, 0, 131, 77) > 131 * 77 / 2; }, 60);
    bool changed = seen;
    if (std::string(GetParam().name) == "volume") {
        screen.type('2');
        changed = program.wait_until([&] { return screen.title().find("look 2") != std::string::npos; }, 60);
    }
    screen.close_window();
    const wall_test::Finished finished = program.finish(60);
    EXPECT_TRUE(seen && changed) << seen << changed << screen.title() << finished.errors;
    EXPECT_FALSE(finished.timed_out);
    EXPECT_EQ(finished.status, 0) << finished.errors;
    EXPECT_GE(colours(demo::load_png(scratch_.file("screen.png"))), 500u);
}

INSTANTIATE_TEST_SUITE_P(All, TeamDemos,
                         testing::Values(Case{"sortlast", SORTLAST, {"--triangles", "20000"}, 0, "0.025 million"},
                                         Case{"volume", VOLUME, {"--volume", "33"}, 2, "33^3 voxels"},
                                         Case{"sortfirst", SORTFIRST, {"--plain"}, 0, ""}),
                         [](const auto &one) { return one.param.name; });

TEST(TeamDemosTest, WrongArguments) {
    for (const auto &[program, option, value] : {std::tuple{SORTLAST, "--triangles", "1"},
                                                 {VOLUME, "--volume", "7"},
                                                 {VOLUME, "--look", "4"},
                                                 {SORTFIRST, "--size", "9x1"}}) {
        const Outcome outcome = run(program, 2, {"--headless", option, value});
        EXPECT_EQ(outcome.status, 2) << described(outcome);
        EXPECT_NE(outcome.errors.find(option), std::string::npos) << described(outcome);
    }
}

/// Beside the lines between strips nothing is drawn over the picture.
TEST(TeamDemosTest, LinesBetweenStrips) {
    const Scratch scratch;
    const auto picture = [&](const char *option) {
        const Outcome outcome = run(SORTFIRST, 3,
                                    {"--headless", "--frames", "1", "--size", "90x60", "--even", option, "--output",
                                     scratch.file("lines.png")});
        EXPECT_EQ(outcome.status, 0) << described(outcome);
        return demo::load_png(scratch.file("lines.png"));
    };
    const Picture plain = picture("--plain"), lines = picture("--even");
    for (int y = 0; y < 60; ++y) {
        const bool line = y == 20 || y == 40;
        int differ = 0;
        for (int x = 90 / 5; x < 90; ++x)
            differ += !std::equal(&plain.rgba[4 * (90 * y + x)], &plain.rgba[4 * (90 * y + x) + 4],
                                  &lines.rgba[4 * (90 * y + x)]);
        EXPECT_EQ(differ, line ? 90 - 90 / 5 : 0) << "row " << y;
    }
}

/// The parts of one picture, from tiles that overlap, as a wall file has them.
TEST(TeamDemosTest, TilesOfAWall) {
    const Scratch scratch;
    const std::string file = scratch.file("wall.toml");
    std::ofstream(file) << "[[tile]]\nrank = 2\nposition = [0, 0]\nsize = [80, 50]\n"
                           "[[tile]]\nrank = 0\nposition = [70, 0]\nsize = [60, 50]\n"
                           "[[tile]]\nrank = 1\nposition = [10, 45]\nsize = [100, 32]\n";
    struct Part {
        int x, y, width, height; // the lowest row is the first, of 77
    };
    const Part parts[] = {{70, 27, 60, 50}, {10, 0, 100, 32}, {0, 27, 80, 50}}; // by rank
    for (const auto &[program, option] : {std::pair{SORTLAST, "--triangles"}, {VOLUME, "--volume"}}) {
        const std::vector<std::string> small{
            "--headless", "--frames", "2", option, program == std::string(VOLUME) ? "33" : "20000",
            "--compare",  "--output"};
        const auto run_with = [&, &program = program](std::vector<std::string> further) {
            further.insert(further.begin(), small.begin(), small.end());
            return run(program, 4, further);
        };
        const Outcome whole = run_with({scratch.file("whole.png"), "--size", "130x77"});
        ASSERT_EQ(whole.status, 0) << described(whole);
        const Outcome tiles = run_with({scratch.file("tile.png"), "--wall", file});
        ASSERT_EQ(tiles.status, 0) << described(tiles);
        const Picture expected = demo::load_png(scratch.file("whole.png"));
        for (int rank = 0; rank < 3; ++rank) {
            const Part &part = parts[rank];
            const Picture tile = demo::load_png(scratch.file(("tile." + std::to_string(rank) + ".png").c_str()));
            ASSERT_EQ(tile.width, part.width);
            ASSERT_EQ(tile.height, part.height);
            int most = 0;
            for (int y = 0; y < part.height; ++y)
                for (int i = 0; i < 4 * part.width; ++i)
                    most = std::max(most, std::abs(int{tile.rgba[4 * part.width * y + i]} -
                                                   int{expected.rgba[4 * (130 * (part.y + y) + part.x) + i]}));
            EXPECT_LE(most, 2) << program << ", tile of rank " << rank;
        }
        EXPECT_THROW(demo::load_png(scratch.file("tile.3.png")), std::exception);
    }
    const Outcome few = run(SORTLAST, 2, {"--headless", "--frames", "1", "--wall", file});
    EXPECT_NE(few.status, 0);
    EXPECT_NE(few.errors.find("3 tiles, expected as many ranks, here 2"), std::string::npos) << described(few);
}

/// Fewer voxels than a rank can have, and a picture of one pixel.
TEST(TeamDemosTest, ManyRanks) {
    for (const auto &[program, option] : {std::pair{SORTLAST, "--triangles"}, {VOLUME, "--volume"}}) {
        const Scratch scratch;
        const Outcome outcome = run(program, 9,
                                    {"--headless", "--frames", "2", "--size", "1x1", "--compare", option, "8",
                                     "--output", scratch.file("pixel.png")});
        EXPECT_EQ(outcome.status, 0) << described(outcome);
    }
}

} // namespace
