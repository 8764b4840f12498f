// The operator moves tiles and changes their colours while the program runs. Both come as events of a tick, so that all
// ranks have the same wall in every frame.
#pragma once

#include "sync/tick.h"

namespace mpiglut {

/// Event::Kind::place
void place_tile(const Event &event);
/// Event::Kind::correct
void correct_tile(const Event &event);

} // namespace mpiglut
