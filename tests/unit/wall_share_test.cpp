// The wall's box is dealt out to the tiles: each keeps its own, gaps are halved, nothing is dealt twice.
#include "walls.h"

#include <random>

using namespace pixmpi;

namespace {

/// How often each pixel of the wall is in some tile's share.
std::vector<int> dealt(const Wall &wall) {
    std::vector<int> times(static_cast<std::size_t>(wall.width) * wall.height);
    for (const Tile &tile : wall.tiles)
        for (int y = tile.share.y; y < tile.share.bottom(); ++y)
            for (int x = tile.share.x; x < tile.share.right(); ++x)
                ++times.at(static_cast<std::size_t>(y) * wall.width + x);
    return times;
}

long pixels_dealt(const Wall &wall, int often) {
    const std::vector<int> times = dealt(wall);
    return std::count(times.begin(), times.end(), often);
}

void expect_all_dealt_once(const Wall &wall) {
    EXPECT_EQ(pixels_dealt(wall, 1), static_cast<long>(wall.width) * wall.height);
}

} // namespace

TEST(Share, HalvesBezels) {
    const Wall wall = *read_wall("3x2@40x30+7+4").wall;
    expect_all_dealt_once(wall);
    EXPECT_EQ(wall.tiles[0].share, (Rect{0, 0, 43, 32}));
    EXPECT_EQ(wall.tiles[1].share, (Rect{43, 0, 47, 32}));
    EXPECT_EQ(wall.tiles[5].share, (Rect{90, 32, 44, 32}));
}

TEST(Share, IsTheTileWhereThereAreNoGaps) {
    for (const char *spec : {"2x2@40x30", "1x1@40x30+5+5", "3x2"}) {
        const Wall wall = read_wall(spec).wall->cut(100, 71);
        for (const Tile &tile : wall.tiles)
            EXPECT_EQ(tile.share, tile.rect) << spec;
    }
}

TEST(Share, FillsHolesAndUnevenEdges) {
    std::string grid = "[grid]\ncolumns = 3\nrows = 3\ntile = [20, 10]\nbezel = 3\n";
    expect_all_dealt_once(good_wall(grid + "[[tile]]\ncolumn = 1\nrow = 1\nenabled = false\n"));
    expect_all_dealt_once(good_wall(grid + "[[tile]]\ncolumn = 0\nrow = 2\nenabled = false\n"));
    expect_all_dealt_once(good_wall("[[tile]]\nposition = [0, 0]\nsize = [10, 10]\n"
                                    "[[tile]]\nposition = [20, 30]\nsize = [10, 10]\n"));
}

TEST(Share, CutsOverlaps) {
    const Wall projectors = good_wall("[grid]\ncolumns = 2\nrows = 1\ntile = [50, 20]\nbezel = -10\n");
    expect_all_dealt_once(projectors);
    EXPECT_EQ(projectors.tiles[0].share, (Rect{0, 0, 45, 20}));
    const Wall uneven = good_wall("[[tile]]\nposition = [0, 0]\nsize = [150, 130]\n"
                                  "[[tile]]\nposition = [160, 0]\nsize = [261, 131]\n"
                                  "[[tile]]\nposition = [0, 120]\nsize = [200, 203]\n"
                                  "[[tile]]\nposition = [195, 140]\nsize = [226, 183]\n");
    EXPECT_EQ(uneven.tiles[0].share, (Rect{0, 0, 155, 128}));
    EXPECT_EQ(uneven.tiles[3].share, (Rect{197, 131, 224, 192})); // up to the tile above, which it does not overlap
}

TEST(Share, OfTilesOnTheSameSpotIsTheSame) {
    const Wall wall = good_wall("[[tile]]\nposition = [0, 0]\nsize = [10, 10]\n"
                                "[[tile]]\nposition = [0, 0]\nsize = [10, 10]\n"
                                "[[tile]]\nposition = [14, 0]\nsize = [10, 10]\n");
    EXPECT_EQ(wall.tiles[0].share, (Rect{0, 0, 12, 10}));
    EXPECT_EQ(wall.tiles[1].share, wall.tiles[0].share);
    EXPECT_EQ(wall.tiles[2].share, (Rect{12, 0, 12, 10}));
}

TEST(Share, NeverOverlapsWhereTilesDoNot) {
    std::mt19937 random(5);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    for (int round = 0; round < 200; ++round) {
        std::vector<Rect> rects;
        std::string text;
        for (int tries = 0; tries < 30; ++tries) {
            const Rect r{below(100), below(100), 1 + below(40), 1 + below(40)};
            if (std::any_of(rects.begin(), rects.end(), [&](const Rect &o) { return !intersect(o, r).empty(); }))
                continue;
            rects.push_back(r);
            text += "[[tile]]\nposition = [" + std::to_string(r.x) + ", " + std::to_string(r.y) + "]\nsize = [" +
                    std::to_string(r.width) + ", " + std::to_string(r.height) + "]\n";
        }
        const Wall wall = good_wall(text);
        for (const Tile &tile : wall.tiles) {
            ASSERT_EQ(unite(tile.share, tile.rect), tile.share) << text;
            ASSERT_EQ(intersect(tile.share, {0, 0, wall.width, wall.height}), tile.share) << text;
        }
        ASSERT_EQ(pixels_dealt(wall, 0) + pixels_dealt(wall, 1), static_cast<long>(wall.width) * wall.height) << text;
    }
}
