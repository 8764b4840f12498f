#include "walls.h"

using namespace pixmpi;

TEST(WallSpec, ColumnsByRowsCutsTheWindow) {
    const WallResult result = read_wall("3x2");
    ASSERT_TRUE(result.wall) << joined(result.errors);
    expect_sound(result);
    EXPECT_TRUE(result.wall->from_window);
    EXPECT_EQ(result.wall->columns, 3);
    EXPECT_EQ(result.wall->rows, 2);
    ASSERT_EQ(result.wall->tiles.size(), 6u);
    const Tile &tile = result.wall->tiles[4]; // row by row
    EXPECT_EQ(tile.column, 1);
    EXPECT_EQ(tile.row, 1);
    EXPECT_EQ(tile.name, "(1,1)");
}

TEST(WallSpec, TheIssuesExample) {
    const WallResult result = read_wall("5x4@1680x1050+150+150");
    ASSERT_TRUE(result.wall) << joined(result.errors);
    expect_sound(result);
    EXPECT_FALSE(result.wall->from_window);
    EXPECT_EQ(result.wall->width, 5 * 1680 + 4 * 150);
    EXPECT_EQ(result.wall->height, 4 * 1050 + 3 * 150);
    EXPECT_EQ(result.wall->tiles[6].rect, (Rect{1830, 1200, 1680, 1050}));
    EXPECT_EQ(result.wall->mm_width, 0) << "a spec knows no millimetres";
}

TEST(WallSpec, BezelsMayBeLeftOut) {
    EXPECT_EQ(read_wall("2x2@100x50").wall->width, 200);
    EXPECT_EQ(read_wall("2x2@100x50+8").wall->width, 208);
    EXPECT_EQ(read_wall("2x2@100x50+8").wall->height, 108) << "one bezel counts for both axes";
    EXPECT_EQ(read_wall("2x2@100x50+8+0").wall->height, 100);
}

TEST(WallSpec, LimitsAreWithinReach) {
    expect_sound(read_wall("64x64@16384x16384"));
    EXPECT_TRUE(read_wall("64x64@16384x16384").wall);
    EXPECT_TRUE(read_wall("4096x1").wall);
    EXPECT_TRUE(read_wall("1x1@1048576x1048576").wall);
}

class BadSpec : public testing::TestWithParam<const char *> {};

TEST_P(BadSpec, GetsOneErrorThatQuotesIt) {
    const WallResult result = read_wall(GetParam());
    expect_sound(result);
    ASSERT_EQ(result.errors.size(), 1u);
    EXPECT_NE(result.errors[0].find("expected"), std::string::npos) << result.errors[0];
    EXPECT_NE(result.errors[0].find("wall \""), std::string::npos) << result.errors[0];
}

INSTANTIATE_TEST_SUITE_P(WallSpec, BadSpec,
                         testing::Values("", "x", "2", "2x", "x2", "0x1", "1x0", "-1x1", "1x-1", "2x2 ", " 2x2", "2X2",
                                         "2*2", "2x2@", "2x2@100", "2x2@100x", "2x2@0x5", "2x2@5x5+", "2x2@5x5+1+",
                                         "2x2@5x5-1", "2x2@5x5+-1", "2x2@5x5+1+2+3", "2x2+5", "2x2@5.5x5", "1e9x1",
                                         "1000000000x1", "99999999999999999999999x1", "65x64@1x1", "1x1@1048577x1",
                                         "2x1@1048576x1", "2x1@1x1+1048576", "0x", "2x2\n", "nan", "two by two"));

TEST(WallSpec, ErrorsNameTheArgumentAndWhatWasExpected) {
    EXPECT_EQ(joined(read_wall("2x0").errors), "wall \"2x0\": rows: expected 1 to 4096, not \"0\"\n");
    EXPECT_EQ(joined(read_wall("2by2").errors), "wall \"2by2\": columns: expected \"x\" after it, not \"by2\"\n");
    EXPECT_EQ(joined(read_wall("wall").errors), "wall \"wall\": expected CxR, CxR@WxH[+BX[+BY]] or a .toml file\n");
}
