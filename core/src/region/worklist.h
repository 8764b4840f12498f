// A committed region cut into bands: which rectangles a range of packed pixels is.
#pragma once

#include "region/region.h"

#include <algorithm>

namespace pixmpi {

/// Part of a rectangle, with pixels that follow each other in packed order, row by row.
struct Piece {
    pixMPI_Rect rect;
    std::uint64_t at; ///< packed index of its first pixel, counted from the beginning of the range
};

/// Calls visit(Piece) for the packed pixels [first, first + count) of a committed region, in order. The first rectangle
/// is found by binary search over prefix sums; a rectangle cut by the range's ends gives up to three pieces.
template <class Visit>
void for_each_piece(const Region &region, std::uint64_t first, std::uint64_t count, Visit visit) {
    if (count == 0)
        return;
    const auto after = std::upper_bound(region.starts.begin(), region.starts.end(), first);
    std::size_t i = static_cast<std::size_t>(after - region.starts.begin()) - 1;
    for (std::uint64_t passed = 0; passed < count; ++i) {
        const pixMPI_Rect &r = region.rects[i];
        const std::uint64_t width = static_cast<std::uint64_t>(r.width), size = region.starts[i + 1] - region.starts[i];
        std::uint64_t at = first + passed - region.starts[i];
        const std::uint64_t end = std::min(size, at + (count - passed));
        if (at == 0 && end == size) {
            visit(Piece{r, passed});
            passed += size;
            continue;
        }
        while (at < end) { // the rest of a row, full rows, the beginning of a row
            const std::uint64_t row = at / width, column = at % width;
            const bool full = column == 0 && end - at >= width;
            const std::uint64_t rows = full ? (end - at) / width : 1;
            const std::uint64_t columns = full ? width : std::min(width - column, end - at);
            visit(Piece{{r.x + static_cast<int>(column), r.y + static_cast<int>(row), static_cast<int>(columns),
                         static_cast<int>(rows)},
                        passed});
            at += rows * columns;
            passed += rows * columns;
        }
    }
}

} // namespace pixmpi
