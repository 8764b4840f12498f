// The clock that the program sees: one for all ranks, advanced by common stamps.
//
// A tick brings a stamp. From there the clock moves by a small, deterministic step for each time it is read. So ranks
// that read it equally often see equal values, and times measured within a callback are never zero. The steps grow with
// the number of readings, so that a loop that waits for the clock ends.
//
// In the mode `wall` a loop takes as long as it says: readings that real time lies between bring their own stamps.
// With each stamp rank 0 says at which reading the next one will be, by how fast the last ones came: about a
// millisecond later. At that reading rank 0 sends the stamp without waiting for any rank; the others wait for it there.
//
// In the mode `step` such readings come at growing distances. They bring real time only after a tick has taken seconds:
// a loop that works until some time may look at the clock a few dozen times in all. Tests say MPIGLUT_STEP_PATIENCE.
//
// Before the first tick the stamp is the instant the launcher started the run.
#pragma once

#include "run/options.h"

#include <cstdint>

namespace mpiglut::clock {

struct Stamp {
    std::int64_t realtime_ns = 0;  ///< since 1970
    std::int64_t monotonic_ns = 0; ///< CLOCK_MONOTONIC of rank 0's host
    std::int64_t readings = 0;     ///< from here to the next common stamp; 0: there is none before the next tick
};

/// From the library's constructor: the interposed time functions are virtual from here on, for callers that belong to
/// the program (its executable and its own libraries, not libGL, libX11, libmpi, libglut, libc or this one).
void begin(const RunOptions &options);

/// On rank 0 sends the stamp to all ranks; on the others waits for it. False when rank 0 took another path.
using Share = bool (*)(Stamp &stamp);
/// Once the ranks can talk: from here on they share stamps within a tick. `leads`: this is rank 0.
void connect(bool leads, Share share);

/// From now on the processor's time-stamp counter is the program's clock, too: nanoseconds. False where that cannot be.
bool claim_counter();

/// The stamp that rank 0 gives the next tick: real time in mode wall (never behind what was already handed out), the
/// last stamp plus 1/HZ in mode step. Rank 0 only.
Stamp next_stamp();
/// Every rank, when it executes a tick, or begins another frame in the same tick; for the thread that draws, when it
/// begins a frame.
void set_stamp(const Stamp &stamp);
/// The thread of the ticks has made or let go of a GL context: the clock of a thread that draws goes on from here.
void hand_over();
/// Rank 0: the stamp that a thread begins with that draws from now on. It is never behind what the program saw when it
/// handed the context over; in the mode `step` it depends on nothing else.
Stamp first_stamp_of_drawing();
/// This thread is the one that executes the ticks. Until a call says so, that is main()'s thread.
void run_ticks_here();
void run_ticks_in(pthread_t thread);
pthread_t thread_of_ticks();
/// In a child of the process, which gets no ticks: its clock goes on as real time does.
void let_flow();

/// The program's monotonic clock now; counts as a read, so it advances the clock as the program's own reads do.
std::int64_t read_monotonic_ns();
/// This thread's current stamp, without advancing anything.
Stamp stamp();
/// How often the program's main thread has read the clock since the last set_stamp (for the divergence digest).
std::uint64_t reads();

/// False in mode `off` and without a launcher: everything passes through.
bool is_virtual();

/// Real clocks for the library's own use, whatever the mode. CLOCK_MONOTONIC and CLOCK_REALTIME in ns.
std::int64_t real_monotonic_ns();
std::int64_t real_realtime_ns();

} // namespace mpiglut::clock
