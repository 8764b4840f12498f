// Menus that the operator opens by a click on the live picture. FreeGLUT has no part in it: rank 0 knows what is in a
// menu, the page shows that, and the choice goes the way of all input.
#pragma once

#include "sync/tick.h"

#include <vector>

namespace mpiglut {

struct Window;

namespace operator_menu {

/// A button goes down or up, at `at` of the wall; `event` says where in the window. True when a menu opens or closes by
/// that, so that the program hears no more of it.
bool press(std::vector<Event> &events, const Window &window, const Event &event, const Event &at);
/// One is open: the pointer is in it, and not in the program's windows.
bool is_open();
/// The operator has chosen; b: the menu, a: the item, from 1, or 0 for none.
void choose(std::vector<Event> &events, const Event &choice);
/// A menu of FreeGLUT's on a tile, which the operator sees.
void note_tile(const Event &status);
/// Tells the operator what has not been told because there was no room.
void tell();

} // namespace operator_menu
} // namespace mpiglut
