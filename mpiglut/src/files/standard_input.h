// Standard input, which every rank gets: in a tick all ranks find the same bytes there, whenever these came.
//
// From glutInit on, what the program reads comes out of a pipe of ours. A thread lets into it what the tick names. A
// program that is stuck until input comes, before its main loop or in a callback, gets what there is.
#pragma once

#include <cstdint>

namespace mpiglut::standard_input {

struct Arrived {
    std::uint64_t bytes = 0; ///< since take_over
    bool ended = false;      ///< and that was all
    bool operator==(const Arrived &) const = default;
};

/// From glutInit, when there are several ranks.
void intercept();
/// Rank 0: what the program may have in the next tick.
Arrived arrived();
/// What the last tick let the program have.
Arrived released();
/// Every rank waits for a tick now: the program does not run.
void pause();
/// Every rank, at the beginning of a tick: comes back when the program is able to read all of it.
void release(const Arrived &what);

} // namespace mpiglut::standard_input
