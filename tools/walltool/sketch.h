// A wall drawn with + - | and the ranks.
#pragma once

#include "wall/wall.h"

#include <string>
#include <vector>

namespace walltool {

/// The lines of the sketch, at most `width` characters each; none when the tiles are too many or too small to show.
std::vector<std::string> sketch(const pixmpi::Wall &wall, int width);

} // namespace walltool
