// Which pixels of a surface, as an ordered list of rectangles.
#pragma once

#include "base/status.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace pixmpi {

/// Which way pixels go between a surface and packed memory.
enum class Direction {
    pack,  ///< surface to packed memory
    unpack ///< packed memory to surface
};

inline std::uint64_t pixels_of(const pixMPI_Rect &rect) {
    return static_cast<std::uint64_t>(rect.width) * static_cast<std::uint64_t>(rect.height);
}

inline bool same(const pixMPI_Rect &a, const pixMPI_Rect &b) {
    return a.x == b.x && a.y == b.y && a.width == b.width && a.height == b.height;
}

/// The smallest rectangle around two, where it is one of ints. `a` without columns counts for nothing.
inline pixMPI_Rect around(const pixMPI_Rect &a, const pixMPI_Rect &b) {
    if (a.width == 0)
        return b;
    const int x = std::min(a.x, b.x), y = std::min(a.y, b.y);
    return {x, y, std::max(a.x + a.width, b.x + b.width) - x, std::max(a.y + a.height, b.y + b.height) - y};
}

struct Extent {
    int width = 0, height = 0;
    bool operator==(const Extent &) const = default;
};

struct Strips;

/// Once made it does not change. commit() ends the making.
struct Region {
    std::vector<pixMPI_Rect> rects; ///< none of them empty; neighbours that continue each other are joined
    std::vector<std::uint64_t>
        starts; ///< when committed: the packed index of each rectangle's first pixel, and the end
    std::uint64_t pixels = 0;
    pixMPI_Rect bounds{};
    bool committed = false;
    mutable std::shared_ptr<const Strips> strips; ///< see strips_of()
    mutable int strips_pixel_bytes = 0;

    /// Appends, joining where packed order allows: a rectangle on top of one of the same columns, or of one row next to
    /// it. Empty ones count for nothing. The caller knows that the sum stays within the range of int; use append()
    /// where that is not certain.
    void add(pixMPI_Rect rect);
    void commit();
};

/// Of a row, where a rectangle is all of the region; else 1.
inline std::uint64_t row_pixels(const Region &region) {
    return region.rects.size() == 1 ? static_cast<std::uint64_t>(region.rects.front().width) : 1;
}

/// What packed pixels are as rows one below the other.
struct PackedRows {
    std::uint64_t width = 0; ///< 0: they are no such rows
    bool apart = false;      ///< a row and the next one need not be neighbours in the picture
};
/// One rectangle, or a slice of one in packed order, has its own rows. Those of several rectangles are cut into rows of
/// one width. A rectangle of a single column is a row.
PackedRows packed_rows(const Region &region);

/// These rectangles, or none, committed.
std::shared_ptr<const Region> region_of(std::initializer_list<pixMPI_Rect> rects);

/// A rectangle before it is known whether its coordinates are ints.
struct WideRect {
    std::int64_t x, y, width, height;
};

/// Adds a rectangle after all checks: its size, its coordinates, and what the region comes to with it. `argument` names
/// it in texts.
Status append(Region &region, const WideRect &rect, const char *argument);

/// The same shape elsewhere, within the range of int. The same region again for what was moved lately.
std::shared_ptr<const Region> moved(std::shared_ptr<const Region> region, int x, int y);

/// The region behind a handle, for messages. PIXMPI_WHOLE: all of `extent`. Checks handle and bounds.
/// `argument` names it in texts.
Status find_region(pixMPI_Region handle, Extent extent, std::shared_ptr<const Region> &region,
                   const char *argument = "region");

} // namespace pixmpi
