#include "walls.h"

using namespace pixmpi;

#define GRID "[grid]\ncolumns = 2\nrows = 1\ntile = [100, 50]\n"

namespace {

struct Mistake {
    const char *toml, *error; ///< the one error, without the file's name
};
void PrintTo(const Mistake &mistake, std::ostream *out) { *out << mistake.error; }

} // namespace

class WallMistake : public testing::TestWithParam<Mistake> {};

TEST_P(WallMistake, IsNamedWithLineAndKey) {
    EXPECT_EQ(joined(errors_of(GetParam().toml)), std::string("bad.toml") + GetParam().error + "\n");
}

INSTANTIATE_TEST_SUITE_P(
    WallFile, WallMistake,
    testing::Values(
        Mistake{"", ": expected at least one enabled tile, from a [grid] or from [[tile]] entries"},
        Mistake{"[grid]\nrows = 1\n", ":1: grid.columns: expected a whole number from 1 to 4096"},
        Mistake{"[grid]\ncolumns = 1000000000\nrows = 1\n",
                ":2: grid.columns: expected a whole number from 1 to 4096, not 1000000000"},
        Mistake{"[grid]\ncolumns = 65\nrows = 64\n", ":2: grid.columns: expected at most 4096 tiles, not 4160"},
        Mistake{"[grid]\ncolumns = true\nrows = 1\n",
                ":2: grid.columns: expected a whole number from 1 to 4096, not true"},
        Mistake{"[grid]\ncolumns = 2.5\nrows = 1\n",
                ":2: grid.columns: expected a whole number from 1 to 4096, not 2.5"},
        Mistake{"[grid]\ncolumns = 2\nrows = 1\ntile = [100, -50]\n",
                ":4: grid.tile: expected two numbers [x, y], each a whole number from 1 to 1048576, not [100, -50]"},
        Mistake{"[grid]\ncolumns = 2\nrows = 1\ntile = [100, nan]\n",
                ":4: grid.tile: expected two numbers [x, y], each a whole number from 1 to 1048576, not [100, nan]"},
        Mistake{"[grid]\ncolumns = 2\nrows = 1\ntile = [100, 50, 20]\n",
                ":4: grid.tile: expected two numbers [x, y], each a whole number from 1 to 1048576, not [100, 50, 20]"},
        Mistake{"[grid]\ncolumns = 2\nrows = 1\ntile = [100, 0.5]\n",
                ":4: grid.tile: expected two numbers [x, y], each a whole number from 1 to 1048576, not [100, 0.5]"},
        Mistake{GRID "bezel = {lft = 3}\n", ":5: grid.bezel: unknown key \"lft\", did you mean left?"},
        Mistake{GRID "bezel = {left = inf}\n",
                ":5: grid.bezel.left: expected a whole number from -1048576 to 1048576, not inf"},
        Mistake{GRID "hosts = [\"a\"]\n", ":5: grid: unknown key \"hosts\", did you mean host?"},
        Mistake{GRID "host = [\"a\", \"b\", \"c\"]\n", ":5: grid.host: expected at most one for each of the 2 places"},
        Mistake{GRID "host = [\"a\", 3]\n", ":5: grid.host: expected a text of 1 to 255 bytes without control "
                                            "characters, or a list of them, not [\"a\", 3]"},
        Mistake{GRID "rotation = 45\n", ":5: grid.rotation: expected 0, 90, 180 or 270, not 45"},
        Mistake{GRID "mode = \"full\"\n",
                ":5: grid.mode: expected \"auto\", \"window\" or \"fullscreen\", not \"full\""},
        Mistake{"unit = \"inch\"\n" GRID, ":1: unit: expected \"px\" or \"mm\", not \"inch\""},
        Mistake{"unit = \"mm\"\n" GRID,
                ": pixels_per_mm: expected, or `pixels` beside a size: millimetres alone say nothing of pixels"},
        Mistake{"pixels_per_mm = 0\n" GRID,
                ":1: pixels_per_mm: expected a number or two numbers [x, y], a number from 0.001 to 1000, not 0"},
        Mistake{"grid = 3\n", ":1: grid: expected a table, [grid], not 3"},
        Mistake{GRID "[tile]\ncolumn = 0\nrow = 0\n", ":5: tile: expected tables, each under [[tile]], not a table"},
        Mistake{GRID "[[tile]]\ncolumn = 2\nrow = 0\n", ":6: tile.column: expected 0 to 1, the grid's places, not 2"},
        Mistake{GRID "[[tile]]\ncolumn = 0\n", ":5: tile.row: expected beside tile.column"},
        Mistake{"[[tile]]\ncolumn = 0\nrow = 0\n", ":1: tile.column: expected a [grid] that it is a place of"},
        Mistake{GRID "[[tile]]\ncolumn = 0\nrow = 0\n[[tile]]\ncolumn = 0\nrow = 0\n",
                ":8: tile: expected another place: (0,0) is described in line 5 already"},
        Mistake{GRID "[[tile]]\ncolumn = 0\nrow = 0\nrank = 2\n",
                ":8: tile.rank: expected 0 to 1, as there are 2 tiles, not 2"},
        Mistake{GRID "[[tile]]\ncolumn = 0\nrow = 0\nrank = -1\n",
                ":8: tile.rank: expected a whole number from 0 to 4095, not -1"},
        Mistake{GRID "[[tile]]\ncolumn = 0\nrow = 0\nrank = 1\n[[tile]]\ncolumn = 1\nrow = 0\nrank = 1\n",
                ":12: tile.rank: expected a rank of its own: the tile of line 5 has 1 already"},
        Mistake{GRID "[[tile]]\ncolumn = 0\nrow = 0\nname = \"a\"\n[[tile]]\ncolumn = 1\nrow = 0\nname = \"a\"\n",
                ":12: tile.name: expected a name of its own: line 8 has \"a\" already"},
        Mistake{GRID "[[tile]]\ncolumn = 0\nrow = 0\nname = \"a\\nb\"\n",
                ":8: tile.name: expected a text of 1 to 255 bytes without control characters, not \"a?b\""},
        Mistake{GRID "[[tile]]\nsize = [5, 5]\n",
                ":5: tile.position: expected [x, y], as the tile has no place in a grid with grid.tile"},
        Mistake{"[[tile]]\nposition = [5, 5]\n", ":1: tile.size: expected [width, height], as there is no grid.tile"},
        Mistake{GRID "[[tile]]\ncolumn = 0\nrow = 0\nenabled = \"no\"\n",
                ":8: tile.enabled: expected true or false, not \"no\""},
        Mistake{"[grid]\ncolumns = 2\nrows = 1\nbezel = 3\n",
                ":4: grid.bezel: expected grid.tile beside it: without a size the wall cuts the program's own window"},
        Mistake{"[[tile]]\nposition = [0, 0]\nsize = [5, 5]\nenabled = false\n",
                ": expected at least one enabled tile, from a [grid] or from [[tile]] entries"},
        Mistake{"[grid]\ncolumns = 2\nrows = 1\ntile = [1048576, 1]\n",
                ": expected a wall of at most 1048576 pixels an axis, not 2097152 x 1"},
        Mistake{
            "[grid]\ncolumns = 1\nrows = 3\ntile = [1, 1]\nbezel = [0, 524288]\n",
            ":1: grid: expected tile (0,2) to have 1 to 1048576 pixels an axis and to lie within as many, not 1 x 1 "
            "at 0, 1048578"},
        Mistake{"zzzzzzzzzzzz = 1\n" GRID,
                ":1: unknown key \"zzzzzzzzzzzz\", expected one of unit, pixels_per_mm, grid, tile"}));

