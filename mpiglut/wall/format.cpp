// A wall written out as a wall file: every tile with its own rectangle, so that nothing has to be worked out again.
#include "text.h"

#include <set>

namespace pixmpi {

namespace {

std::string text_value(const std::string &text) {
    std::string result = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\')
            result += '\\';
        result += c;
    }
    return result + '"';
}

void line(std::string &out, const char *key, const std::string &value) {
    out.append(key).append(" = ").append(value) += '\n';
}

template <class... Numbers> std::string list(Numbers... numbers) {
    std::string result;
    ((result += (result.empty() ? "[" : ", ") + number(numbers)), ...);
    return result + "]";
}

void place(std::string &out, int column, int row) {
    line(out, "column", number(column));
    line(out, "row", number(row));
}

void properties(std::string &out, const Tile &tile) {
    line(out, "rank", number(tile.rank));
    if (tile.name != default_name(tile))
        line(out, "name", text_value(tile.name));
    if (!tile.host.empty())
        line(out, "host", text_value(tile.host));
    if (!tile.display.empty())
        line(out, "display", text_value(tile.display));
    if (tile.rotation)
        line(out, "rotation", number(tile.rotation));
    if (tile.mode != Mode::automatic)
        line(out, "mode", tile.mode == Mode::window ? "\"window\"" : "\"fullscreen\"");
    if (tile.screen_x && tile.screen_y)
        line(out, "screen", list(*tile.screen_x, *tile.screen_y));
    const Correction &own = tile.correction, none;
    if (own.brightness != none.brightness)
        line(out, "brightness", number(own.brightness));
    if (own.gamma != none.gamma)
        line(out, "gamma", number(own.gamma));
    if (own.red != none.red || own.green != none.green || own.blue != none.blue)
        line(out, "colour", list(own.red, own.green, own.blue));
}

void geometry(std::string &out, const Tile &tile) {
    line(out, "position", list(tile.rect.x, tile.rect.y));
    line(out, "size", list(tile.rect.width, tile.rect.height));
    if (tile.mm_width > 0)
        line(out, "mm", list(tile.mm_x, tile.mm_y, tile.mm_width, tile.mm_height));
}

} // namespace

std::string format_wall(const Wall &wall) {
    std::string out;
    std::set<std::pair<int, int>> holes;
    if (wall.columns > 0) {
        out += "[grid]\n";
        line(out, "columns", number(wall.columns));
        line(out, "rows", number(wall.rows));
        for (int row = 0; row < wall.rows; ++row)
            for (int column = 0; column < wall.columns; ++column)
                holes.emplace(row, column);
    }
    for (const Tile &tile : wall.tiles) {
        holes.erase({tile.row, tile.column});
        out += "\n[[tile]]\n";
        if (tile.column >= 0)
            place(out, tile.column, tile.row);
        properties(out, tile);
        if (!wall.from_window)
            geometry(out, tile);
    }
    for (const auto &[row, column] : holes) {
        out += "\n[[tile]]\n";
        place(out, column, row);
        line(out, "enabled", "false");
    }
    return out;
}

} // namespace pixmpi
