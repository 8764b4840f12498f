// What a wall file may say, and rarely means: what a mistyped number or a copied entry looks like.
#include "text.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cmath>
#include <map>
#include <string>

namespace pixmpi {

namespace {

/// A tile's own name may be what messages call another tile that has none.
void warn_of_names(const Wall &wall, Errors &warnings) {
    std::map<std::string, const Tile *> owners;
    for (const Tile &tile : wall.tiles)
        if (const auto [it, fresh] = owners.emplace(tile.name, &tile); !fresh)
            warnings.add(std::max(tile.line, it->second->line), "tile.name",
                         "ranks " + number(it->second->rank) + " and " + number(tile.rank) + " are both called " +
                             in_quotes(tile.name));
}

/// Windows that lie over each other on one display. Those without a `screen` are placed side by side.
void warn_of_screens(const Wall &wall, Errors &warnings) {
    const auto place = [](const Tile &tile) {
        return Rect{*tile.screen_x, *tile.screen_y, tile.framebuffer_width(), tile.framebuffer_height()};
    };
    std::map<std::pair<std::string, std::string>, std::vector<const Tile *>> of_display;
    for (const Tile &tile : wall.tiles)
        if (tile.screen_x && tile.screen_y)
            of_display[{tile.host, tile.display}].push_back(&tile);
    for (const auto &[display, tiles] : of_display)
        for (auto one = tiles.begin(); one != tiles.end(); ++one)
            for (auto other = tiles.begin(); other != one; ++other)
                if (!intersect(place(**one), place(**other)).empty())
                    warnings.add((*one)->line, "tile.screen",
                                 "tile " + (*one)->name + " covers tile " + (*other)->name +
                                     " of the same host and display");
}

void warn_of_bezels(const GridText &grid, Errors &warnings) {
    if (!grid.bezel || !grid.tile)
        return;
    const Edges &edges = grid.bezel->value;
    const Vec between{edges.left + edges.right, edges.top + edges.bottom}, tile = grid.tile->value;
    if (std::abs(between.x) > tile.x || std::abs(between.y) > tile.y)
        warnings.add(grid.bezel->line, "grid.bezel",
                     "what lies between two tiles (" + number(between.x) + " x " + number(between.y) +
                         ") is larger than a tile (" + number(tile.x) + " x " + number(tile.y) + ")");
}

} // namespace

void warn(const WallText &text, const Wall &wall, Errors &warnings) {
    warn_of_names(wall, warnings);
    if (!wall.from_window)
        warn_of_screens(wall, warnings);
    if (text.grid)
        warn_of_bezels(*text.grid, warnings);
}

bool is_host_name(std::string_view text) {
    const auto may_stand = [](unsigned char c) {
        const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        return plain || std::string_view(".-_:%@").find(static_cast<char>(c)) != std::string_view::npos;
    };
    const std::string_view host = text.substr(text.find('@') + 1); // all of it without a user
    const std::string_view user = text.substr(0, text.size() - host.size());
    if (host.empty() || host.front() == '-' || text.front() == '-' || !std::ranges::all_of(text, may_stand) ||
        user.find_first_of(":%") != user.npos)
        return false;
    in6_addr address{};
    const std::string without_zone(host.substr(0, host.find('%'))); // which addresses alone have
    return host.find_first_of(":%") == host.npos || inet_pton(AF_INET6, without_zone.c_str(), &address) == 1;
}

} // namespace pixmpi
