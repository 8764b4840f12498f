// What an X display shows, and what of it stands for a wall.
#pragma once

#include "run/capture.h"
#include "wall.h"

#include <string>

namespace wall_test {

/// The wall as a viewer of its monitors sees it, when all tiles' windows are on this one display; gaps black. Empty
/// without a display.
mpiglut::Picture wall_on_screen(const std::string &display, const pixmpi::Wall &wall);

} // namespace wall_test
