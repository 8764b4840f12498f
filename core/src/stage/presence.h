// What a process shows of itself to the others of its host, in its stage memory: whether its program calls the library,
// and a word that wakes the thread which serves them while it does not.
#pragma once

#include <atomic>
#include <chrono>
#include <climits>
#include <cstdint>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace pixmpi {

class Presence {
  public:
    // Called by other processes.

    /// What this process has to look at has been written, by stores in the one order of all threads (seq_cst).
    void wake_if_wanted() {
        if (wants_wake_.load() && wants_wake_.exchange(0)) // one of those who ask wakes it
            wake();
    }
    /// Counts what the program's calls do. It stands still while the program calls nothing.
    std::uint32_t passes() const { return passes_.load(std::memory_order_relaxed); }
    /// Runs that have seen nothing of their first dispatch yet: a driver may be compiling.
    bool starts_runs() const { return starting_.load(std::memory_order_relaxed) != 0; }

    // Called by the process itself.

    /// Its thread sleeps, and no call of the program's looks after messages. Look at what there is behind this.
    void want_wake(bool yes) { wants_wake_.store(yes ? 1 : 0); }
    void wake() {
        wakes_.fetch_add(1);
        syscall(SYS_futex, &wakes_, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
    }
    std::uint32_t wakes() const { return wakes_.load(); }
    /// Until wake() is called, unless that has happened since wakes() was `since`. At most so long; zero: forever.
    void sleep(std::uint32_t since, std::chrono::microseconds longest) {
        const timespec time{static_cast<time_t>(longest.count() / 1000000),
                            static_cast<long>(longest.count() % 1000000) * 1000};
        syscall(SYS_futex, &wakes_, FUTEX_WAIT, since, longest.count() ? &time : nullptr, nullptr, 0);
    }
    void count_pass() { passes_.store(passes() + 1, std::memory_order_relaxed); }
    void start_run() { starting_.fetch_add(1, std::memory_order_relaxed); }
    void show_run() { starting_.fetch_sub(1, std::memory_order_relaxed); }

  private:
    alignas(64) std::atomic<std::uint32_t> wakes_{0};
    std::atomic<std::uint32_t> wants_wake_{0};
    alignas(64) std::atomic<std::uint32_t> passes_{0}; ///< written in every pass, so that no one waits for the others
    std::atomic<std::uint32_t> starting_{0};
};

static_assert(sizeof(Presence) == 128 && std::atomic<std::uint32_t>::is_always_lock_free);

} // namespace pixmpi
