// From a written description to a wall: which tiles there are and who shows them. Where they are: wall_measure.cpp.
#include "draft.h"

#include <algorithm>
#include <map>

namespace pixmpi {

namespace {

std::string place_name(int column, int row) { return "(" + number(column) + "," + number(row) + ")"; }

/// By row and column, so in the order of the ranks.
using Places = std::map<std::pair<int, int>, const TileText *>;

void check_within(const Given<int> &place, const Maybe<int> &count, const char *key, Errors &errors) {
    if (count && place.value >= count->value)
        errors.add(place.line, key,
                   "expected 0 to " + number(count->value - 1) + ", the grid's places, not " + number(place.value));
}

bool is_of_grid(const TileText &tile) {
    return tile.column || tile.row || tile.unreadable.contains("column") || tile.unreadable.contains("row");
}

/// The entries that describe a place of the grid.
Places grid_entries(const WallText &text, Errors &errors) {
    Places places;
    for (const TileText &tile : text.tiles) {
        if (!is_of_grid(tile))
            continue;
        if (!text.grid) {
            if (!text.unreadable.contains("grid"))
                errors.add(tile.line, tile.column ? "tile.column" : "tile.row",
                           "expected a [grid] that it is a place of");
            continue;
        }
        if (!tile.column || !tile.row) {
            const char *const missing = tile.column ? "row" : "column";
            if (!tile.unreadable.contains(missing))
                errors.add(tile.line, std::string("tile.") + missing,
                           std::string("expected with tile.") + (tile.column ? "column" : "row"));
            continue;
        }
        check_within(*tile.column, text.grid->columns, "tile.column", errors);
        check_within(*tile.row, text.grid->rows, "tile.row", errors);
        const auto [it, fresh] = places.emplace(std::pair(tile.row->value, tile.column->value), &tile);
        if (!fresh)
            errors.add(tile.line, "tile",
                       "expected another place: " + place_name(tile.column->value, tile.row->value) +
                           " is described in line " + number(it->second->line) + " already");
    }
    return places;
}

bool enabled(const TileText *tile) { return !tile || !tile->enabled || tile->enabled->value; }

/// What the grid says of the tile in one of its places.
void set_from_grid(Tile &tile, const GridText &grid) {
    const std::size_t place = static_cast<std::size_t>(tile.row) * grid.columns->value + tile.column;
    const auto deal = [&](std::string &to, const Maybe<std::vector<std::string>> &list) {
        if (list && !list->value.empty())
            to = list->value[place % list->value.size()];
    };
    deal(tile.host, grid.hosts);
    deal(tile.display, grid.displays);
    tile.rotation = grid.rotation ? grid.rotation->value : 0;
    tile.mode = grid.mode ? grid.mode->value : Mode::automatic;
}

void set_from_entry(Tile &tile, const TileText &text) {
    const auto set = [](auto &to, const auto &from) {
        if (from)
            to = from->value;
    };
    set(tile.name, text.name);
    set(tile.host, text.host);
    set(tile.display, text.display);
    set(tile.rotation, text.rotation);
    set(tile.mode, text.mode);
    set(tile.correction.brightness, text.brightness);
    set(tile.correction.gamma, text.gamma);
    if (text.colour) {
        const auto [red, green, blue] = text.colour->value;
        tile.correction.red = red, tile.correction.green = green, tile.correction.blue = blue;
    }
    tile.line = text.line;
    if (text.screen) {
        tile.screen_x = static_cast<int>(text.screen->value.x);
        tile.screen_y = static_cast<int>(text.screen->value.y);
    }
}

void add_draft(std::vector<Draft> &drafts, const WallText &text, const TileText *entry, int column, int row) {
    Draft draft{entry, entry ? entry->line : text.grid->line, {}};
    draft.tile.column = column;
    draft.tile.row = row;
    if (column >= 0)
        set_from_grid(draft.tile, *text.grid);
    if (entry)
        set_from_entry(draft.tile, *entry);
    drafts.push_back(std::move(draft));
}

long long places_of(const WallText &text) {
    const bool known = text.grid && text.grid->columns && text.grid->rows;
    return known ? static_cast<long long>(text.grid->columns->value) * text.grid->rows->value : 0;
}

void collect_grid(const WallText &text, std::vector<Draft> &drafts, Errors &errors) {
    const Places entries = grid_entries(text, errors);
    if (!text.grid || !text.grid->columns || !text.grid->rows)
        return;
    const GridText &grid = *text.grid;
    const int columns = grid.columns->value, rows = grid.rows->value;
    const long long places = places_of(text);
    if (places > most_tiles)
        return errors.add(grid.columns->line, "grid.columns",
                          "expected at most " + number(most_tiles) + " tiles, not " + std::to_string(places));
    for (const auto &[list, key] : {std::pair{&grid.hosts, "grid.host"}, std::pair{&grid.displays, "grid.display"}})
        if (*list && static_cast<long long>((*list)->value.size()) > places)
            errors.add((*list)->line, key,
                       "expected at most one for each of the " + std::to_string(places) + " places");
    for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column) {
            const auto found = entries.find({row, column});
            const TileText *entry = found == entries.end() ? nullptr : found->second;
            if (enabled(entry))
                add_draft(drafts, text, entry, column, row);
        }
}

/// No two tiles may have the same rank or name. That shows whatever else is wrong with the wall.
void check_unique(const std::vector<TileText> &tiles, Errors &errors) {
    std::map<int, int> line_of_rank;
    std::map<std::string, int> line_of_name;
    for (const TileText &tile : tiles) {
        if (!enabled(&tile))
            continue;
        if (tile.rank)
            if (const auto [it, fresh] = line_of_rank.emplace(tile.rank->value, tile.line); !fresh)
                errors.add(tile.rank->line, "tile.rank",
                           "expected another rank: the tile of line " + number(it->second) + " has " +
                               number(it->first) + " already");
        if (tile.name)
            if (const auto [it, fresh] = line_of_name.emplace(tile.name->value, tile.name->line); !fresh)
                errors.add(tile.name->line, "tile.name",
                           "expected another name: line " + number(it->second) + " has " + in_quotes(it->first) +
                               " already");
    }
}

/// How many tiles there are.
bool knows_tiles(const WallText &text) {
    const bool grid = !text.grid || (text.grid->columns && text.grid->rows);
    return grid && !text.unreadable.contains("grid") && !text.unreadable.contains("tile") &&
           std::ranges::none_of(text.tiles, [&](const TileText &tile) {
               const bool placed = !is_of_grid(tile) || (text.grid && tile.column && tile.row);
               return !placed || tile.unreadable.contains("enabled");
           });
}

/// Row by row, then the tiles outside the grid; tiles with a rank get it, and the others get the rest.
void assign_ranks(std::vector<Draft> &drafts, Errors &errors) {
    const int count = static_cast<int>(drafts.size());
    std::vector<bool> taken(drafts.size());
    for (const Draft &draft : drafts)
        if (const auto *rank = draft.given(&TileText::rank)) {
            if (rank->value >= count)
                errors.add(rank->line, "tile.rank",
                           "expected 0 to " + number(count - 1) + ", as there are " + number(count) + " tiles, not " +
                               number(rank->value));
            else
                taken[rank->value] = true;
        }
    int next = 0;
    for (Draft &draft : drafts) {
        if (const auto *rank = draft.given(&TileText::rank)) {
            draft.tile.rank = rank->value;
            continue;
        }
        while (next < count && taken[next])
            ++next;
        draft.tile.rank = next++;
    }
}

} // namespace

