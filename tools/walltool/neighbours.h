// How the tiles of a wall lie to each other: what overlaps, what is between them, which places of the grid are empty.
#pragma once

#include "wall/wall.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace walltool {

/// The wall that `spec` describes, or nothing, after its errors went to standard error. A wall that cuts the program's
/// window gets a nominal one, as there is no program here; from_window stays set.
std::optional<pixmpi::Wall> load(const std::string &spec);

struct Overlap {
    int first, second; ///< ranks
    pixmpi::Rect area;
};
std::vector<Overlap> overlaps(const pixmpi::Wall &wall);

/// Distances in pixels from tiles to the next one to their right, and below; each distance once, 0 left out.
struct Gaps {
    std::set<int> across, down;
};
Gaps gaps(const pixmpi::Wall &wall);

struct Hole {
    int column, row;
    pixmpi::Rect rect; ///< where its row and column cross; empty if nothing else is in one of them
};
std::vector<Hole> holes(const pixmpi::Wall &wall);

} // namespace walltool
