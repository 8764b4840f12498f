#include "base/wait.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include <poll.h>
#include <sched.h>
#include <time.h>

namespace pixmpi {

namespace {

constexpr int spins = 64; // bursts of pauses, about 50 microseconds in all
constexpr std::chrono::microseconds first_sleep{20};

std::atomic<int> local_ranks{1}, local_cores{0}, threads_of_a_rank{1};

// Not std::chrono: where mpiglut gives a program its own clock, the C++ library's clocks belong to the program.
std::chrono::nanoseconds now() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

// What comes soon should be noticed soon, so the bursts begin short.
void relax(int step) {
    for (int i = 0; i < std::min(16, 1 + step / 2); ++i) {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        asm volatile("yield");
#endif
    }
}

/// Until then yielding is left out.
std::atomic<std::int64_t> busy_until{0};

/// A thread that yields waits for a time slice of each other thread that wants its core, a thread that sleeps does not.
/// So after a yield that took long, sleeping is shorter for a while.
void yield() {
    constexpr std::chrono::microseconds long_time{500};
    constexpr std::chrono::milliseconds a_while{100};
    const auto begun = now();
    sched_yield();
    if (const auto over = now(); over - begun > long_time)
        busy_until.store((over + a_while).count(), std::memory_order_relaxed);
}

bool yielding_is_slow() { return now().count() < busy_until.load(std::memory_order_relaxed); }

void sleep_or_wake(std::chrono::microseconds duration, int wake_fd) {
    const timespec time{static_cast<time_t>(duration.count() / 1000000),
                        static_cast<long>(duration.count() % 1000000) * 1000};
    pollfd descriptor{wake_fd, POLLIN, 0};
    ppoll(&descriptor, wake_fd >= 0 ? 1 : 0, &time, nullptr);
}

/// Of all ranks of this host together.
int all_cores() {
    static const int cores = [] {
        cpu_set_t set;
        if (sched_getaffinity(0, sizeof set, &set) == 0)
            return std::max(1, CPU_COUNT(&set));
        return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    }();
    const int together = local_cores.load(std::memory_order_relaxed);
    return together ? together : cores;
}

} // namespace

bool cores_suffice() {
    return local_ranks.load(std::memory_order_relaxed) * threads_of_a_rank.load(std::memory_order_relaxed) <=
           all_cores();
}

int cores_for_each_rank() { return std::max(1, all_cores() / local_ranks.load(std::memory_order_relaxed)); }

void set_local_ranks(int n, int cores) {
    local_ranks.store(std::max(1, n), std::memory_order_relaxed);
    local_cores.store(std::max(0, cores), std::memory_order_relaxed);
}

void set_driver_threads() { threads_of_a_rank.store(2, std::memory_order_relaxed); }

Wait::Wait(std::chrono::microseconds longest)
    : longest_(std::max(longest, std::chrono::microseconds(1))), start_(now()) {}

void Wait::pause(int wake_fd, std::chrono::microseconds at_most) {
    // Spinning only helps when the process that is waited for has its own core.
    if (step_ == 0 && !cores_suffice())
        step_ = spins;
    if (step_ < spins) {
        ++step_;
        relax(step_);
    } else if (cores_suffice() ? step_ < spins + yields_ || (awake_.count() && waited() < awake_)
                               : step_ < spins + yields_ && !yielding_is_slow()) {
        ++step_;
        yield();
    } else {
        sleep_ = std::min(longest_, sleep_.count() ? sleep_ * 3 / 2 : first_sleep);
        sleep_or_wake(std::min(sleep_, at_most), wake_fd);
    }
}

void Wait::reset() {
    step_ = 0;
    sleep_ = std::chrono::microseconds(0);
    start_ = now();
}

std::chrono::nanoseconds Wait::waited() const { return now() - start_; }

} // namespace pixmpi
