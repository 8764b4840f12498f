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
        Mistake{GRID "host = [\"a\", 3]\n", ":5: grid.host: expected a host's name or address, or a list of "
                                            "them, not [\"a\", 3]"},
        Mistake{GRID "rotation = 45\n", ":5: grid.rotation: expected 0, 90, 180 or 270, not 45"},
        Mistake{GRID "mode = \"full\"\n",
                ":5: grid.mode: expected \"auto\", \"window\" or \"fullscreen\", not \"full\""},
        Mistake{"unit = \"inch\"\n" GRID, ":1: unit: expected \"px\" or \"mm\", not \"inch\""},
        Mistake{"unit = \"mm\"\n" GRID,
                ": pixels_per_mm: expected, or `pixels` with a size: millimetres do not say how many pixels"},
        Mistake{"pixels_per_mm = 0\n" GRID,
                ":1: pixels_per_mm: expected a number or two numbers [x, y], a number from 0.001 to 1000, not 0"},
        Mistake{"grid = 3\n", ":1: grid: expected a table, [grid], not 3"},
        Mistake{GRID "[tile]\ncolumn = 0\nrow = 0\n", ":5: tile: expected tables, each under [[tile]], not a table"},
        Mistake{GRID "[[tile]]\ncolumn = 2\nrow = 0\n", ":6: tile.column: expected 0 to 1, the grid's places, not 2"},
        Mistake{GRID "[[tile]]\ncolumn = 0\n", ":5: tile.row: expected with tile.column"},
        Mistake{"[[tile]]\ncolumn = 0\nrow = 0\n", ":1: tile.column: expected a [grid] that it is a place of"},
        Mistake{GRID "[[tile]]\ncolumn = 0\nrow = 0\n[[tile]]\ncolumn = 0\nrow = 0\n",
                ":8: tile: expected another place: (0,0) is described in line 5 already"},
        Mistake{GRID "[[tile]]\ncolumn = 0\nrow = 0\nrank = 2\n",
                ":8: tile.rank: expected 0 to 1, as there are 2 tiles, not 2"},
        Mistake{GRID "[[tile]]\ncolumn = 0\nrow = 0\nrank = -1\n",
                ":8: tile.rank: expected a whole number from 0 to 4095, not -1"},
        Mistake{GRID "[[tile]]\ncolumn = 0\nrow = 0\nrank = 1\n[[tile]]\ncolumn = 1\nrow = 0\nrank = 1\n",
                ":12: tile.rank: expected another rank: the tile of line 5 has 1 already"},
        Mistake{GRID "[[tile]]\ncolumn = 0\nrow = 0\nname = \"a\"\n[[tile]]\ncolumn = 1\nrow = 0\nname = \"a\"\n",
                ":12: tile.name: expected another name: line 8 has \"a\" already"},
        Mistake{GRID "[[tile]]\ncolumn = 0\nrow = 0\nname = \"a\\nb\"\n",
                ":8: tile.name: expected a text of 1 to 255 bytes without control characters, not \"a?b\""},
        Mistake{GRID "[[tile]]\nsize = [5, 5]\n",
                ":5: tile.position: expected [x, y], as the tile has no place in a grid with grid.tile"},
        Mistake{"[[tile]]\nposition = [5, 5]\n", ":1: tile.size: expected [width, height], as there is no grid.tile"},
        Mistake{GRID "[[tile]]\ncolumn = 0\nrow = 0\nenabled = \"no\"\n",
                ":8: tile.enabled: expected true or false, not \"no\""},
        Mistake{"[grid]\ncolumns = 2\nrows = 1\nbezel = 3\n",
                ":4: grid.bezel: expected grid.tile with it: without a size the wall cuts the program's own window"},
        Mistake{"[[tile]]\nposition = [0, 0]\nsize = [5, 5]\nenabled = false\n",
                ": expected at least one enabled tile, from a [grid] or from [[tile]] entries"},
        Mistake{"[grid]\ncolumns = 2\nrows = 1\ntile = [1048576, 1]\n",
                ": expected a wall of at most 1048576 pixels an axis, not 2097152 x 1"},
        Mistake{"[grid]\ncolumns = 1\nrows = 3\ntile = [1, 1]\nbezel = [0, 524288]\n",
                ":1: grid: expected tile (0,2) to have 1 to 1048576 pixels an axis and to lie within that number, not "
                "1 x 1 "
                "at 0, 1048578"},
        Mistake{"zzzzzzzzzzzz = 1\n" GRID,
                ":1: unknown key \"zzzzzzzzzzzz\", expected one of unit, pixels_per_mm, grid, tile"}));

TEST(WallFile, SeveralMistakesAtOnceInOrderOfLines) {
    const auto errors =
        errors_of("colour = 1\n[grid]\ncolumns = 0\nrows = \"x\"\ntile = 5\n[[tile]]\nrotation = 1\nrank = []\n");
    ASSERT_EQ(errors.size(), 7u) << joined(errors);
    const char *keys[] = {":1: ",          ":3: grid.columns",  ":4: grid.rows",
                          ":5: grid.tile", ":6: tile.position", ":7: tile.rotation",
                          ":8: tile.rank"};
    for (int i = 0; i < 7; ++i)
        EXPECT_EQ(errors[i].find(std::string("bad.toml") + keys[i]), 0u) << errors[i];
}

