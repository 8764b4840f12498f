#include "neighbours.h"

#include <algorithm>
#include <climits>
#include <cstdio>

namespace walltool {

using pixmpi::Rect;
using pixmpi::Tile;
using pixmpi::Wall;

std::optional<Wall> load(const std::string &spec) {
    constexpr int nominal_width = 400, nominal_height = 300;
    const pixmpi::WallResult result = pixmpi::read_wall(spec);
    for (const std::string &error : result.errors)
        std::fprintf(stderr, "%s\n", error.c_str());
    for (const std::string &warning : result.warnings)
        std::fprintf(stderr, "warning: %s\n", warning.c_str());
    if (!result.wall)
        return std::nullopt;
    return result.wall->cut(result.wall->columns * nominal_width, result.wall->rows * nominal_height);
}

std::vector<Overlap> overlaps(const Wall &wall) {
    std::vector<Overlap> result;
    for (std::size_t i = 0; i < wall.tiles.size(); ++i)
        for (std::size_t j = i + 1; j < wall.tiles.size(); ++j)
            if (const Rect area = intersect(wall.tiles[i].rect, wall.tiles[j].rect); !area.empty())
                result.push_back({wall.tiles[i].rank, wall.tiles[j].rank, area});
    return result;
}

namespace {

struct Span {
    int from, to;
};
Span across(const Rect &rect) { return {rect.x, rect.right()}; }
Span down(const Rect &rect) { return {rect.y, rect.bottom()}; }

/// `along`: the axis to look for the next tile; `beside`: the axis where the two must face each other.
std::set<int> gaps_along(const std::vector<Tile> &tiles, Span (*along)(const Rect &), Span (*beside)(const Rect &)) {
    std::set<int> result;
    for (const Tile &tile : tiles) {
        int nearest = INT_MAX;
        for (const Tile &other : tiles) {
            const Span a = beside(tile.rect), b = beside(other.rect);
            const bool facing = a.from < b.to && b.from < a.to;
            if (facing && along(other.rect).to > along(tile.rect).to)
                nearest = std::min(nearest, along(other.rect).from - along(tile.rect).to);
        }
        if (nearest > 0 && nearest != INT_MAX)
            result.insert(nearest);
    }
    return result;
}

} // namespace

Gaps gaps(const Wall &wall) { return {gaps_along(wall.tiles, across, down), gaps_along(wall.tiles, down, across)}; }

std::vector<Hole> holes(const Wall &wall) {
    std::vector<const Tile *> in_column(wall.columns), in_row(wall.rows);
    std::vector<bool> taken(static_cast<std::size_t>(wall.columns) * wall.rows);
    for (const Tile &tile : wall.tiles)
        if (tile.column >= 0) {
            in_column[tile.column] = in_row[tile.row] = &tile;
            taken[static_cast<std::size_t>(tile.row) * wall.columns + tile.column] = true;
        }
    std::vector<Hole> result;
    for (int row = 0; row < wall.rows; ++row)
        for (int column = 0; column < wall.columns; ++column) {
            if (taken[static_cast<std::size_t>(row) * wall.columns + column])
                continue;
            const Tile *above = in_column[column], *beside = in_row[row];
            Rect rect;
            if (above && beside)
                rect = {above->rect.x, beside->rect.y, above->rect.width, beside->rect.height};
            result.push_back({column, row, rect});
        }
    return result;
}

} // namespace walltool
