// From events to the program's callbacks, in the order and with the current window that FreeGLUT would have.
#pragma once

#include "sync/tick.h"

namespace mpiglut {

void dispatch(const Event &event);
/// Reshape and display callbacks that are due, window by window, parents before children.
void process_windows();
/// Something for process_windows to do.
bool windows_pending();

} // namespace mpiglut
