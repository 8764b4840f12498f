// A region of many rectangles cut by rows of its surface into strips, each to be read or written by few calls of an
// API. When the regions of a message's two ends are alike, the same rectangles in the same order but perhaps at another
// place, the pixels travel strip by strip instead of in packed order: so both ends copy by strips, through slots that
// stay in the caches. How a region is cut depends on it and on the size of a pixel alone, so both ends cut alike.
#pragma once

#include "region/region.h"

#include <algorithm>
#include <cstddef>

namespace pixmpi {

/// What of a rectangle lies in one strip.
struct StripPart {
    pixMPI_Rect rect;
    std::uint64_t at; ///< pixels of the strip before it
};

/// The box around some parts of a region.
struct PartsBox {
    pixMPI_Rect rect{};
    std::size_t parts = 0;
    std::uint64_t pixels = 0; ///< of the parts
    void add(const pixMPI_Rect &part) {
        rect = around(rect, part);
        ++parts;
        pixels += pixels_of(part);
    }
    std::uint64_t area() const { return pixels_of(rect); }
};

struct Strip {
    pixMPI_Rect box;
    /// All of the box travels, row by row, because the parts nearly fill it; else the parts, one behind the other.
    bool whole;
    std::uint64_t pixels;                       ///< that travel
    std::size_t first, count;                   ///< of Strips::parts
    pixMPI_Rect around_holes{};                 ///< what no part covers of the box; empty: nothing
    std::size_t first_hole = 0, hole_count = 0; ///< of Strips::holes; none unless it travels whole
};

struct Strips {
    std::uint64_t likeness = 0; ///< equal for regions that are alike; never 0
    std::vector<Strip> strips;
    std::vector<StripPart> parts;
    std::vector<pixMPI_Rect> holes;
    std::uint64_t largest = 0;     ///< pixels of a strip that travel
    std::uint64_t largest_box = 0; ///< pixels of a box
};

Strips cut_into_strips(const Region &region, int pixel_bytes);

/// The same, made once for a region. Called with the library's lock held.
std::shared_ptr<const Strips> strips_of(const Region &region, int pixel_bytes);

/// How many rows of `bounds` make a strip of such rectangles, when there should be so many strips at least. A strip
/// stays in the second-level cache, together with what is gathered from it. Parts narrower than a cache line come back
/// to each line many times: for them, in the first-level cache.
inline int strip_rows(const pixMPI_Rect &bounds, const pixMPI_Rect &typical, int pixel_bytes, int least_strips) {
    constexpr std::size_t strip_bytes = 256 << 10, narrow_strip_bytes = 24 << 10, line_bytes = 64;
    const auto size = static_cast<std::size_t>(pixel_bytes), row = static_cast<std::size_t>(bounds.width) * size;
    const bool narrow = static_cast<std::size_t>(typical.width) * size < line_bytes && row < 1024;
    const auto height = static_cast<std::size_t>(bounds.height), least = std::max<std::size_t>(1, (16 << 10) / row);
    std::size_t most = std::max<std::size_t>(1, (narrow ? narrow_strip_bytes : strip_bytes) / row);
    most = std::min(most, std::max(least, height / static_cast<std::size_t>(least_strips)));
    int rows = static_cast<int>(std::min(most, height));
    if (typical.height < rows) // tiles are not cut, where they lie on a grid
        rows -= rows % typical.height;
    return rows;
}

/// Calls visit(strip, part's rectangle, pixels of the rectangle before it) for each strip that a rectangle touches,
/// counted from the row `bottom`.
template <class Visit> void cut(const pixMPI_Rect &rect, int bottom, int rows, Visit visit) {
    const std::int64_t top = std::int64_t{rect.y} + rect.height;
    for (std::int64_t y = rect.y; y < top;) {
        const std::int64_t strip = (y - bottom) / rows, end = std::min(top, bottom + (strip + 1) * rows);
        visit(static_cast<std::size_t>(strip),
              pixMPI_Rect{rect.x, static_cast<int>(y), rect.width, static_cast<int>(end - y)},
              static_cast<std::uint64_t>(y - rect.y) * static_cast<std::uint64_t>(rect.width));
        y = end;
    }
}

} // namespace pixmpi
