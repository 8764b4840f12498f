#include "walls.h"

#include <random>

using namespace pixmpi;

namespace {

void expect_round_trip(const Wall &wall) {
    const std::string text = format_wall(wall);
    const WallResult again = parse_wall(text, "again.toml");
    ASSERT_TRUE(again.wall) << joined(again.errors) << text;
    expect_same(*again.wall, wall);
    EXPECT_EQ(format_wall(*again.wall), text);
}

} // namespace

TEST(WallFormat, RoundTripOfSpecs) {
    for (const char *spec : {"1x1", "2x2", "3x1", "5x4@1680x1050+150+150", "64x64@10x10+1+2"}) {
        SCOPED_TRACE(spec);
        expect_round_trip(*read_wall(spec).wall);
    }
}

TEST(WallFormat, RoundTripOfFiles) {
    for (const std::string &file : samples()) {
        SCOPED_TRACE(file);
        expect_round_trip(good_wall(file));
    }
}

TEST(WallFormat, KeepsHoles) {
    const Wall wall = good_wall("[grid]\ncolumns = 3\nrows = 1\n[[tile]]\ncolumn = 1\nrow = 0\nenabled = false\n");
    ASSERT_EQ(wall.tiles.size(), 2u);
    EXPECT_TRUE(wall.from_window);
    expect_round_trip(wall);
}

TEST(WallFormat, AWallFromAWindowForgetsTheWindow) {
    const Wall wall = *read_wall("3x2").wall;
    EXPECT_EQ(format_wall(wall.cut(640, 480)), format_wall(wall));
}

TEST(WallFormat, QuotesWhatTomlNeedsQuoted) {
    Wall wall = *read_wall("1x1@5x5").wall;
    wall.tiles[0].name = "a \"b\" \\ c # [d] = \xc3\xa9";
    wall.tiles[0].display = "'";
    expect_round_trip(wall);
}

TEST(WallFormat, RoundTripOfRandomWalls) {
    for (unsigned seed = 1; seed <= 300; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937 random(seed);
        const auto below = [&](int n) { return static_cast<int>(random() % n); };
        const auto real = [&] { return std::uniform_real_distribution<double>(1, 700)(random); };
        const bool in_mm = below(2);
        const auto length = [&] { return in_mm ? std::to_string(real()) : std::to_string(1 + below(500)); };
        std::string toml = std::string("unit = ") + (in_mm ? "\"mm\"" : "\"px\"") +
                           "\npixels_per_mm = " + std::to_string(real() / 70) + "\n";
        const int columns = 1 + below(4), rows = 1 + below(4);
        toml += "[grid]\ncolumns = " + std::to_string(columns) + "\nrows = " + std::to_string(rows) + "\ntile = [" +
                length() + ", " + length() + "]\nbezel = " + length() + "\n";
        for (int i = 0; i < columns; ++i)
            if (below(2)) {
                toml += "[[tile]]\ncolumn = " + std::to_string(i) + "\nrow = " + std::to_string(below(rows)) + "\n";
                toml += below(3)   ? "nudge = [-" + length() + ", " + length() + "]\n"
                        : below(2) ? "rotation = 270\n"
                                   : "";
                toml += below(4) || i == 0 ? "" : "enabled = false\n";
            }
        toml +=
            "[[tile]]\nposition = [-" + length() + ", " + length() + "]\nsize = [" + length() + ", " + length() + "]\n";
        expect_round_trip(good_wall(toml));
    }
}
