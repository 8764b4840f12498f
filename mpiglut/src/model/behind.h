// What lies behind bezels, for programs that read it back or count it. Nobody sees it, so nobody draws it, until the
// program asks for it or --behind draw does: then each window is rendered off screen on every tile, larger by the
// tile's share of the gaps around it (Tile::share).
#pragma once

#include "model/window.h"

namespace mpiglut {

/// The current window can be drawn off screen, on all ranks: no rank may draw more than the others think. `willing`:
/// this rank would.
bool all_can_present(bool willing = true);

/// New windows are to be drawn so.
bool draws_behind();

/// Draws this window so from now on; all ranks together. What it shows has to be drawn anew.
void draw_behind(Window &window);

/// Between two frames, on all ranks at the same place: once the program has asked (State::behind_asked), all windows
/// are drawn so, and redisplayed; or a line says what is missing.
void draw_behind_if_asked();

} // namespace mpiglut
