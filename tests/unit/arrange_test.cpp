#include "walls.h"

#include <random>

using namespace pixmpi;

namespace {

void expect_fits(const std::vector<Tile> &tiles, const std::vector<Rect> &places, const Rect &size) {
    ASSERT_EQ(places.size(), tiles.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
        EXPECT_EQ(places[i].width, tiles[i].framebuffer_width());
        EXPECT_EQ(places[i].height, tiles[i].framebuffer_height());
        EXPECT_EQ(intersect(places[i], size), places[i]) << "off the screen";
        for (std::size_t j = 0; j < i; ++j)
            EXPECT_TRUE(intersect(places[i], places[j]).empty()) << i << " covers " << j;
    }
}

} // namespace

TEST(Arrange, KeepsTheWallsOwnArrangement) {
    const Wall wall = *read_wall("2x2@100x50+7+9").wall;
    Rect size;
    const auto places = arrange_on_screen(wall.tiles, size);
    expect_fits(wall.tiles, places, size);
    for (std::size_t i = 0; i < places.size(); ++i)
        EXPECT_EQ(places[i], wall.tiles[i].rect);
    EXPECT_EQ(size, (Rect{0, 0, 207, 109}));
}

TEST(Arrange, SomeTilesOfAWallStartAtTheCorner) {
    const Wall wall = *read_wall("2x2@100x50+7+9").wall;
    Rect size;
    const auto places = arrange_on_screen({wall.tiles[1], wall.tiles[3]}, size);
    EXPECT_EQ(places[0], (Rect{0, 0, 100, 50}));
    EXPECT_EQ(places[1], (Rect{0, 59, 100, 50}));
    EXPECT_EQ(size, (Rect{0, 0, 100, 109}));
}

TEST(Arrange, PacksWhatOverlaps) {
    const Wall turned = good_wall("[grid]\ncolumns = 3\nrows = 1\ntile = [50, 100]\nrotation = 90\n");
    Rect size;
    const auto places = arrange_on_screen(turned.tiles, size); // 100 wide each, 50 apart on the wall
    expect_fits(turned.tiles, places, size);
}

TEST(Arrange, PacksWhatIsTooFarApartForAScreen) {
    const Wall wall = *read_wall("3x1@100x50+100000").wall;
    Rect size;
    const auto places = arrange_on_screen(wall.tiles, size);
    expect_fits(wall.tiles, places, size);
    EXPECT_LE(size.width, 300);
}

TEST(Arrange, NothingNeedsNoScreen) {
    Rect size{1, 2, 3, 4};
    EXPECT_TRUE(arrange_on_screen({}, size).empty());
    EXPECT_TRUE(size.empty());
    const Wall uncut = *read_wall("2x2").wall;
    EXPECT_EQ(arrange_on_screen(uncut.tiles, size).size(), 4u);
}

TEST(Arrange, NeverOverlapsWhateverTheTiles) {
    for (unsigned seed = 1; seed <= 200; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937 random(seed);
        const auto below = [&](int n) { return static_cast<int>(random() % n); };
        std::vector<Tile> tiles(1 + below(12));
        for (Tile &tile : tiles) {
            tile.rect = {below(600) - 300, below(600), 1 + below(200), 1 + below(200)};
            tile.rotation = 90 * below(4);
        }
        Rect size;
        const auto places = arrange_on_screen(tiles, size);
        expect_fits(tiles, places, size);
    }
}
