// What the wall tests share: comparing walls, and sample files that between them use every key.
#pragma once

#include "wall/wall.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace pixmpi {

inline std::string joined(const std::vector<std::string> &lines) {
    std::string text;
    for (const std::string &line : lines)
        text += line + "\n";
    return text;
}

/// The wall of a file that must be good.
inline Wall good_wall(const std::string &toml) {
    const WallResult result = parse_wall(toml, "good.toml");
    EXPECT_EQ(joined(result.errors), "");
    EXPECT_TRUE(result.wall.has_value());
    return result.wall.value_or(Wall{});
}

inline std::vector<std::string> errors_of(const std::string &toml) {
    const WallResult result = parse_wall(toml, "bad.toml");
    EXPECT_FALSE(result.wall.has_value());
    return result.errors;
}

/// Whatever was given: a wall that keeps its own promises, or errors and no wall.
inline void expect_sound(const WallResult &result) {
    ASSERT_NE(result.wall.has_value(), !result.errors.empty()) << joined(result.errors);
    for (const std::string &error : result.errors) {
        EXPECT_FALSE(error.empty());
        EXPECT_EQ(error.find('\n'), error.npos) << error;
    }
    if (!result.wall)
        return;
    const Wall &wall = *result.wall;
    ASSERT_GE(wall.tiles.size(), 1u);
    ASSERT_LE(wall.tiles.size(), 4096u);
    Rect box;
    for (std::size_t i = 0; i < wall.tiles.size(); ++i) {
        const Tile &tile = wall.tiles[i];
        EXPECT_EQ(tile.rank, static_cast<int>(i));
        EXPECT_FALSE(tile.name.empty());
        EXPECT_EQ(tile.rotation % 90, 0);
        EXPECT_EQ(tile.rect.empty(), wall.from_window);
        box = unite(box, tile.rect);
    }
    EXPECT_EQ(box, (Rect{0, 0, wall.width, wall.height}));
    EXPECT_LE(wall.width, 1 << 20);
    EXPECT_LE(wall.height, 1 << 20);
}

inline void expect_same(const Wall &a, const Wall &b) {
    EXPECT_EQ(a.width, b.width);
    EXPECT_EQ(a.height, b.height);
    EXPECT_EQ(a.mm_width, b.mm_width);
    EXPECT_EQ(a.mm_height, b.mm_height);
    EXPECT_EQ(a.from_window, b.from_window);
    EXPECT_EQ(a.columns, b.columns);
    EXPECT_EQ(a.rows, b.rows);
    ASSERT_EQ(a.tiles.size(), b.tiles.size());
    for (std::size_t i = 0; i < a.tiles.size(); ++i) {
        const Tile &x = a.tiles[i], &y = b.tiles[i];
        EXPECT_EQ(x.rank, y.rank);
        EXPECT_EQ(x.column, y.column);
        EXPECT_EQ(x.row, y.row);
        EXPECT_EQ(x.name, y.name);
        EXPECT_EQ(x.host, y.host);
        EXPECT_EQ(x.display, y.display);
        EXPECT_EQ(x.rect, y.rect) << x.name;
        EXPECT_EQ(x.share, y.share) << x.name;
        EXPECT_EQ(x.rotation, y.rotation);
        EXPECT_EQ(x.mode, y.mode);
        EXPECT_EQ(x.screen_x, y.screen_x);
        EXPECT_EQ(x.screen_y, y.screen_y);
        EXPECT_EQ(x.mm_x, y.mm_x) << x.name;
        EXPECT_EQ(x.mm_y, y.mm_y) << x.name;
        EXPECT_EQ(x.mm_width, y.mm_width) << x.name;
        EXPECT_EQ(x.mm_height, y.mm_height) << x.name;
    }
}

/// Good files; wall_hostile_test breaks them.
inline const std::vector<std::string> &samples() {
    static const std::vector<std::string> files{
        R"(# a wall of six monitors in millimetres
unit = "mm"
[grid]
columns = 3
rows = 2
tile = [597.6, 336.15]
pixels = [1920, 1080]
bezel = {left = 12.5, right = 12.5, top = 11, bottom = 14.25}
host = ["left", "middle", "right"]
display = ":0"
mode = "fullscreen"

[[tile]]
column = 1
row = 0
enabled = false

[[tile]]
column = 2
row = 1
name = "the \"crooked\" one"
rotation = 180
nudge = [-1.5, 2]
display = ":0.1"
)",
        R"(unit = "px"
pixels_per_mm = [3.5, 3.25]
[grid]
columns = 2
rows = 2
tile = [800, 600]
bezel = [20, 30]
rotation = 90

[[tile]]
column = 0
row = 1
rank = 0
size = [640, 480]
rotation = 0
screen = [100, -50]

[[tile]] # stands beside the grid
position = [-300, 100]
size = [200, 400]
mm = [60, 120]
mode = "window"
host = "table.example.org"
)",
        R"([[tile]]
position = [0, 0]
size = [1024, 768]
mm = [0, 0, 300.25, 225.125]
name = "left"
rank = 1

[[tile]]
position = [1000, 10] # overlaps
size = [1280, 1024]
rotation = 270
)",
        R"(grid = { columns = 4, rows = 1, host = ["a", "a", "b", "b"], display = [":0.0", ":0.1"] }
tile = [ { column = 3, row = 0, rank = 0 }, { column = 2, row = 0, rotation = 180, enabled = true } ]
)"};
    return files;
}

} // namespace pixmpi