/// Those that depend on other values come together with the rest, and what follows from another mistake does not come.
TEST(WallFile, MistakesOfDifferentKindsAtOnce) {
    const auto errors = errors_of("unit = \"mm\"\n[grid]\ncolumns = 2\nrows = 1\nrotation = 45.0\ntile = [100, 50]\n"
                                  "[[tile]]\ncolumn = 0\nrow = 0\nrank = 1\n"
                                  "[[tile]]\ncolumn = 1\nrow = 0\nrank = 1\nname = 7\n"
                                  "[[tile]]\npositon = [0, 0]\n[[tile]]\nrank = 4\n");
    const char *const expected[] = {": pixels_per_mm: expected",
                                    ":5: grid.rotation: expected 0, 90, 180 or 270, not 45",
                                    ":14: tile.rank: expected another rank: the tile of line 7",
                                    ":15: tile.name: expected a text",
                                    ":17: tile: unknown key \"positon\", did you mean position?",
                                    ":18: tile.position: expected [x, y]",
                                    ":19: tile.rank: expected 0 to 3, as there are 4 tiles, not 4"};
    ASSERT_EQ(errors.size(), std::size(expected)) << joined(errors);
    for (std::size_t i = 0; i < std::size(expected); ++i)
        EXPECT_EQ(errors[i].find(std::string("bad.toml") + expected[i]), 0u) << errors[i];
    EXPECT_EQ(errors_of("[grid]\ncolumns = 2\nrows = 1\nhost = \"-x\"\n[[tile]]\ncolumn = 0\nrow = 5\n").size(), 2u);
    EXPECT_EQ(errors_of("[gird]\ncolumns = 2\nrows = 1\n[[tile]]\ncolumn = 0\nrow = 0\n").size(), 1u);
}

TEST(WallFile, NamesEachKeyOnce) {
    const auto errors = errors_of(GRID "bezel = 3\nzzzzzzzzzzzz = 1\n");
    ASSERT_EQ(errors.size(), 1u) << joined(errors);
    EXPECT_EQ(errors[0].find("bezel"), errors[0].rfind("bezel")) << errors[0];
}

TEST(WallFile, HostsAreNames) {
    for (const char *host : {"-oProxyCommand=x", "a,b", "c d=9", "a:2", "left::4", "$(x)", "a'b", "a;b", "a=b",
                             "me@-oProxyCommand=x", "me@-x", "me@", "a:b@c", "%h", ""})
        for (const std::string key : {"host = ", "host = [\"good\", ", "[[tile]]\ncolumn = 0\nrow = 0\nhost = "}) {
            const std::string end = key.ends_with(", ") ? "\"]\n" : "\"\n";
            const auto errors = errors_of(GRID + key + "\"" + host + end);
            ASSERT_EQ(errors.size(), 1u) << host << joined(errors);
            EXPECT_NE(errors[0].find(".host: expected a host's name or address"), std::string::npos) << errors[0];
        }
    for (const char *host : {"node-7.example.org", "10.0.0.7", "fe80::1%eth0", "me@left", "a_b"})
        EXPECT_TRUE(parse_wall(GRID "host = \"" + std::string(host) + "\"\n", "good.toml").wall) << host;
}

TEST(WallFile, WarnsOfWhatIsRarelyMeant) {
    const auto warnings_of = [](const std::string &toml) {
        const WallResult result = parse_wall(toml, "odd.toml");
        EXPECT_TRUE(result.wall) << joined(result.errors);
        return joined(result.warnings);
    };
    EXPECT_EQ(warnings_of(GRID "bezel = 100\n"),
              "odd.toml:5: grid.bezel: what lies between two tiles (100 x 100) is larger than a tile (100 x 50)\n");
    EXPECT_EQ(warnings_of(GRID "bezel = [100, 50]\n"), "");
    EXPECT_EQ(warnings_of(GRID "[[tile]]\ncolumn = 0\nrow = 0\nname = \"(1,0)\"\n"),
              "odd.toml:5: tile.name: ranks 0 and 1 are both called \"(1,0)\"\n");
    const std::string screens = GRID "[[tile]]\ncolumn = 0\nrow = 0\nscreen = [0, 0]\n"
                                     "[[tile]]\ncolumn = 1\nrow = 0\nscreen = [99, 49]\n";
    EXPECT_EQ(warnings_of(screens),
              "odd.toml:9: tile.screen: tile (1,0) covers tile (0,0) of the same host and display\n");
    EXPECT_EQ(warnings_of(screens + "display = \":1\"\n"), "") << "another display";
    EXPECT_EQ(read_wall("2x1@10x10+500").warnings.size(), 0u) << "no file";
}

TEST(WallFile, AFloodOfMistakesIsCutShort) {
    std::string toml = GRID;
    for (int i = 0; i < 500; ++i)
        toml += "[[tile]]\nrank = \"x\"\nposition = [0, 0]\n";
    const auto errors = errors_of(toml);
    ASSERT_EQ(errors.size(), 21u);
    EXPECT_EQ(errors.back(), "bad.toml: 480 more errors");
}

TEST(WallFile, BrokenTomlNamesItsLine) {
    const auto errors = errors_of("[grid]\ncolumns = 2\nrows = = 1\n");
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors[0].find("bad.toml:3: expected TOML: "), 0u) << errors[0];
}
