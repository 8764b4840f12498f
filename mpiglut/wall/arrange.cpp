#include "wall.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pixmpi {

namespace {

constexpr int largest_screen = 32767; // the X protocol's limit for coordinates

bool any_overlap(const std::vector<Rect> &rects) {
    for (std::size_t i = 0; i < rects.size(); ++i)
        for (std::size_t j = i + 1; j < rects.size(); ++j)
            if (!intersect(rects[i], rects[j]).empty())
                return true;
    return false;
}

Rect bounds(const std::vector<Rect> &rects) { return std::accumulate(rects.begin(), rects.end(), Rect{}, unite); }

/// The wall's own arrangement with framebuffer sizes, moved to the screen's corner; empty when it does not fit.
std::vector<Rect> as_on_the_wall(const std::vector<Tile> &tiles) {
    std::vector<Rect> places;
    for (const Tile &tile : tiles)
        places.push_back({tile.rect.x, tile.rect.y, tile.framebuffer_width(), tile.framebuffer_height()});
    const Rect box = bounds(places);
    if (box.width > largest_screen || box.height > largest_screen || any_overlap(places))
        return {};
    for (Rect &place : places) {
        place.x -= box.x;
        place.y -= box.y;
    }
    return places;
}

/// Shelves from the top, the highest framebuffers first, about as wide as high in all.
std::vector<Rect> on_shelves(const std::vector<Tile> &tiles) {
    std::vector<std::size_t> order(tiles.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return tiles[a].framebuffer_height() > tiles[b].framebuffer_height();
    });
    double area = 0;
    int widest = 0;
    for (const Tile &tile : tiles) {
        area += static_cast<double>(tile.framebuffer_width()) * tile.framebuffer_height();
        widest = std::max(widest, tile.framebuffer_width());
    }
    const int limit = std::max(widest, static_cast<int>(std::min<double>(largest_screen, 1.25 * std::sqrt(area))));

    std::vector<Rect> places(tiles.size());
    int x = 0, y = 0, shelf = 0;
    for (std::size_t i : order) {
        const int width = tiles[i].framebuffer_width(), height = tiles[i].framebuffer_height();
        if (x > 0 && x + width > limit) {
            x = 0;
            y += shelf;
            shelf = 0;
        }
        places[i] = {x, y, width, height};
        x += width;
        shelf = std::max(shelf, height);
    }
    return places;
}

} // namespace

std::vector<Rect> arrange_on_screen(const std::vector<Tile> &tiles, Rect &size) {
    std::vector<Rect> places = as_on_the_wall(tiles);
    if (places.empty())
        places = on_shelves(tiles);
    const Rect box = bounds(places);
    size = {0, 0, box.right(), box.bottom()};
    return places;
}

} // namespace pixmpi
