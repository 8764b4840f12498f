// A picture cut into blocks, one for each rank.
#pragma once

#include "error.h"

#include <pixmpi.h>
#include <string>

namespace demo {

/// columns x rows blocks, and one of them.
struct Grid {
    int columns = 1, rows = 1, column = 0, row = 0;

    /// Its pixels. Blocks differ by one in size where the division leaves a rest.
    pixMPI_Rect block(int width, int height) const {
        const int x = width * column / columns, y = height * row / rows;
        return {x, y, width * (column + 1) / columns - x, height * (row + 1) / rows - y};
    }
};

/// The place of `rank` in the grid with the shortest cuts.
inline Grid grid_of(int rank, int ranks, int width, int height) {
    Grid best{.columns = 0};
    const auto cuts = [&](int columns, int rows) { return columns * height + rows * width; };
    for (int columns = 1; columns <= ranks; ++columns) {
        const int rows = ranks / columns;
        if (columns * rows == ranks && columns <= width && rows <= height &&
            (best.columns == 0 || cuts(columns, rows) < cuts(best.columns, best.rows)))
            best = {columns, rows, rank % columns, rank / columns};
    }
    if (best.columns == 0)
        throw UsageError("--size: " + std::to_string(width) + "x" + std::to_string(height) + " cannot be cut for " +
                         std::to_string(ranks) + " ranks, expected at least a pixel for each");
    return best;
}

} // namespace demo
