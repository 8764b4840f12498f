#include "walls.h"

#include <cstdio>
#include <fstream>

#include <sys/stat.h>
#include <unistd.h>

using namespace pixmpi;

TEST(WallFile, GridInPixels) {
    const Wall wall = good_wall("[grid]\ncolumns = 2\nrows = 2\ntile = [100, 50]\nbezel = [10, 20]\n");
    EXPECT_EQ(wall.width, 210);
    EXPECT_EQ(wall.height, 120);
    EXPECT_EQ(wall.tiles[3].rect, (Rect{110, 70, 100, 50}));
    EXPECT_EQ(wall.mm_width, 0);
    EXPECT_FALSE(wall.from_window);
}

TEST(WallFile, WholeNumbersMayHaveAPoint) {
    const Wall wall = good_wall("[grid]\ncolumns = 2.0\nrows = 2\ntile = [100.0, 50]\nrotation = 90.0\n");
    EXPECT_EQ(wall.tiles.size(), 4u);
    EXPECT_EQ(wall.tiles[0].rotation, 90);
}

TEST(WallFile, BezelForms) {
    const auto width_and_height = [](const std::string &bezel) {
        const Wall wall = good_wall("[grid]\ncolumns = 2\nrows = 2\ntile = [100, 50]\nbezel = " + bezel + "\n");
        return std::pair(wall.width, wall.height);
    };
    EXPECT_EQ(width_and_height("7"), std::pair(207, 107));
    EXPECT_EQ(width_and_height("[7, 9]"), std::pair(207, 109));
    EXPECT_EQ(width_and_height("{left = 3, right = 4, top = 5, bottom = 6}"), std::pair(207, 111));
    EXPECT_EQ(width_and_height("{top = 5}"), std::pair(200, 105)) << "edges left out are 0";
    EXPECT_EQ(width_and_height("[-20, 0]"), std::pair(180, 100)) << "projectors overlap";
}

TEST(WallFile, GridInMillimetres) {
    const Wall wall = good_wall("unit = \"mm\"\n[grid]\ncolumns = 2\nrows = 1\ntile = [480, 270]\n"
                                "pixels = [1920, 1080]\nbezel = [25, 0]\n");
    EXPECT_EQ(wall.width, 2 * 1920 + 100);
    EXPECT_EQ(wall.height, 1080);
    EXPECT_DOUBLE_EQ(wall.mm_width, 985);
    EXPECT_DOUBLE_EQ(wall.mm_height, 270);
    EXPECT_DOUBLE_EQ(wall.tiles[1].mm_x, 505);
    EXPECT_EQ(wall.tiles[1].rect, (Rect{2020, 0, 1920, 1080}));
}

TEST(WallFile, DensityStandsInForPixelSizes) {
    const Wall wall =
        good_wall("unit = \"mm\"\npixels_per_mm = 4\n[grid]\ncolumns = 2\nrows = 1\ntile = [480, 270]\nbezel = 25\n");
    EXPECT_EQ(wall.tiles[1].rect, (Rect{2020, 0, 1920, 1080}));
    const Wall in_pixels =
        good_wall("pixels_per_mm = [4, 2]\n[grid]\ncolumns = 2\nrows = 1\ntile = [1920, 1080]\nbezel = 100\n");
    EXPECT_DOUBLE_EQ(in_pixels.tiles[1].mm_x, 505);
    EXPECT_DOUBLE_EQ(in_pixels.tiles[1].mm_height, 540);
}

TEST(WallFile, MillimetresBesidePixels) {
    const Wall wall = good_wall("[grid]\ncolumns = 2\nrows = 1\ntile = [1920, 1080]\nmm = [480, 270]\nbezel = 100\n");
    EXPECT_DOUBLE_EQ(wall.mm_width, 985);
    EXPECT_DOUBLE_EQ(wall.tiles[1].mm_x, 505);
}

TEST(WallFile, TouchingMillimetresTouchInPixels) {
    const Wall wall =
        good_wall("unit = \"mm\"\npixels_per_mm = 3.7\n[grid]\ncolumns = 20\nrows = 1\ntile = [100.1, 50]\n");
    for (std::size_t i = 1; i < wall.tiles.size(); ++i)
        EXPECT_EQ(wall.tiles[i].rect.x, wall.tiles[i - 1].rect.right());
}

TEST(WallFile, EntriesOverrideTheirPlaceInTheGrid) {
    const Wall wall =
        good_wall("[grid]\ncolumns = 2\nrows = 1\ntile = [100, 50]\nhost = [\"a\", \"b\"]\nmode = \"window\"\n"
                  "[[tile]]\ncolumn = 1\nrow = 0\nrank = 0\nhost = \"c\"\ndisplay = \":1\"\nrotation = 90\n"
                  "nudge = [3, -2]\nmode = \"fullscreen\"\nname = \"right\"\nscreen = [5, 6]\n");
    const Tile &right = wall.tiles[0], &left = wall.tiles[1];
    EXPECT_EQ(right.name, "right");
    EXPECT_EQ(right.host, "c");
    EXPECT_EQ(right.display, ":1");
    EXPECT_EQ(right.rotation, 90);
    EXPECT_EQ(right.mode, Mode::fullscreen);
    EXPECT_EQ(right.screen_x, 5);
    EXPECT_EQ(right.screen_y, 6);
    EXPECT_EQ(right.rect, (Rect{103, 0, 100, 50})) << "the box starts at the topmost tile";
    EXPECT_EQ(right.framebuffer_width(), 50);
    EXPECT_EQ(left.name, "(0,0)");
    EXPECT_EQ(left.host, "a");
    EXPECT_EQ(left.mode, Mode::window);
    EXPECT_EQ(left.rect, (Rect{0, 2, 100, 50}));
    EXPECT_FALSE(left.screen_x);
}

