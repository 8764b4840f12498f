// A region of many rectangles cut by rows of its surface into strips, each to be read or written by few calls of an
// API. The regions of a message's two ends may be alike: the same rectangles in the same order, perhaps at another
// place. Then the pixels travel strip by strip instead of in packed order. So both ends copy by strips, through slots
// that stay in the caches. How a region is cut depends on it and on the size of a pixel alone, so both ends cut alike.
#pragma once

#include "region/worklist.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace pixmpi {

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
    std::vector<Piece> parts; ///< Piece::at: pixels of the strip before it
    std::vector<pixMPI_Rect> holes;
    std::uint64_t largest = 0;     ///< pixels of a strip that travel
    std::uint64_t largest_box = 0; ///< pixels of a box
};

Strips cut_into_strips(const Region &region, int pixel_bytes);

/// The same, made once for a region. Called with the library's lock held.
std::shared_ptr<const Strips> strips_of(const Region &region, int pixel_bytes);

} // namespace pixmpi
