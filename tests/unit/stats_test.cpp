// The statistics: sums there and back, quantiles, and the file.

#include "run/stats.h"
#include "scratch_file.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using mpiglut::RunStats;
using mpiglut::TileTimes;
using nlohmann::json;

namespace {

pixmpi::Wall two_tiles() {
    pixmpi::Wall wall;
    wall.width = 210;
    wall.height = 100;
    wall.columns = 2;
    wall.rows = 1;
    for (int i = 0; i < 2; ++i) {
        pixmpi::Tile &tile = wall.tiles.emplace_back();
        tile.rank = i;
        tile.name = "(" + std::to_string(i) + ",0)";
        tile.rect = {110 * i, 0, 100, 100};
    }
    return wall;
}

json write(const RunStats &stats, std::span<const TileTimes> times) {
    const ScratchFile file(".json");
    const std::string hosts[] = {"here", "th\xffre"};
    std::string error;
    EXPECT_TRUE(stats.write(file.path(), two_tiles(), times, hosts, "step:60", "barrier", error)) << error;
    return json::parse(file.text());
}

} // namespace

TEST(Stats, TimesGoThereAndBack) {
    const TileTimes times{1, 2, 3, -4, 5, 6, 7, 8, std::int64_t{1} << 62, 9, 10, 11};
    TileTimes back;
    ASSERT_TRUE(unpack(pack(times), back));
    EXPECT_EQ(back, times);
    auto bytes = pack(times);
    EXPECT_FALSE(unpack({bytes.data(), bytes.size() - 1}, back));
    bytes.push_back({});
    EXPECT_FALSE(unpack(bytes, back));
    EXPECT_FALSE(mpiglut::unpack({}, back));
}

TEST(Stats, SkewIsLastMinusFirst) {
    RunStats stats(3);
    for (std::int64_t i = 1; i <= 100; ++i) {
        const std::int64_t base = 1'000'000'000'000 * i, times[] = {base + 1000 * i, base, base + 500 * i};
        stats.add_swaps(times);
    }
    EXPECT_DOUBLE_EQ(stats.skew_us(0.5), 50);
    EXPECT_DOUBLE_EQ(stats.skew_us(0.99), 99);
    EXPECT_DOUBLE_EQ(stats.skew_us(1), 100);
    EXPECT_DOUBLE_EQ(stats.tile_skew_us(0, 0.5), 50);
    EXPECT_DOUBLE_EQ(stats.tile_skew_us(1, 0.99), 0);
    EXPECT_DOUBLE_EQ(stats.tile_skew_us(2, 0.5), 25);
    EXPECT_DOUBLE_EQ(stats.tile_skew_us(3, 0.5), 0);
    EXPECT_DOUBLE_EQ(RunStats(2).skew_us(0.5), 0);
}

TEST(Stats, OfALongRunEverySoManythFrameIsKept) {
    RunStats stats(2);
    for (std::int64_t i = 0; i < 300'000; ++i) {
        const std::int64_t times[] = {0, 1000 * (i % 1000)};
        stats.add_swaps(times);
    }
    EXPECT_NEAR(stats.skew_us(0.5), 500, 10);
    EXPECT_NEAR(stats.skew_us(0.99), 990, 10);
    EXPECT_NEAR(stats.tile_skew_us(1, 0.5), 500, 10);
}

TEST(Stats, TheFileSaysItAll) {
    RunStats stats(2);
    const std::int64_t swaps[] = {5'000, 2'000};
    stats.add_swaps(swaps);
    stats.add_divergence(17, 1, "timers (2 times on rank 0, 3 here)");
    stats.add_divergence(18, 0, "frames");
    TileTimes times[2];
    times[0].frames = 101;
    times[0].first_frame_ns = 1'000'000'000;
    times[0].last_frame_ns = 3'000'000'000;
    times[0].draw_ns = 404'000'000;
    times[0].swap_wait_ns = 101'000'000;
    times[0].tick_ns = 202'000'000;
    times[0].cpu_ns = 1'000'000'000;
    const json run = write(stats, times);
    EXPECT_EQ(run["clock"], "step:60");
    EXPECT_EQ(run["swap"], "barrier");
    EXPECT_EQ(run["frames"], 101);
    EXPECT_EQ(run["fps"], 50.0);
    EXPECT_EQ(run["divergences"], 2);
    EXPECT_EQ(run["first_divergence"]["frame"], 17);
    EXPECT_EQ(run["first_divergence"]["tile"], "(1,0)");
    EXPECT_EQ(run["first_divergence"]["what"], "timers (2 times on rank 0, 3 here)");
    EXPECT_EQ(run["skew_us"]["p99"], 3.0);
    EXPECT_EQ(run["wall"]["width"], 210);
    ASSERT_EQ(run["tiles"].size(), 2u);
    EXPECT_EQ(run["tiles"][0]["tile"], "(0,0)");
    EXPECT_EQ(run["tiles"][0]["host"], "here");
    EXPECT_EQ(run["tiles"][0]["draw_ms"], 4.0);
    EXPECT_EQ(run["tiles"][0]["swap_wait_ms"], 1.0);
    EXPECT_EQ(run["tiles"][0]["tick_ms"], 2.0);
    EXPECT_EQ(run["tiles"][0]["cpu_percent"], 50.0);
    EXPECT_EQ(run["tiles"][0]["skew_us"]["p50"], 3.0);
    EXPECT_EQ(run["tiles"][1]["rank"], 1);
    EXPECT_FALSE(run.contains("latency"));
}

TEST(Stats, SayHowManyFramesWereLate) {
    RunStats stats(2);
    stats.allow_latency(1);
    TileTimes times[2];
    times[0].late_frames = 98;
    EXPECT_EQ(write(stats, times)["latency"], json({{"frames", 1}, {"late_frames", 98}}));
}

TEST(Stats, OfAProgramThatNeverDrewAreZero) {
    const TileTimes times[2];
    const json run = write(RunStats(2), times);
    EXPECT_EQ(run["fps"], 0.0);
    EXPECT_TRUE(run["first_divergence"].is_null());
    EXPECT_EQ(run["tiles"][1]["draw_ms"], 0.0);
}

TEST(Stats, AFileThatCannotBeWrittenIsNamed) {
    std::string error;
    EXPECT_FALSE(RunStats(2).write("/nowhere/at/all.json", two_tiles(), {}, {}, "off", "", error));
    EXPECT_NE(error.find("/nowhere/at/all.json: cannot be written"), std::string::npos) << error;
}
