// Where a process becomes a rank of the wall.
#pragma once

#include "model/window/window_system.h"

namespace mpiglut {

/// Once in a process, in the thread of the ticks: connects the ranks, opens this window system, and agrees with the
/// other ranks on what the program is told of its screen.
void join(WindowSystem &system);

} // namespace mpiglut
