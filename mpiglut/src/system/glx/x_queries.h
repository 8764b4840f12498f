// What the program is told where it asks the X server, and not GLUT, about the pointer.
#pragma once

#include "sync/tick.h"

namespace mpiglut {

/// Every rank, for each event of a tick: where the pointer is from now on, and what is pressed.
void note_pointer(const Event &event);

} // namespace mpiglut
