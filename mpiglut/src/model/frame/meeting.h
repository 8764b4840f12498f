// Before a swap all ranks meet. How long this rank waits for the others is part of what is measured (TileTimes).
#pragma once

#include <cstdint>

namespace mpiglut {

/// False as for comm::barrier. `frame`: this swap ends one, so that time goes on.
bool meet_the_others(bool frame);
/// The same for a window that is shown without a frame of its own.
bool meet_before_show();
/// Meets the others once the GPU has drawn what it was given: a swap that waits for drawing comes later than the
/// others.
void meet_when_drawn(bool frame);

/// How long the thread of the ticks has waited so, in all.
std::int64_t waited_for_swaps_ns();

} // namespace mpiglut
