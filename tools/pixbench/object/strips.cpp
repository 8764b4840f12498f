#include "object/strips.h"

#include <algorithm>

namespace {

pixMPI_Rect around(pixMPI_Rect a, pixMPI_Rect b) {
    if (a.width == 0)
        return b;
    const int right = std::max(a.x + a.width, b.x + b.width), top = std::max(a.y + a.height, b.y + b.height);
    const int x = std::min(a.x, b.x), y = std::min(a.y, b.y);
    return {x, y, right - x, top - y};
}

/// Runs that no part covers, those of equal columns on top of each other as one.
void find_holes(Strip &strip) {
    const pixMPI_Rect &box = strip.box;
    const auto width = static_cast<std::size_t>(box.width), height = static_cast<std::size_t>(box.height);
    std::vector<char> covered(width * height, 0);
    for (const Part &part : strip.parts)
        for (int y = 0; y < part.rect.height; ++y)
            std::fill_n(covered.begin() + (part.rect.y + y - box.y) * std::ptrdiff_t{box.width} + part.rect.x - box.x,
                        part.rect.width, 1);
    std::vector<std::size_t> below, here; // holes that reach up to the row
    for (std::size_t y = 0; y < height; ++y, below.swap(here)) {
        here.clear();
        const char *row = covered.data() + y * width, *const end = row + width;
        for (const char *from = std::find(row, end, 0); from != end;) {
            const char *to = std::find(from, end, 1);
            const int x = box.x + static_cast<int>(from - row), length = static_cast<int>(to - from);
            const auto same = std::find_if(below.begin(), below.end(), [&](std::size_t i) {
                return strip.holes[i].x == x && strip.holes[i].width == length;
            });
            if (same != below.end()) {
                ++strip.holes[*same].height;
                here.push_back(*same);
            } else {
                here.push_back(strip.holes.size());
                strip.holes.push_back({x, box.y + static_cast<int>(y), length, 1});
            }
            from = std::find(to, end, 0);
        }
    }
    strip.around_holes = around(strip.holes);
}

} // namespace

pixMPI_Rect around(const std::vector<pixMPI_Rect> &rects) {
    pixMPI_Rect all{};
    for (const pixMPI_Rect &rect : rects)
        all = around(all, rect);
    return all;
}

std::vector<Strip> cut_into_strips(const std::vector<pixMPI_Rect> &rects, int rows, std::size_t pixel_bytes) {
    const pixMPI_Rect all = around(rects);
    std::vector<Strip> strips(static_cast<std::size_t>((all.height + rows - 1) / rows));
    for (const pixMPI_Rect &r : rects)
        for (int y = r.y; y < r.y + r.height;) {
            const int number = (y - all.y) / rows;
            const int height = std::min(r.y + r.height, all.y + (number + 1) * rows) - y;
            const pixMPI_Rect part = {r.x, y, r.width, height};
            Strip &strip = strips[static_cast<std::size_t>(number)];
            strip.parts.push_back({part, strip.bytes});
            strip.box = around(strip.box, part);
            strip.bytes += static_cast<std::size_t>(r.width) * static_cast<std::size_t>(height) * pixel_bytes;
            y += height;
        }
    std::erase_if(strips, [](const Strip &strip) { return strip.parts.empty(); });
    for (Strip &strip : strips)
        if (strip.parts.size() > 1)
            find_holes(strip);
    return strips;
}
