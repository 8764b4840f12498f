// A rank that comes back (sync/returning.h) runs the program from the beginning, unseen.
#pragma once

namespace mpiglut {

/// Between two ticks: once the rank has caught up, its tile shows what it would have shown all the time.
void appear_if_caught_up();

} // namespace mpiglut
