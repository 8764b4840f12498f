// What the interposed time functions (reading, sleeping, waiting, deadlines, identity) ask of the clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <functional>
#include <optional>

namespace mpiglut::clock {

/// Who called an interposed function: MPIGLUT_CALLER, in that function itself.
using Caller = const void *;
#define MPIGLUT_CALLER __builtin_return_address(0)

/// Is time virtual for this caller?
bool serves(Caller caller);
/// The same, where the C++ library may call on the program's behalf.
bool serves_behind_cpp_library(Caller caller);
/// Does this caller get random numbers that are the same on every rank? No cryptographic library does.
bool shares_random(Caller caller);

/// This thread executes the ticks. Its reads count and its sleeps move its clock, because it does the same on every
/// rank; so do those of the thread that draws, on its own clock (clock/role.h). What other threads do is a race in
/// any case: they see the stamp plus the real time since, so that their loops and waits end even while the main thread
/// waits for them, and they never touch what the two see.
bool on_main_thread();

/// A reading of one of the clocks that are virtual. Others (of other processes, of devices) are not: nothing.
std::optional<std::int64_t> read_clock(clockid_t id);
/// The same without counting.
std::optional<std::int64_t> peek_clock(clockid_t id);
/// The virtual CLOCK_MONOTONIC: in a thread in step a counted reading, which may bring a common stamp.
std::int64_t read_ns();
/// The same without counting.
std::int64_t peek_ns();
/// This host's CLOCK_MONOTONIC when the virtual one is `ns`, if time flows as it did since the stamp.
std::int64_t to_real(std::int64_t ns);
/// What to add for the virtual CLOCK_REALTIME.
std::int64_t epoch_ns();
/// Virtual CLOCK_MONOTONIC at the start of the run; processor time counts from there.
std::int64_t start_ns();

/// Thread in step: the program slept for so long.
void advance(std::int64_t ns);
/// Thread in step: a wait is over that ends differently on each rank. It came to its time-out after `in_vain_ns`, or
/// ended before (0). Rank 0's wait counts: the next reading brings a common stamp.
void waited(std::int64_t in_vain_ns);
/// Does a sleep in such a thread take real time? (Mode `wall`; mode `step` only moves the clock.)
bool sleeps_really();
/// Sleeps as the program wants to: 0, or EINTR with what is left in `rest`.
int sleep_ns(std::int64_t ns, std::int64_t &rest);
/// As clock_nanosleep().
int sleep_by_clock(Caller caller, clockid_t id, int flags, const timespec *time, timespec *left);

/// The connection to the X server: each rank has its own, and input on any of them is the wall's.
struct Connection {
    /// -1 where there is none, or where this thread does not execute the ticks.
    int (*descriptor)();
    /// Waits, together with the other ranks, until something has come on the connection of any, or until `others_ready`
    /// says so on rank 0, or for `ns` (negative: forever). True, on all ranks, when something has come.
    bool (*wait)(std::int64_t ns, const std::function<bool()> &others_ready);
};
/// From here on select() and similar calls wait so for the connection, which stays.
void connect_waits(const Connection *connection);

/// What getpid() returns to the program, or 0: the real one.
int virtual_pid();
/// The process that called begin(), by its real number.
int first_pid();
/// What getpid() returns to this caller if it is not the real number, else 0. A child of the program has its own again.
int number_for(Caller caller);
/// The same for gettid() in main()'s thread.
int thread_number_for(Caller caller);
/// What getppid() returns to this caller.
int parent_number(Caller caller);
/// The real number of the process or thread that this caller calls `number`.
int real_number(Caller caller, int number);
/// What the program is told of the host: the name of rank 0's. Empty: the real one.
const char *virtual_host();
/// How many processors the program is told of: as many as rank 0's host has. 0: as many as there are.
int virtual_processors();
/// The same number on every rank for the n-th call from a thread in step.
std::uint64_t next_random();
/// While it lives, random numbers of the ticks' thread are not the program's. Its numbers then go on from where
/// they were.
class RandomOfOthers {
  public:
    RandomOfOthers();
    ~RandomOfOthers();
    RandomOfOthers(const RandomOfOthers &) = delete;
    RandomOfOthers &operator=(const RandomOfOthers &) = delete;

  private:
    std::uint64_t drawn_;
};
/// The same number at any time of the run.
std::uint64_t constant_random(unsigned which);
/// The same bytes.
void fill_with_random(void *buffer, std::size_t size);
/// The C library's own syscall(), whatever it is asked for.
long real_syscall(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0);

/// While it lives this thread, and what it starts, reads the processor's counter freely. Ways to start a program other
/// than fork inherit the stop from the thread that does it.
class FreeCounter {
  public:
    FreeCounter();
    ~FreeCounter();
    FreeCounter(const FreeCounter &) = delete;
    FreeCounter &operator=(const FreeCounter &) = delete;
};

// Conversions that stay within range, whatever a program passes.
std::int64_t to_ns(const timespec &time);
timespec to_timespec(std::int64_t ns);
std::int64_t add(std::int64_t a, std::int64_t b);

} // namespace mpiglut::clock
