// The end of a frame: all tiles meet (meeting.h), show it together, and what --capture, --frames and --stats want is
// done.
#pragma once

#include "model/window/window.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

namespace mpiglut {

/// What a thread has shown.
struct Frames {
    std::atomic<std::int64_t> complete{0};
    std::int64_t tick = 0;                ///< when the last one was completed
    bool open = false;                    ///< windows that are shown now for the first time belong to the last frame
    std::vector<std::int64_t> swap_times; ///< of those that rank 0 has not been told of
};

/// This thread's.
Frames &frames_here();

/// Around a window's display callback.
void begin_display(Window &window);
void end_display(Window &window);

/// What several windows show in one tick is one frame. A window that is shown once more begins another.
bool begins_frame(Window &window);

/// The window's buffers are to be exchanged; from what the program calls for that.
void swap(Window &window, const std::function<void()> &exchange);

/// At the end of a tick: takes the picture that --capture asked for, and ends the run after --frames.
void finish_frames();
/// A window that has not been shown when it should have: shows it, without the other ranks. It is current.
void show_unseen(Window &window);

} // namespace mpiglut
