// What a tile renders in addition to what it shows.
//
// What lies behind bezels, for programs that read it back or count it. It is not visible, so no tile draws it, until
// the program asks for it or --behind draw does: then each window is rendered off screen on every tile, larger by the
// tile's share of the gaps around it (Tile::share).
//
// What lies before an odd pixel (even.cpp). A GPU takes derivatives in blocks of 2x2 pixels, which it counts from the
// corner of what is drawn to. A level of a texture, dFdx and fwidth follow from such a block. So a tile that begins at an
// odd pixel of the window would show other colours than one window does: it renders one row or column more, off screen.
// That costs a copy of each frame. So it is done once the program takes derivatives, as far as the library sees, and
// only for windows with some tile that begins so. Programs that count samples are left out, since no sample may be
// drawn by two tiles. Where the wall is cut from windows, the cuts are even: see Wall::cut.
#pragma once

#include "model/window/window.h"

namespace mpiglut {

/// The current window can be drawn off screen, on all ranks: no rank may draw more than the others think. `willing`:
/// this rank would.
bool all_can_present(bool willing = true);

/// Draws the current window off screen from now on, for this reason (Window::behind, even or shared), which changes its
/// part; all ranks together. False, and none does, where an X server refuses.
bool all_go_off_screen(Window &window, bool Window::*reason);

/// New windows are to be drawn so.
bool draws_behind();

/// Draws this window so from now on; all ranks together. Its picture has to be drawn anew.
void draw_behind(Window &window);

/// Between two frames, on all ranks at the same place: once the program has asked (State::behind_asked), all windows
/// are drawn so, and redisplayed; or a line says what is missing.
void draw_behind_if_asked();

/// What a tile renders of `rect`, which lies within the window `whole`, to begin at an even pixel. Drivers count rows
/// from the top of a window or from its bottom.
pixmpi::Rect begun_evenly(const pixmpi::Rect &rect, const pixmpi::Rect &whole);

/// Between two frames, on all ranks at the same place: windows that need it are drawn so from now on, and redisplayed.
/// Windows that have shown more than one frame stay as they are, since what they showed is lost.
void draw_evenly_if_needed();

} // namespace mpiglut
