// Waiting without blocking MPI calls: spin briefly, then yield, then sleep.
//
// A blocking MPI call spins; with more ranks than cores the one rank that everybody waits for does not get to run
// (8 ranks on 2 cores: MPI_Barrier 42 ms, this 1.5 ms), and an idle wall would burn every core. Use:
//
//     for (Wait wait; !done(); wait.pause()) {}
//
#pragma once

#include <chrono>

namespace pixmpi {

class Wait {
  public:
    /// `longest`: the longest single sleep, reached step by step by waiting in vain. Ranks that wait for each other in
    /// several rounds add up their sleeps: a barrier of 8 ranks on 2 busy cores takes 6 ms with 1000 us, 2 ms with 250.
    explicit Wait(std::chrono::microseconds longest = std::chrono::microseconds(250));
    /// One step: a few pauses of the core, then sched_yield, then sleeps that grow to `longest`.
    /// `wake_fd` (or -1): a descriptor that ends a sleep at once when it can be read. `at_most`: the longest this one
    /// may be.
    void pause(int wake_fd = -1, std::chrono::microseconds at_most = std::chrono::microseconds::max());
    /// What is waited for came nearer: start again from spinning.
    void reset();
    /// Yields so often before the first sleep, instead of the usual number: more where a sleep would outlast what is
    /// waited for, fewer where it takes the cores that others work on.
    void yield_times(int n) { yields_ = n; }
    /// Where there is a core for each rank: does not sleep for so long. For what a GPU is at, and is over before a
    /// sleep is.
    void stay_awake(std::chrono::microseconds time) { awake_ = time; }
    std::chrono::microseconds awake() const { return awake_; }
    /// Time since construction or reset.
    std::chrono::nanoseconds waited() const;

  private:
    std::chrono::microseconds longest_, sleep_{0}, awake_{0};
    std::chrono::nanoseconds start_;
    int step_ = 0, yields_ = 64; ///< what a neighbour on the same core needs to get a message out
};

/// Says once, at start, how many processes of this job run on this host, so that spinning is left out when there are
/// more of them than cores. Default: 1. `cores`: how many they may use together (launchers bind each to its own core);
/// 0: the number that this process may use.
void set_local_ranks(int n, int cores = 0);

/// Whether there is a core for each of them.
bool cores_suffice();
/// How many cores there are for each; 1 at least.
int cores_for_each_rank();

/// A driver of this process works in its own threads, on the same cores: each rank counts twice.
void set_driver_threads();

} // namespace pixmpi
