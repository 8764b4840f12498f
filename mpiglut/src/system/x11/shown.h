// How what the wall's X server shows comes to the tiles. Rank 0 looks where its program's swaps and waits are, and puts a
// record down there: so all ranks show it at the same place of the program. A rank gets the pixels of its own tile.
#pragma once

#include "system/x11/record.h"

namespace mpiglut::x11 {

/// Rank 0, about to wait for its X server, with no order: what has changed is shown, if it is time.
void show_in_wait();
/// All ranks, at a place that all of them come to: a swap, or before a connection ends. False where windows are known to
/// be where they were.
bool show_together();
/// Before the end: what has not been shown yet.
void show_last();

/// Any other rank, in a wait in which rank 0 has shown something.
void show_as_rank_0(const Payload &payload);

} // namespace mpiglut::x11