TEST(WallFile, HostsAndDisplaysAreDealtRowByRow) {
    const Wall wall = good_wall(
        "[grid]\ncolumns = 2\nrows = 2\nhost = [\"a\", \"a\", \"b\", \"b\"]\ndisplay = [\":0.0\", \":0.1\"]\n");
    std::string dealt;
    for (const Tile &tile : wall.tiles)
        dealt += tile.host + tile.display + " ";
    EXPECT_EQ(dealt, "a:0.0 a:0.1 b:0.0 b:0.1 ");
}

TEST(WallFile, HolesHaveNoRank) {
    const Wall wall =
        good_wall("[grid]\ncolumns = 2\nrows = 2\ntile = [100, 50]\n[[tile]]\ncolumn = 1\nrow = 0\nenabled = false\n");
    ASSERT_EQ(wall.tiles.size(), 3u);
    EXPECT_EQ(wall.tiles[1].name, "(0,1)");
    EXPECT_EQ(wall.width, 200);
}

TEST(WallFile, RanksNotAskedForFillTheRest) {
    const Wall wall =
        good_wall("[grid]\ncolumns = 3\nrows = 1\ntile = [10, 10]\n[[tile]]\ncolumn = 2\nrow = 0\nrank = 1\n"
                  "[[tile]]\nposition = [100, 0]\nsize = [5, 5]\n");
    ASSERT_EQ(wall.tiles.size(), 4u);
    EXPECT_EQ(wall.tiles[0].column, 0);
    EXPECT_EQ(wall.tiles[1].column, 2);
    EXPECT_EQ(wall.tiles[2].column, 1);
    EXPECT_EQ(wall.tiles[3].name, "tile 3");
}

TEST(WallFile, FreeTilesAloneMakeAWall) {
    const Wall wall =
        good_wall("[[tile]]\nposition = [-50, 10]\nsize = [100, 100]\n[[tile]]\nposition = [70, 0]\nsize = [30, 40]\n");
    EXPECT_EQ(wall.columns, 0);
    EXPECT_EQ(wall.tiles[0].rect, (Rect{0, 10, 100, 100}));
    EXPECT_EQ(wall.tiles[1].rect, (Rect{120, 0, 30, 40}));
    EXPECT_EQ(wall.width, 150);
    EXPECT_EQ(wall.height, 110);
}

TEST(WallFile, AGridWithoutSizesCutsTheWindow) {
    const Wall wall = good_wall(samples()[3]);
    EXPECT_TRUE(wall.from_window);
    EXPECT_EQ(wall.cut(400, 100).tiles[0].rect, (Rect{300, 0, 100, 100})) << "rank 0 is in column 3";
}

TEST(WallFile, SamplesAreSound) {
    for (const std::string &file : samples()) {
        const WallResult result = parse_wall(file, "sample");
        EXPECT_TRUE(result.wall) << joined(result.errors);
        expect_sound(result);
    }
}

class WallOnDisk : public testing::Test {
  protected:
    std::string directory_ = testing::TempDir() + "walls." + std::to_string(getpid());
    std::string path_ = directory_ + "/wall.toml";
    void SetUp() override { ASSERT_EQ(mkdir(directory_.c_str(), 0700), 0); }
    void TearDown() override {
        unlink(path_.c_str());
        rmdir(directory_.c_str());
    }
    std::string error() const {
        const WallResult result = read_wall(path_);
        EXPECT_FALSE(result.wall);
        EXPECT_EQ(result.errors.size(), 1u);
        return joined(result.errors);
    }
};

TEST_F(WallOnDisk, IsReadByItsPath) {
    std::ofstream(path_) << samples()[0];
    const WallResult result = read_wall(path_);
    ASSERT_TRUE(result.wall) << joined(result.errors);
    expect_same(*result.wall, good_wall(samples()[0]));
}

TEST_F(WallOnDisk, ErrorsNameFileAndLine) {
    std::ofstream(path_) << "\n[grid]\ncolumns = 0\nrows = 1\n";
    EXPECT_EQ(error(), path_ + ":3: grid.columns: expected a whole number from 1 to 4096, not 0\n");
}

TEST_F(WallOnDisk, MayBeMissing) { EXPECT_NE(error().find("No such file"), std::string::npos); }

TEST_F(WallOnDisk, MayBeADirectory) {
    ASSERT_EQ(mkdir(path_.c_str(), 0700), 0);
    EXPECT_NE(error().find("not a directory"), std::string::npos);
    rmdir(path_.c_str());
}

TEST_F(WallOnDisk, MayBeAPipeThatNobodyWrites) {
    ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
    EXPECT_NE(error().find("regular file"), std::string::npos);
}

TEST_F(WallOnDisk, MayBeEmpty) {
    std::ofstream(path_).flush();
    EXPECT_NE(error().find("at least one enabled tile"), std::string::npos);
}

TEST_F(WallOnDisk, MayBeHuge) {
    std::ofstream(path_).flush();
    ASSERT_EQ(truncate(path_.c_str(), 1ll << 40), 0);
    EXPECT_NE(error().find("at most"), std::string::npos);
}