TEST(WallFile, SeveralMistakesAtOnceInOrderOfLines) {
    const auto errors =
        errors_of("colour = 1\n[grid]\ncolumns = 0\nrows = \"x\"\ntile = 5\n[[tile]]\nrotation = 1\nrank = []\n");
    ASSERT_EQ(errors.size(), 6u) << joined(errors);
    const char *keys[] = {":1: ",          ":3: grid.columns",  ":4: grid.rows",
                          ":5: grid.tile", ":7: tile.rotation", ":8: tile.rank"};
    for (int i = 0; i < 6; ++i)
        EXPECT_EQ(errors[i].find(std::string("bad.toml") + keys[i]), 0u) << errors[i];
}

TEST(WallFile, AFloodOfMistakesIsCutShort) {
    std::string toml = GRID;
    for (int i = 0; i < 500; ++i)
        toml += "[[tile]]\nrank = \"x\"\n";
    const auto errors = errors_of(toml);
    ASSERT_EQ(errors.size(), 21u);
    EXPECT_EQ(errors.back(), "bad.toml: 480 more errors");
}

TEST(WallFile, BrokenTomlNamesItsLine) {
    const auto errors = errors_of("[grid]\ncolumns = 2\nrows = = 1\n");
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors[0].find("bad.toml:3: expected TOML: "), 0u) << errors[0];
}