std::string default_name(const Tile &tile) {
    return tile.column >= 0 ? place_name(tile.column, tile.row) : "tile " + number(tile.rank);
}

std::optional<Wall> build_wall(const WallText &text, Errors &errors) {
    if (!text.usable)
        return std::nullopt;
    Wall wall;
    std::vector<Draft> drafts;
    collect_grid(text, drafts, errors);
    for (const TileText &tile : text.tiles)
        if (!is_of_grid(tile) && enabled(&tile))
            add_draft(drafts, text, &tile, -1, -1);
    const bool too_many = drafts.size() > most_tiles || places_of(text) > most_tiles;
    if (drafts.size() > most_tiles)
        errors.add(0, "", "expected at most " + number(most_tiles) + " tiles");
    check_unique(text.tiles, errors);
    if (knows_tiles(text) && !too_many) {
        if (drafts.empty())
            errors.add(0, "", "expected at least one enabled tile, from a [grid] or from [[tile]] entries");
        assign_ranks(drafts, errors);
    }
    for (Draft &draft : drafts)
        if (!draft.given(&TileText::name))
            draft.tile.name = default_name(draft.tile);
    if (text.grid && text.grid->columns && text.grid->rows) {
        wall.columns = text.grid->columns->value;
        wall.rows = text.grid->rows->value;
    }
    wall.from_window = cuts_window(text, drafts);
    if (drafts.empty())
        return std::nullopt;
    if (wall.from_window)
        refuse_sizes(text, drafts, errors);
    else
        measure(text, drafts, wall, errors);
    if (errors.any())
        return std::nullopt;
    for (Draft &draft : drafts)
        wall.tiles.push_back(std::move(draft.tile));
    std::sort(wall.tiles.begin(), wall.tiles.end(), [](const Tile &a, const Tile &b) { return a.rank < b.rank; });
    share_out(wall);
    return wall;
}

} // namespace pixmpi
