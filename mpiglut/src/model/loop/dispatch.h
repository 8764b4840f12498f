// From events to the program's callbacks, in the order and with the current window that FreeGLUT would have.
#pragma once

#include "sync/tick.h"

namespace mpiglut {

/// The callbacks for a tick's events, in their order. New windows are told of their sizes first.
void dispatch(const std::vector<Event> &events);
/// Reshape callbacks that are due, then display callbacks that are due: each in the order of the windows' creation,
/// parents before children.
void process_windows();
/// Something for process_windows to do.
bool windows_pending();

} // namespace mpiglut
