#include "wall/edit.h"
#include "walls.h"

using namespace pixmpi;

namespace {

const std::string lab = "# the lab\n"
                        "[grid]\n"
                        "columns = 2 # \xc3\xa4\xc3\xb6\n"
                        "rows = 1\n"
                        "tile = [100, 80]\n"
                        "bezel = 10   # Monday\n"
                        "\n"
                        "[[tile]]  # \xe2\x86\x90 left\n"
                        "  column = 0\n"
                        "  row = 0";

TEST(WallEdit, KeepsAllElse) {
    WallEditor editor(lab);
    ASSERT_EQ(editor.wall().width, 210);
    EXPECT_EQ(editor.widen_bezels(5, 0), "");
    EXPECT_EQ(editor.wall().width, 215);
    EXPECT_EQ(editor.nudge(0, 0, 3), "");
    EXPECT_EQ(editor.nudge(0, -1, 1), "");
    EXPECT_EQ(editor.nudge(1, 2, 0), "");
    EXPECT_EQ(editor.correct(0, {.brightness = 0.9, .blue = 0.5}), "");
    EXPECT_EQ(editor.text(), "# the lab\n"
                             "[grid]\n"
                             "columns = 2 # \xc3\xa4\xc3\xb6\n"
                             "rows = 1\n"
                             "tile = [100, 80]\n"
                             "bezel = [15, 10]   # Monday\n"
                             "\n"
                             "[[tile]]  # \xe2\x86\x90 left\n"
                             "  colour = [1, 1, 0.5]\n"
                             "  brightness = 0.9\n"
                             "  nudge = [-1, 4]\n"
                             "  column = 0\n"
                             "  row = 0\n"
                             "\n"
                             "[[tile]]\n"
                             "column = 1\n"
                             "row = 0\n"
                             "nudge = [2, 0]\n");
    EXPECT_EQ(editor.bezels(), std::pair(15.0, 10.0));
    EXPECT_EQ(editor.nudge_of(0), std::pair(-1.0, 4.0));
    EXPECT_EQ(editor.wall().tiles[1].rect.x - editor.wall().tiles[0].rect.right(), 18);
    expect_same(good_wall(editor.text()), editor.wall());
}

TEST(WallEdit, InMillimetres) {
    WallEditor editor("unit = \"mm\"\npixels_per_mm = 2\n[grid]\ncolumns = 2\nrows = 2\ntile = [50, 40]\n"
                      "bezel = {left = 1, right = 2, top = 3, bottom = 4}\n");
    const Wall before = editor.wall();
    EXPECT_EQ(editor.widen_bezels(3, -2), "");
    EXPECT_EQ(editor.wall().width, before.width + 3);
    EXPECT_EQ(editor.wall().height, before.height - 2);
    EXPECT_EQ(editor.nudge(3, 1, 1), "");
    EXPECT_EQ(editor.wall().width, before.width + 4);
    EXPECT_NE(editor.text().find("bezel = {left = 1, right = 3.5, top = 3, bottom = 3}"), std::string::npos)
        << editor.text();
}

TEST(WallEdit, SaysWhyNot) {
    for (const auto &[text, word] :
         {std::pair{"[grid]\ncolumns = 2\nrows = 1\n", "program's window"},
          {"grid = {columns = 2, rows = 1, tile = [10, 10], bezel = 1}\n", "on separate lines"},
          {"[[tile]]\nposition = [0, 0]\nsize = [10, 10]\n", "its own position"},
          {"[grid]\ncolumns = 1\nrows = 1\ntile = [10, 10]\n", "no tile goes by"},
          {"nonsense", "window"}}) {
        WallEditor editor(text);
        EXPECT_NE(editor.widen_bezels(1, 1).find(word), std::string::npos) << text << editor.widen_bezels(1, 1);
        EXPECT_EQ(editor.text(), text);
    }
    WallEditor editor(lab);
    EXPECT_NE(editor.nudge(2, 1, 1), "");
    EXPECT_NE(editor.nudge(-1, 1, 1), "");
    EXPECT_NE(editor.nudge(0, 1 << 20, 1 << 20), "");
    EXPECT_NE(editor.correct(0, {.gamma = 0}), "");
    EXPECT_EQ(editor.text(), lab);
}

TEST(WallEdit, TilesOutsideTheGridAndSpecs) {
    WallEditor editor("[[tile]]\nname = \"b\"\nrank = 1\nposition = [0, 0]\nsize = [10, 10]\n"
                      "[[tile]]\nname = \"a\"\nposition = [20, 0]\nsize = [10, 10]\n");
    EXPECT_EQ(editor.nudge(0, 5, 0), "");
    EXPECT_EQ(editor.wall().tiles[0].rect.x, 25);
    EXPECT_EQ(editor.wall().tiles[1].rect.x, 0);
    for (const char *spec : {"3x2@40x30+5", "2x2", "1x1@7x8", "2x1@5x5+1+2"})
        expect_same(WallEditor(file_of_spec(spec)).wall(), *read_wall(spec).wall);
    EXPECT_EQ(file_of_spec("lab.toml"), "");
}

TEST(WallEdit, ColoursAreReadAndWritten) {
    const Wall wall = good_wall("[grid]\ncolumns = 1\nrows = 1\n[[tile]]\ncolumn = 0\nrow = 0\nbrightness = 0.5\n"
                                "gamma = 2.2\ncolour = [1, 0.25, 0]\n");
    EXPECT_EQ(wall.tiles[0].correction, (Correction{0.5, 2.2, 1, 0.25, 0}));
    EXPECT_EQ(good_wall(format_wall(wall)).tiles[0].correction, wall.tiles[0].correction);
    for (const char *key : {"brightness = -1", "gamma = 0", "colour = [1, 1]", "colour = 1", "gamma = nan"})
        EXPECT_FALSE(parse_wall(std::string("[[tile]]\nposition = [0, 0]\nsize = [9, 9]\n") + key, "w").wall) << key;
}

} // namespace
