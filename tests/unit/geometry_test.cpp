#include "walls.h"

using namespace pixmpi;

TEST(Geometry, IntersectFindsTheCommonPart) {
    EXPECT_EQ(intersect({0, 0, 10, 10}, {5, 6, 10, 10}), (Rect{5, 6, 5, 4}));
    EXPECT_EQ(intersect({-5, -5, 100, 100}, {1, 2, 3, 4}), (Rect{1, 2, 3, 4}));
    EXPECT_TRUE(intersect({0, 0, 10, 10}, {10, 0, 10, 10}).empty()) << "touching is no overlap";
    EXPECT_TRUE(intersect({0, 0, 10, 10}, {50, 50, 10, 10}).empty());
    EXPECT_TRUE(intersect({0, 0, 10, 10}, {5, 5, 0, 3}).empty());
    const Rect apart = intersect({0, 0, 10, 10}, {50, 2, 10, 10});
    EXPECT_EQ(apart.width, 0);
    EXPECT_EQ(apart.height, 0);
}

TEST(Geometry, UniteIsTheBoxAroundBoth) {
    EXPECT_EQ(unite({0, 0, 10, 10}, {20, -5, 5, 5}), (Rect{0, -5, 25, 15}));
    EXPECT_EQ(unite({3, 4, 0, 9}, {20, -5, 5, 5}), (Rect{20, -5, 5, 5}));
    EXPECT_EQ(unite({20, -5, 5, 5}, {3, 4, 9, 0}), (Rect{20, -5, 5, 5}));
    EXPECT_TRUE(unite({1, 1, 0, 0}, {2, 2, 0, 0}).empty());
}

TEST(Geometry, CutSharesAWindowWithoutGapOrOverlap) {
    for (const char *spec : {"1x1", "3x2", "7x5", "64x64"})
        for (const auto &[width, height] : {std::pair{640, 480}, {641, 479}, {64, 64}, {3, 5}, {1, 1}}) {
            const Wall wall = read_wall(spec).wall->cut(width, height);
            EXPECT_EQ(wall.width, width);
            EXPECT_EQ(wall.height, height);
            std::vector<int> owners(static_cast<std::size_t>(width) * height);
            for (const Tile &tile : wall.tiles)
                for (int y = tile.rect.y; y < tile.rect.bottom(); ++y)
                    for (int x = tile.rect.x; x < tile.rect.right(); ++x)
                        ++owners.at(static_cast<std::size_t>(y) * width + x);
            EXPECT_EQ(owners, std::vector<int>(owners.size(), 1)) << spec << " over " << width << "x" << height;
        }
}

TEST(Geometry, CutColumnsStartWhereTheContractSays) {
    const Wall wall = read_wall("3x1").wall->cut(100, 50);
    EXPECT_EQ(wall.tiles[0].rect, (Rect{0, 0, 32, 50}));
    EXPECT_EQ(wall.tiles[1].rect, (Rect{32, 0, 34, 50}));
    EXPECT_EQ(wall.tiles[2].rect, (Rect{66, 0, 34, 50}));
    EXPECT_EQ(read_wall("1x4").wall->cut(10, 9).tiles[2].rect, (Rect{0, 4, 10, 2}));
    EXPECT_EQ(read_wall("1x4").wall->cut(10, 7).tiles[2].rect, (Rect{0, 3, 10, 2})) << "too small for pairs of pixels";
}

TEST(Geometry, CutCanBeRepeatedAndLeavesOtherWallsAlone) {
    const Wall wall = *read_wall("2x2").wall;
    expect_same(wall.cut(100, 100).cut(640, 480), wall.cut(640, 480));
    const Wall fixed = *read_wall("2x2@100x50+5").wall;
    expect_same(fixed.cut(640, 480), fixed);
    EXPECT_EQ(wall.cut(-3, -1).width, 0);
    EXPECT_EQ(wall.cut(1 << 30, 1 << 30).tiles[3].rect.right(), 1 << 30) << "no overflow";
}

TEST(Geometry, RotationTurnsClockwise) {
    Tile tile;
    tile.rect = {0, 0, 40, 30}; // as the viewer sees it
    const auto at = [&](int rotation, int fx, int fy) {
        tile.rotation = rotation;
        int x = -1, y = -1;
        from_framebuffer(tile, fx, fy, x, y);
        return std::pair{x, y};
    };
    // The framebuffer's top left corner goes round the tile's corners clockwise, and its top row follows.
    EXPECT_EQ(at(0, 0, 0), std::pair(0, 0));
    EXPECT_EQ(at(90, 0, 0), std::pair(39, 0));
    EXPECT_EQ(at(180, 0, 0), std::pair(39, 29));
    EXPECT_EQ(at(270, 0, 0), std::pair(0, 29));
    EXPECT_EQ(at(0, 7, 0), std::pair(7, 0));
    EXPECT_EQ(at(90, 7, 0), std::pair(39, 7));
    EXPECT_EQ(at(180, 7, 0), std::pair(32, 29));
    EXPECT_EQ(at(270, 7, 0), std::pair(0, 22));
}

class Rotation : public testing::TestWithParam<int> {};

TEST_P(Rotation, EveryPixelHasOnePlaceInTheFramebufferAndBack) {
    Tile tile;
    tile.rect = {500, 700, 13, 7}; // the rectangle's place does not matter
    tile.rotation = GetParam();
    std::vector<int> hits(13 * 7);
    for (int y = 0; y < 7; ++y)
        for (int x = 0; x < 13; ++x) {
            int fx = -1, fy = -1, back_x = -1, back_y = -1;
            to_framebuffer(tile, x, y, fx, fy);
            ASSERT_TRUE(fx >= 0 && fx < tile.framebuffer_width() && fy >= 0 && fy < tile.framebuffer_height());
            ++hits[fy * tile.framebuffer_width() + fx];
            from_framebuffer(tile, fx, fy, back_x, back_y);
            EXPECT_EQ(std::pair(back_x, back_y), std::pair(x, y));
        }
    EXPECT_EQ(hits, std::vector<int>(hits.size(), 1));
}

INSTANTIATE_TEST_SUITE_P(Geometry, Rotation, testing::Values(0, 90, 180, 270));

TEST(Geometry, FramebufferExchangesSidesWhenTurned) {
    Tile tile;
    tile.rect = {0, 0, 1920, 1080};
    for (const auto &[rotation, width] : {std::pair{0, 1920}, {90, 1080}, {180, 1920}, {270, 1080}}) {
        tile.rotation = rotation;
        EXPECT_EQ(tile.framebuffer_width(), width);
        EXPECT_EQ(tile.framebuffer_height(), 3000 - width);
    }
}
