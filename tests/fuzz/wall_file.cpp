#include "entries.h"

#include "wall/wall.h"

using namespace pixmpi;

namespace {

void require_sound(const Wall &wall) {
    fuzz::require(!wall.tiles.empty() && wall.tiles.size() <= 4096, "1 to 4096 tiles");
    Rect box;
    for (std::size_t i = 0; i < wall.tiles.size(); ++i) {
        const Tile &tile = wall.tiles[i];
        fuzz::require(tile.rank == static_cast<int>(i), "tiles are in order of rank");
        fuzz::require(!tile.name.empty(), "every tile has a name");
        fuzz::require(tile.rotation % 90 == 0, "tiles are turned by right angles");
        fuzz::require(tile.rect.empty() == wall.from_window, "tiles have pixels unless the wall cuts a window");
        box = unite(box, tile.rect);
    }
    fuzz::require(box == Rect{0, 0, wall.width, wall.height}, "the wall is its tiles' bounding box");
    fuzz::require(wall.width <= 1 << 20 && wall.height <= 1 << 20, "at most 1048576 pixels wide and high");
}

bool same(const Tile &a, const Tile &b) {
    return a.rank == b.rank && a.column == b.column && a.row == b.row && a.name == b.name && a.host == b.host &&
           a.display == b.display && a.rect == b.rect && a.rotation == b.rotation && a.mode == b.mode &&
           a.screen_x == b.screen_x && a.screen_y == b.screen_y && a.mm_x == b.mm_x && a.mm_y == b.mm_y &&
           a.mm_width == b.mm_width && a.mm_height == b.mm_height;
}

bool same(const Wall &a, const Wall &b) {
    if (a.width != b.width || a.height != b.height || a.mm_width != b.mm_width || a.mm_height != b.mm_height ||
        a.from_window != b.from_window || a.columns != b.columns || a.rows != b.rows ||
        a.tiles.size() != b.tiles.size())
        return false;
    for (std::size_t i = 0; i < a.tiles.size(); ++i)
        if (!same(a.tiles[i], b.tiles[i]))
            return false;
    return true;
}

} // namespace

void fuzz::wall_file(Input input) {
    const std::string_view text(reinterpret_cast<const char *>(input.data()), input.size());
    const WallResult result = parse_wall(text, "fuzz.toml");
    require(result.wall.has_value() == result.errors.empty(), "a wall or errors");
    for (const std::string &error : result.errors)
        require(!error.empty() && error.find('\n') == std::string::npos, "an error is a line");
    if (!result.wall)
        return;
    require_sound(*result.wall);
    const WallResult again = parse_wall(format_wall(*result.wall), "again.toml");
    require(again.wall.has_value(), "what is written can be read");
    require(same(*again.wall, *result.wall), "what is read back is what was written");
}
