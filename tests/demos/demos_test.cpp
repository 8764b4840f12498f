#include "subject.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <tuple>

namespace {

using demo::Picture;

struct Case {
    const char *name, *program, *size;
    int frames;
    std::vector<std::string> more; ///< further arguments
    const char *says;              ///< part of what it prints
};

void PrintTo(const Case &c, std::ostream *out) { *out << c.name; }

class DemoPictures : public testing::TestWithParam<Case> {};

/// The picture does not depend on how many ranks have drawn it.
TEST_P(DemoPictures, SamePictureOnAnyNumberOfRanks) {
    const Case &demo = GetParam();
    const Scratch scratch;
    Picture alone;
    for (int ranks = 1; ranks <= 5; ++ranks) {
        SCOPED_TRACE(std::to_string(ranks) + " ranks");
        const std::string file = scratch.file(std::to_string(ranks) + ".png");
        std::vector<std::string> arguments{"--headless", "--size", demo.size, "--frames", std::to_string(demo.frames),
                                           "--output",   file};
        arguments.insert(arguments.end(), demo.more.begin(), demo.more.end());
        const Outcome outcome = run(demo.program, ranks, arguments);
        ASSERT_EQ(outcome.status, 0) << described(outcome);
        EXPECT_NE(outcome.output.find(demo.says), std::string::npos) << described(outcome);
        const Picture picture = demo::load_png(file);
        ASSERT_EQ(std::to_string(picture.width) + "x" + std::to_string(picture.height), demo.size);
        if (ranks == 1)
            alone = picture;
        EXPECT_GE(colours(picture), 50u);
        EXPECT_EQ(demo::differences(picture, alone), "");
    }
}

INSTANTIATE_TEST_SUITE_P(
    All, DemoPictures,
    testing::Values(Case{"pingpong", PINGPONG, "131x77", 5, {}, "131x77 RGBA8, 40348 bytes a message"},
                    Case{"wave", WAVE, "131x77", 25, {"--check"}, "the same picture as of one rank"},
                    Case{"mosaic", MOSAIC, "301x203", 2, {}, "301x203 in 988 cells of 8x8"}),
    [](const auto &one) { return one.param.name; });

/// Pictures smaller than a cell, a halo, or the number of ranks.
TEST(Demos, TinyPictures) {
    const Scratch scratch;
    for (const auto &[program, size, ranks] : {std::tuple{PINGPONG, "1x1", 3}, {MOSAIC, "9x1", 4}, {WAVE, "1x5", 5}}) {
        const Outcome outcome =
            run(program, ranks, {"--headless", "--frames", "2", "--size", size, "--output", scratch.file("tiny.png")});
        EXPECT_EQ(outcome.status, 0) << program << described(outcome);
        const Picture picture = demo::load_png(scratch.file("tiny.png"));
        EXPECT_EQ(std::to_string(picture.width) + "x" + std::to_string(picture.height), size);
    }
}

/// What comes in is a picture of two halves, and so is what comes out.
TEST(Demos, MosaicOfAFile) {
    const Scratch scratch;
    Picture halves(200, 100);
    for (int i = 0; i < 200 * 100; ++i) {
        const bool left = i % 200 < 100;
        const std::uint8_t colour[4] = {std::uint8_t(left ? 220 : 20), 60, std::uint8_t(left ? 20 : 220), 255};
        std::copy_n(colour, 4, &halves.rgba[std::size_t{4} * i]);
    }
    demo::save_png(halves, scratch.file("in.png"));
    const Outcome outcome =
        run(MOSAIC, 3,
            {"--headless", "--frames", "1", "--input", scratch.file("in.png"), "--output", scratch.file("out.png")});
    ASSERT_EQ(outcome.status, 0) << described(outcome);
    const Picture mosaic = demo::load_png(scratch.file("out.png"));
    ASSERT_EQ(mosaic.width, 200);
    ASSERT_EQ(mosaic.height, 100);
    int wrong = 0; // outside the column of cells that has both colours
    for (int i = 0; i < 200 * 100; ++i)
        if (i % 200 < 96 || i % 200 >= 104)
            wrong += (mosaic.rgba[std::size_t{4} * i] > mosaic.rgba[std::size_t{4} * i + 2]) != (i % 200 < 100);
    EXPECT_EQ(wrong, 0);
}

/// An error text, once, and exit status 2.
TEST(Demos, WrongArguments) {
    struct Wrong {
        const char *program;
        std::vector<std::string> arguments;
        const char *says;
    };
    for (const Wrong &wrong : {
             Wrong{WAVE, {"--size", "640"}, "wave: --size 640: expected WIDTHxHEIGHT"},
             Wrong{WAVE, {"--size", "0x4"}, "wave: --size 0x4: expected WIDTHxHEIGHT"},
             Wrong{WAVE, {"--headless", "--size", "1x1"}, "wave: --size: 1x1 cannot be cut for 2 ranks"},
             Wrong{PINGPONG, {"--frames", "-3"}, "pingpong: --frames"},
             Wrong{PINGPONG, {"--check"}, "--check"},
             Wrong{MOSAIC, {"--input", "no such file.png"}, "no such file.png"},
         }) {
        const Outcome outcome = run(wrong.program, 2, wrong.arguments);
        const auto at = outcome.errors.find(wrong.says);
        EXPECT_EQ(outcome.status, 2) << described(outcome);
        ASSERT_NE(at, std::string::npos) << described(outcome);
        EXPECT_EQ(outcome.errors.find(wrong.says, at + 1), std::string::npos) << described(outcome);
    }
}

/// What only one rank finds out ends the whole job.
TEST(Demos, ResultThatCannotBeSaved) {
    const Outcome outcome =
        run(WAVE, 2, {"--headless", "--frames", "1", "--size", "9x9", "--output", "/nowhere/wave.png"});
    EXPECT_NE(outcome.status, 0);
    EXPECT_NE(outcome.status, 124) << "it hung";
    EXPECT_NE(outcome.errors.find("rank 0: /nowhere/wave.png"), std::string::npos) << described(outcome);
}

} // namespace
