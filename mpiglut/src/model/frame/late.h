// Late frames (--balance latency:1): all ranks have drawn a frame, and no screen shows it until the next one has been
// drawn. Meanwhile the ranks' pixels travel.
#pragma once

#include "model/window/window.h"

#include <functional>

namespace mpiglut {

/// Shows what has been rendered off screen for this window, or keeps a frame that is to be shown late; all ranks decide
/// alike. `front`: of the front buffer. `frame`: it ends one. `meet`: as gl::Showing::meet.
void present_frame(Window &window, bool front, bool frame, const std::function<bool()> &meet);
/// All ranks at once: shows the last frame if it has been held back. Where the run ends, no rank waits for the others
/// to show it together.
void show_late_frame(bool together = true);

} // namespace mpiglut
