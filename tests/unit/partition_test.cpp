// What each rank renders on a wall that shares out its work: wherever the cuts are, each pixel of the wall has one
// rank.
#include "wall/load.h"
#include "wall/partition.h"

#include <gtest/gtest.h>

#include <random>

using namespace pixmpi;

namespace {

Wall wall_of(const char *spec, int helpers = 0) {
    Wall wall = read_wall(spec).wall.value();
    add_helpers(wall, helpers);
    return wall.cut(101, 67);
}

void expect_partition(const Wall &wall, const std::vector<Rect> &rects) {
    std::vector<int> times(static_cast<std::size_t>(wall.width) * wall.height);
    for (const Rect &rect : rects)
        for (int y = rect.y; y < rect.bottom(); ++y)
            for (int x = rect.x; x < rect.right(); ++x)
                ++times.at(static_cast<std::size_t>(y) * wall.width + x);
    EXPECT_EQ(std::count(times.begin(), times.end(), 1), static_cast<long>(times.size()));
}

} // namespace

TEST(Partition, GivesEachPixelToOneRankWhereverTheCutsAre) {
    std::mt19937 random(20);
    for (const auto &[spec, helpers] : {std::pair{"2x2", 0},
                                        {"3x1", 2},
                                        {"1x1", 1},
                                        {"2x1", 7},
                                        {"3x3@20x10+5+3", 1},
                                        {"1x3@40x1", 0},
                                        {"4x1@1x5", 3}}) {
        const Wall wall = wall_of(spec, helpers);
        const auto partition = Partition::of(wall);
        ASSERT_TRUE(partition) << spec;
        std::uniform_int_distribution<int> anywhere(-10, std::max(wall.width, wall.height) + 10);
        for (int round = 0; round < 200; ++round) {
            std::vector<int> cuts(partition->cuts());
            std::generate(cuts.begin(), cuts.end(), [&] { return anywhere(random); });
            expect_partition(wall, partition->rects(cuts, round % 12));
        }
    }
}

TEST(Partition, PassesThroughEveryRow) {
    const Wall wall = wall_of("1x2");
    const auto partition = Partition::of(wall);
    for (int y = 0; y <= wall.height; ++y) {
        const std::vector<int> cut{y};
        expect_partition(wall, partition->rects(cut));
        EXPECT_EQ(partition->rects(cut)[0].height, std::clamp(y, 1, wall.height - 1));
    }
}

TEST(Partition, IsTheTilesAtHome) {
    for (const char *spec : {"2x2", "3x1", "1x4", "5x3"}) {
        const Wall wall = wall_of(spec);
        const auto partition = Partition::of(wall);
        ASSERT_TRUE(partition);
        const std::vector<Rect> rects = partition->rects(partition->home());
        for (const Tile &tile : wall.tiles)
            EXPECT_EQ(rects[tile.rank], tile.rect) << spec << " " << tile.rank;
    }
}

TEST(Partition, LeavesEachRankSomething) {
    const Wall wall = wall_of("2x1", 3);
    const auto partition = Partition::of(wall);
    for (const Rect &rect : partition->rects(partition->home(), 4))
        EXPECT_GE(std::min(rect.width, rect.height), 4);
}

TEST(Partition, IsNotForTilesThatOverlapOrForOneRank) {
    Wall wall = wall_of("2x1");
    wall.tiles[1].rect.x -= 3;
    EXPECT_FALSE(Partition::of(wall));
    EXPECT_FALSE(Partition::of(wall_of("1x1")));
}

TEST(Partition, GivesTheDeadNothing) {
    const Wall wall = wall_of("2x2", 2);
    for (const std::vector<int> &dead : {std::vector{4}, {1}, {0, 5}, {0, 1, 2}, {1, 2, 3, 4}}) {
        const auto partition = Partition::of(wall, dead);
        ASSERT_TRUE(partition) << testing::PrintToString(dead);
        const auto rects = partition->rects(partition->even([](const Rect &r) { return double(r.width) * r.height; }));
        ASSERT_EQ(rects.size(), wall.tiles.size());
        int pixels = 0;
        for (std::size_t rank = 0; rank < rects.size(); ++rank) {
            const bool lives = std::find(dead.begin(), dead.end(), static_cast<int>(rank)) == dead.end();
            EXPECT_EQ(!rects[rank].empty(), lives) << rank << " of " << testing::PrintToString(dead);
            pixels += rects[rank].width * rects[rank].height;
        }
        EXPECT_EQ(pixels, wall.width * wall.height);
    }
    EXPECT_FALSE(Partition::of(wall, std::vector{1, 2, 3, 4, 5})) << "one rank is left";
    EXPECT_FALSE(Partition::of(wall, std::vector{0, 1, 2, 3})) << "no tile is left";
}

TEST(Partition, CutsTheWorkEvenly) {
    const Wall wall = wall_of("2x2", 1);
    const auto partition = Partition::of(wall);
    Load load(wall.width, wall.height);
    const std::vector<Rect> where{{0, 0, 30, 67}, {30, 0, 71, 67}};
    load.learn(where, std::vector<double>{100, 10});
    const auto work = [&](const Rect &rect) { return load.of(rect); };
    for (const Rect &rect : partition->rects(partition->even(work)))
        EXPECT_NEAR(load.of(rect), 22, 6);
}

TEST(Partition, CutsBetweenEvenPixels) {
    const Wall wall = wall_of("2x2", 1); // home is at x = 51
    const auto partition = Partition::of(wall);
    Load load(wall.width, wall.height);
    const std::vector<Rect> where{{0, 0, 30, 67}, {30, 0, 71, 67}};
    for (int more = 0; more < 20; ++more) {
        load.learn(where, std::vector<double>{100.0 + 10 * more, 10});
        const auto cuts = partition->even([&](const Rect &rect) { return load.of(rect); }, 8);
        for (std::size_t i = 0; i < cuts.size(); ++i)
            EXPECT_TRUE(cuts[i] % 2 == 0 || cuts[i] == partition->home()[i]) << cuts[i];
    }
}

TEST(Load, LearnsWhereTheWorkIs) {
    Load load(200, 100);
    const std::vector<Rect> halves{{0, 0, 100, 100}, {100, 0, 100, 100}}, quarters{{0, 0, 50, 100}, {50, 0, 150, 100}};
    load.learn(halves, std::vector<double>{40, 4});
    EXPECT_NEAR(load.of({0, 0, 50, 100}), 20, 0.5);
    for (int i = 0; i < 10; ++i)
        load.learn(quarters, std::vector<double>{4, 40});
    EXPECT_NEAR(load.of(quarters[0]), 4, 0.5);
    EXPECT_NEAR(load.of(quarters[1]), 40, 0.5);
    EXPECT_EQ(load.of({500, 0, 10, 10}), 0);
}
