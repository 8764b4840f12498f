// The choice by speed.
#include "codec/choose.h"
#include "codec/ledger.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace pixmpi;

namespace {

constexpr double mega = 1e6, giga = 1e9;
constexpr CodecChoice lz4{CodecKind::lz4}, jpeg{CodecKind::jpeg, 90, Subsampling::s420, Alpha::opaque};
constexpr CodecChoice jpeg_without_alpha{CodecKind::jpeg};

/// About what one core does with rendered frames.
const CodecSpeed codecs[] = {{lz4, 1.5 * giga, 2.5 * giga, 3, 20e-6}, {jpeg, 0.8 * giga, 1.2 * giga, 30, 50e-6}};

CodecQuery frame(bool may_lose, pixMPI_Format format = PIXMPI_RGBA8) {
    return {1920 * 1080 * 4, 1 << 20, format, may_lose};
}

LinkSpeed link(double bits_per_second) { return {bits_per_second / 8, 50e-6}; }

} // namespace

TEST(codec_choose, the_slower_the_link_the_more_it_pays) {
    EXPECT_EQ(choose(link(100 * mega), codecs, frame(true)), jpeg);
    EXPECT_EQ(choose(link(giga), codecs, frame(true)), jpeg);
    EXPECT_EQ(choose(link(giga), codecs, frame(false)), lz4);
    EXPECT_EQ(choose(link(4 * giga), codecs, frame(true)), lz4) << "the slower codec is slower than the link";
}

TEST(codec_choose, a_fast_link_needs_none) {
    for (const bool may_lose : {false, true}) {
        EXPECT_EQ(choose({10 * giga, 1e-6}, codecs, frame(may_lose)), CodecChoice{});
        EXPECT_EQ(choose({200 * giga, 1e-6}, codecs, frame(may_lose)), CodecChoice{});
    }
}

TEST(codec_choose, nothing_is_lost_without_leave) {
    for (double rate = 1000; rate < 1e12; rate *= 3)
        for (const std::uint64_t bytes : {1, 1000, 1000000, 100000000})
            EXPECT_NE(choose({rate, 0}, codecs, {bytes, 0, PIXMPI_RGBA8, false}).kind, CodecKind::jpeg);
}

TEST(codec_choose, formats_that_jpeg_does_not_take_go_without) {
    EXPECT_EQ(choose(link(100 * mega), codecs, frame(true, PIXMPI_DEPTH32F)), lz4);
    EXPECT_EQ(choose(link(100 * mega), codecs, frame(true, PIXMPI_RGBA16F)), lz4);
    const CodecSpeed refuses_alpha[] = {{jpeg_without_alpha, giga, giga, 30, 0}};
    EXPECT_EQ(choose(link(100 * mega), refuses_alpha, frame(true, PIXMPI_RGBA8)), CodecChoice{});
    EXPECT_EQ(choose(link(100 * mega), refuses_alpha, frame(true, PIXMPI_RGB8)), jpeg_without_alpha);
}

TEST(codec_choose, little_messages_go_as_they_are) {
    EXPECT_EQ(choose(link(giga), codecs, {64, 0, PIXMPI_RGBA8, true}), CodecChoice{});
    EXPECT_EQ(choose(link(giga), codecs, {0, 0, PIXMPI_RGBA8, true}), CodecChoice{});
}

TEST(codec_choose, what_gets_no_smaller_goes_as_it_is) {
    const CodecSpeed noise[] = {{lz4, 20 * giga, 20 * giga, 1, 0}, {jpeg, giga, giga, 0.5, 0}};
    EXPECT_EQ(choose(link(giga), noise, frame(true)), CodecChoice{});
}

TEST(codec_choose, rates_that_were_not_measured_are_not_chosen) {
    const CodecSpeed unknown[] = {
        {lz4, 0, giga, 3, 0}, {lz4, giga, 0, 3, 0}, {lz4, giga, giga, 0, 0}, {lz4, NAN, giga, 3, 0}};
    EXPECT_EQ(choose(link(100 * mega), unknown, frame(true)), CodecChoice{});
    EXPECT_EQ(choose(link(giga), {}, frame(true)), CodecChoice{});
}

