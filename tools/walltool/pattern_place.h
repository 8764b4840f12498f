// Where this process is on the wall, as far as it can know.
#pragma once

#include "wall/wall.h"

#include <string>

namespace walltool {

struct Place {
    int rank = 0, ranks = 1;
    std::string name, host;
    pixmpi::Rect tile;           ///< in wall pixels
    int width = 0, height = 0;   ///< of the wall
    double mm[4] = {0, 0, 0, 0}; ///< the tile in millimetres, if known
};

/// Asks libmpiglut if it is there; else the wall and its one tile are the window of this size.
Place find_place(int window_width, int window_height);

} // namespace walltool
