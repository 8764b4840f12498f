#include "wall.h"

#include <algorithm>

namespace pixmpi {

Rect intersect(const Rect &a, const Rect &b) {
    const int left = std::max(a.x, b.x), top = std::max(a.y, b.y);
    const int right = std::min(a.right(), b.right()), bottom = std::min(a.bottom(), b.bottom());
    if (a.empty() || b.empty() || right <= left || bottom <= top)
        return {left, top, 0, 0};
    return {left, top, right - left, bottom - top};
}

Rect unite(const Rect &a, const Rect &b) {
    if (a.empty())
        return b.empty() ? Rect{} : b;
    if (b.empty())
        return a;
    const int left = std::min(a.x, b.x), top = std::min(a.y, b.y);
    return {left, top, std::max(a.right(), b.right()) - left, std::max(a.bottom(), b.bottom()) - top};
}

bool is_wayland(const std::string &display) {
    const auto is_of_name = [](char c) { return c > ' ' && c < '\x7f' && c != ':' && c != '"' && c != '\\'; };
    return display == "wayland" || ((display.starts_with("wayland-") || display.starts_with("wayland/")) &&
                                    std::ranges::all_of(display, is_of_name));
}

Wall Wall::cut(int window_width, int window_height) const {
    if (!from_window)
        return *this;
    Wall wall = *this;
    wall.width = std::max(0, window_width);
    wall.height = std::max(0, window_height);
    const auto border = [](int size, int i, int n) {
        const auto exact = static_cast<int>(static_cast<long long>(size) * i / n);
        return i == n || size / 2 < n ? exact : exact & ~1;
    };
    for (Tile &tile : wall.tiles) {
        if (tile.column < 0)
            continue; // a helper, which shows nothing
        const int left = border(wall.width, tile.column, columns), top = border(wall.height, tile.row, rows);
        tile.rect = {left, top, border(wall.width, tile.column + 1, columns) - left,
                     border(wall.height, tile.row + 1, rows) - top};
        tile.share = tile.rect;
    }
    return wall;
}

void to_framebuffer(const Tile &tile, int x, int y, int &fx, int &fy) {
    const int right = tile.rect.width - 1 - x, up = tile.rect.height - 1 - y;
    switch (tile.rotation) {
    case 90:
        fx = y, fy = right;
        break; // the monitor's top edge is the viewer's right one
    case 180:
        fx = right, fy = up;
        break;
    case 270:
        fx = up, fy = x;
        break;
    default:
        fx = x, fy = y;
    }
}

void from_framebuffer(const Tile &tile, int fx, int fy, int &x, int &y) {
    switch (tile.rotation) {
    case 90:
        x = tile.rect.width - 1 - fy, y = fx;
        break;
    case 180:
        x = tile.rect.width - 1 - fx, y = tile.rect.height - 1 - fy;
        break;
    case 270:
        x = fy, y = tile.rect.height - 1 - fx;
        break;
    default:
        x = fx, y = fy;
    }
}

} // namespace pixmpi
