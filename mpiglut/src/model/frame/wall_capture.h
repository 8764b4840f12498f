// The wall's picture in a file (--capture), and what a screenshot takes: windows' pictures are kept as they are shown,
// and put together once the frame is complete.
#pragma once

#include "model/window/window.h"
#include "run/capture.h"
#include "run/options.h"

#include <vector>

namespace mpiglut {

/// The next one that is to be made.
const Capture *next_capture();
/// One of this frame is to be made, or of the last one, which this may be.
bool is_wanted(std::int64_t frame);
/// A back buffer is gone once it is shown, so this window's picture is kept before that.
bool is_to_be_kept(Window &window);
/// Keeps it, of a window that shows what this rank renders in it, as it is.
void keep_picture(Window &window, bool front);
/// Before windows go: a capture of the last frame may still be asked for.
void keep_last_pictures();

/// A picture of this rank's tile for each top-level window that was drawn, in the order of their creation; on a wall
/// with a size one for all of them.
std::vector<TilePicture> tile_pictures();
/// Puts the wall's picture together, or those of the windows that it is cut from, and writes them, on all ranks alike:
/// of those captures whose frame is complete.
void capture_complete_frames(std::int64_t complete);
/// Of all that are left, at the end.
void capture_last_frame();

} // namespace mpiglut
