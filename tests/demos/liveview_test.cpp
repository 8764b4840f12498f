// The demo that shows on other ranks what rank 0 draws.
#include "processes.h"
#include "screen.h"
#include "subject.h"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>

namespace {

using demo::Picture;

int count(const std::string &text, const std::string &what) {
    int found = 0;
    for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1))
        ++found;
    return found;
}

class LiveView : public testing::Test {
  protected:
    /// What the first viewer saves.
    Picture picture_of(int ranks, std::vector<std::string> arguments, Outcome &outcome) {
        const std::string file = scratch_.file("picture.png");
        arguments.insert(arguments.end(), {"--headless", "--check", "--output", file});
        outcome = run(LIVEVIEW, ranks, arguments);
        EXPECT_EQ(outcome.status, 0) << described(outcome);
        return outcome.status == 0 ? demo::load_png(file) : Picture(1, 1);
    }
    Scratch scratch_;
};

/// Sizes that no codec's blocks divide.
TEST_F(LiveView, ViewersSeeWhatRankZeroDraws) {
    Picture alone;
    for (int ranks = 1; ranks <= 4; ++ranks)
        for (const std::string codec : {"none", "lz4", "auto", "jpeg:90:444"}) {
            SCOPED_TRACE(std::to_string(ranks) + " ranks, " + codec);
            Outcome outcome;
            const Picture picture = picture_of(ranks, {"--size", "131x77", "--frames", "4", "--codec", codec}, outcome);
            if (ranks == 1 && codec == "none")
                alone = picture;
            EXPECT_GE(colours(picture), 500u);
            EXPECT_EQ(count(outcome.output, "; 4 frames"), 1) << outcome.output;
            const bool same = ranks == 1 || codec != "jpeg:90:444";
            EXPECT_EQ(demo::differences(picture, alone).empty(), same);
            EXPECT_EQ(count(outcome.output, "the same bits"), same) << outcome.output;
            const std::size_t at = outcome.output.find("PSNR ");
            EXPECT_EQ(at == std::string::npos, same) << outcome.output;
            if (at != std::string::npos) {
                EXPECT_GT(std::strtod(&outcome.output[at + 5], nullptr), 35.0) << outcome.output;
            }
        }
}

TEST_F(LiveView, TourShowsEveryCodec) {
    Outcome outcome;
    EXPECT_GE(colours(picture_of(3, {"--size", "161x90", "--frames", "3", "--tour"}, outcome)), 500u);
    EXPECT_EQ(count(outcome.output, "; 3 frames"), 7) << outcome.output;
    for (const char *codec : {"none ", "lz4 ", "jpeg:95:444 ", "jpeg:90:420 ", "jpeg:50:420 ", "auto ", "auto:90:420 "})
        EXPECT_EQ(count("\n" + outcome.output, std::string("\n") + codec), 1) << codec << outcome.output;
}

/// What is smaller than a message that is worth a codec.
TEST_F(LiveView, OnePixel) {
    Outcome outcome;
    const Picture picture = picture_of(2, {"--size", "1x1", "--frames", "2"}, outcome);
    EXPECT_EQ(picture.width * picture.height, 1);
}

/// On a screen: something is seen, keys change what travels, and closing a window ends all ranks.
TEST_F(LiveView, KeysChangeTheCodec) {
    const wall_test::Xvfb xvfb(640, 480);
    ASSERT_NE(xvfb.display(), "");
    ScreenView screen(xvfb.display());
    ASSERT_TRUE(screen.ready());
    for (const int ranks : {1, 2, 3}) {
        SCOPED_TRACE(std::to_string(ranks) + " ranks");
        const std::string file = scratch_.file("screen.png");
        wall_test::Process program(ranks_command(LIVEVIEW, ranks,
                                                 {"--size", "320x240", "--frames", "1000000", "--output", file},
                                                 {"DISPLAY=" + xvfb.display()}));
        const auto shows = [&](const char *text) {
            return program.wait_until([&] { return screen.title().find(text) != std::string::npos; }, 60);
        };
        const bool seen = program.wait_until([&] { return screen.lit(0, 0, 320, 240) > 320 * 240 * 9 / 10; }, 60);
        const bool begins = seen && shows("jpeg:90:420");
        screen.type('-');
        const bool worse = begins && shows("jpeg:85:420");
        screen.type('s');
        const bool finer = worse && shows("jpeg:85:422");
        screen.type('c');
        const bool automatic = finer && shows("auto:85:422");
        screen.close_window();
        const wall_test::Finished finished = program.finish(60);
        EXPECT_TRUE(seen && begins && worse && finer && automatic)
            << seen << begins << worse << finer << automatic << screen.title() << finished.errors;
        EXPECT_FALSE(finished.timed_out);
        EXPECT_EQ(finished.status, 0) << finished.errors;
        for (const char *codec : {"jpeg:90:420", "jpeg:85:420", "jpeg:85:422", "auto:85:422"})
            EXPECT_EQ(count(finished.output, codec), 1) << codec << finished.output;
        EXPECT_GE(colours(demo::load_png(file)), 500u);
    }
}

TEST_F(LiveView, WrongArguments) {
    Outcome outcome = run(LIVEVIEW, 2, {"--codec", "gif"});
    EXPECT_EQ(outcome.status, 2) << described(outcome);
    EXPECT_EQ(count(outcome.errors, "liveview: --codec: "), 1) << described(outcome);
    outcome = run(LIVEVIEW, 2, {}, {"DISPLAY=:nowhere", "WAYLAND_DISPLAY="});
    EXPECT_NE(outcome.status, 0) << described(outcome);
    EXPECT_NE(outcome.status, 124) << "it hung";
    EXPECT_NE(outcome.errors.find("liveview: rank 1: no window"), std::string::npos) << described(outcome);
}

} // namespace