TEST(codec_choose, bands_overlap) {
    // 10 bands of 1 MB: one goes through all three steps, the others come as fast as the slowest step.
    const CodecSpeed codec{lz4, 1 * giga, 2 * giga, 4, 0};
    const CodecQuery message{10000000, 1000000, PIXMPI_R8, false};
    EXPECT_NEAR(seconds_with({0.1 * giga, 0.5}, codec, message), 0.5 + 1e-3 + 2.5e-3 + 0.5e-3 + 9 * 2.5e-3, 1e-9);
    EXPECT_NEAR(seconds_with({giga, 0}, codec, message), 1e-3 + 0.25e-3 + 0.5e-3 + 9 * 1e-3, 1e-9);
    EXPECT_NEAR(seconds_with({giga, 0.5}, {}, message), 0.51, 1e-9);
    const CodecSpeed slow{lz4, giga, giga, 4, 1e-3};
    EXPECT_NEAR(seconds_with({giga, 0}, slow, message), 2e-3 + 0.25e-3 + 2e-3 + 9 * 2e-3, 1e-9);
}

namespace {

constexpr std::uint64_t frame_bytes = 1920 * 1080 * 4;
constexpr CodecWish lossless{jpeg, true, false}, lossy{jpeg, true, true};

/// What a message by `choice` would tell.
void tell(CodecLedger &ledger, const CodecChoice &choice, pixMPI_Format format = PIXMPI_RGBA8) {
    for (const CodecSpeed &codec : codecs)
        if (codec.choice == choice)
            ledger.encoded(choice, format, frame_bytes, static_cast<std::uint64_t>(frame_bytes / codec.ratio),
                           frame_bytes / codec.encode);
}

/// On a link of so many bytes a second.
CodecLedger taught(double rate) {
    CodecLedger ledger;
    EXPECT_EQ(ledger.choose(lossy, frame(true)), CodecChoice{}) << "nothing is known";
    ledger.link_carried(frame_bytes, frame_bytes / rate);
    for (const CodecChoice &expected : {lz4, jpeg}) {
        EXPECT_EQ(ledger.choose(lossy, frame(true)), expected) << "each is tried once";
        tell(ledger, expected);
    }
    return ledger;
}

} // namespace

TEST(codec_ledger, takes_the_soonest_once_all_are_known) {
    CodecLedger slow = taught(0.1 * giga), fast = taught(10 * giga);
    EXPECT_EQ(slow.choose(lossy, frame(true)), jpeg);
    EXPECT_EQ(slow.choose(lossless, frame(false)), lz4);
    EXPECT_EQ(fast.choose(lossy, frame(true)), CodecChoice{});
    EXPECT_EQ(slow.choose(lossy, frame(true, PIXMPI_DEPTH32F)), lz4) << "tried for each format, and JPEG takes none";
}

TEST(codec_ledger, nothing_is_lost_without_leave) {
    CodecLedger ledger = taught(0.01 * giga);
    for (int i = 0; i < 1000; ++i)
        EXPECT_NE(ledger.choose(lossless, frame(true)).kind, CodecKind::jpeg);
}

TEST(codec_ledger, what_was_not_taken_is_tried_again) {
    CodecLedger ledger = taught(0.3 * giga);
    CodecChoice best = ledger.choose(lossy, frame(true));
    int others = 0;
    for (int i = 0; i < 200; ++i)
        others += !(ledger.choose(lossy, frame(true)) == best);
    EXPECT_GE(others, 2);
    EXPECT_LE(others, 8);
}

TEST(codec_ledger, follows_what_pixels_become) {
    CodecLedger ledger = taught(0.1 * giga);
    EXPECT_EQ(ledger.choose(lossless, frame(false)), lz4);
    for (int i = 0; i < 10; ++i)
        ledger.encoded(lz4, PIXMPI_RGBA8, frame_bytes, frame_bytes, frame_bytes / (0.2 * giga));
    EXPECT_EQ(ledger.choose(lossless, frame(false)), CodecChoice{}) << "noise";
}

TEST(codec_ledger, an_idle_link_is_not_a_slow_one) {
    CodecLedger ledger = taught(10 * giga);
    ledger.link_carried(frame_bytes / 30, 1); // of a message that was long in coming
    EXPECT_EQ(ledger.choose(lossy, frame(true)), CodecChoice{});
    ledger.link_carried(0, 0);
    EXPECT_EQ(ledger.choose(lossy, frame(true)), CodecChoice{});
}
