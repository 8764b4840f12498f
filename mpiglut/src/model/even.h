// Tiles that begin at an even pixel of the window. A GPU takes derivatives in blocks of 2x2 pixels, which it counts from
// the corner of what is drawn to. A level of a texture, dFdx and fwidth follow from such a block. So a tile that begins
// at an odd pixel would show other colours than one window does.
//
// A tile that begins at an odd pixel of a window renders one row or column more, off screen. That costs a copy of each
// frame. So it is done once the program takes derivatives, as far as the library sees, and only for windows of which
// some tile begins so. Programs that count samples are left out, since no sample may be drawn by two tiles. Where the
// wall is cut from windows, the cuts are even: see Wall::cut.
#pragma once

#include "model/window.h"

namespace mpiglut {

/// What a tile renders of `rect`, which lies within the window `whole`, to begin at an even pixel. Drivers count rows
/// from the top of a window or from its bottom.
pixmpi::Rect begun_evenly(const pixmpi::Rect &rect, const pixmpi::Rect &whole);

/// Between two frames, on all ranks at the same place: windows that need it are drawn so from now on, and redisplayed.
/// Windows that have shown more than one frame stay as they are, since what they showed is lost.
void draw_evenly_if_needed();

} // namespace mpiglut
