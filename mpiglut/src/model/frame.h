// The end of a frame: all tiles meet, show it together, and what --capture, --frames and --stats want is done.
#pragma once

#include "model/window.h"

#include <functional>

namespace mpiglut {

/// Around a window's display callback.
void begin_display(Window &window);
void end_display(Window &window);

/// What several windows show in one tick is one frame. A window that is shown once more begins another.
bool begins_frame(Window &window);

/// The window's buffers are to be exchanged; from what the program calls for that.
void swap(Window &window, const std::function<void()> &exchange);

/// All ranks at once: shows the last frame if --balance latency:1 has held it back. Where the run ends, no rank waits
/// for the others to show it together.
void show_late_frame(bool together = true);

/// At the end of a tick: takes the picture that --capture asked for, and ends the run after --frames.
void finish_frames();
/// Before windows go: a capture of the last frame may still be asked for.
void keep_last_pictures();
/// Puts the wall's picture together, or those of the windows that it is cut from, and writes them, on all ranks alike;
/// once.
void capture_now();

/// A window that has not been shown when it should have: shows it, without the other ranks. It is current.
void show_unseen(Window &window);

} // namespace mpiglut
