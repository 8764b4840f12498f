// The program's memory at the same addresses on all ranks.
#pragma once

namespace mpiglut::x11 {

/// Before the program begins, in main()'s thread.
void begin_heap();

} // namespace mpiglut::x11
