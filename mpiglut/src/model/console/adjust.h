// The operator moves tiles and changes their colours while the program runs. Both come as events of a tick, so that all
// ranks have the same wall in every frame.
#pragma once

#include "sync/operator_events.h"

namespace mpiglut {

void place_tile(const MovedTile &moved);
void correct_tile(const CorrectedTile &corrected);

} // namespace mpiglut
