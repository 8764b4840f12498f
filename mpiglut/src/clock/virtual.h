// What the interposed time functions (reading.cpp, sleeping.cpp, deadlines.cpp, identity.cpp) ask of the clock.
#pragma once

#include <cstdint>
#include <ctime>

namespace mpiglut::clock {

/// Who called an interposed function: MPIGLUT_CALLER, in that function itself.
using Caller = const void *;
#define MPIGLUT_CALLER __builtin_return_address(0)

/// Is time virtual for this caller?
bool serves(Caller caller);

/// The thread that executes the ticks. Its reads count and its sleeps move the clock, because it does the same on every
/// rank. What other threads do is a race in any case: they see the stamp plus the real time since, so that their loops
/// and waits end even while the main thread waits for them, and they never touch what the main thread sees.
bool on_main_thread();

/// The virtual CLOCK_MONOTONIC: on the main thread a counted read, paced to real time in the mode `wall`.
std::int64_t read_ns();
/// The same without counting.
std::int64_t peek_ns();
/// This host's CLOCK_MONOTONIC when the virtual one is `ns`, if time flows as it did since the stamp.
std::int64_t to_real(std::int64_t ns);
/// What to add for the virtual CLOCK_REALTIME.
std::int64_t epoch_ns();
/// Virtual CLOCK_MONOTONIC at the start of the run; processor time counts from there.
std::int64_t start_ns();

/// Main thread: the program slept, or waited in vain, for so long.
void advance(std::int64_t ns);
/// Does a sleep on the main thread take real time? (Mode `wall`; mode `step` only moves the clock.)
bool sleeps_really();

/// What getpid() returns to the program, or 0: the real one.
int virtual_pid();
/// The process that called begin(), by its real number.
int first_pid();
/// The same number on every rank for the n-th call from its main thread.
std::uint64_t next_random();

// Conversions that stay within range, whatever a program passes.
std::int64_t to_ns(const timespec &time);
timespec to_timespec(std::int64_t ns);
std::int64_t add(std::int64_t a, std::int64_t b);

} // namespace mpiglut::clock
