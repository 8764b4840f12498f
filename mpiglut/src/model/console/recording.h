// Recordings and replays that the operator begins while the program runs, on rank 0. Instants count from where the
// recording began, and from where the replay does.
#pragma once

#include "sync/tick.h"

namespace mpiglut::recording {

/// From the dashboard: the operator's wish, or a piece of a recording that is to be replayed; false for all else.
bool handle(const Event &event);
/// The events of a tick, which has been ordered at this instant.
void tell(std::span<const Event> events, std::int64_t frame, std::int64_t after);
/// A replay of the operator's is over when all its events have been dealt.
void finish_replay();

} // namespace mpiglut::recording
