// Locks that the program's threads acquire in the order of rank 0's program, with --threads ordered. The functions that
// acquire one ask here. What is declared here is defined in system/x11/locks.cpp.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <pthread.h>

namespace mpiglut::locks {

/// --threads ordered.
inline constinit std::atomic<bool> ordered{false};

/// The call that returns to `caller` is one of a thread whose order is kept: by the program, or by a library of X for
/// the program. `lock` is what is acquired.
bool in_order(const void *caller, const volatile void *lock);

using Call = std::function<int()>;
/// For in_order() calls. Rank 0 calls `wait`, which waits for the lock. Any other rank calls `attempt`, which does not
/// wait and returns 0 if it has acquired the lock, when rank 0 has acquired it after the same locks. The result and
/// errno are rank 0's.
int acquire(const Call &wait, const Call &attempt);
/// The same of a condition: rank 0 calls `wait`. Any other rank wakes where rank 0 has, whoever tells the condition.
int wait_for_condition(pthread_mutex_t *mutex, const Call &wait);
/// A time or a random number that a thread gets whose order is kept: rank 0's. The same value for any other thread.
std::int64_t share(std::int64_t value);
/// This thread's order is kept, and the program has made threads: whichever of them has the ticks, each time and random
/// number that this one gets is to be shared.
bool shares_all();

/// As acquire() where that is to be in order, else `wait`.
template <class Wait, class Attempt>
int acquire(const void *caller, const volatile void *lock, Wait wait, Attempt attempt) {
    return ordered.load(std::memory_order_relaxed) && in_order(caller, lock)
               ? acquire(std::ref(wait), std::ref(attempt))
               : wait();
}
template <class Wait> int wait_for_condition(const void *caller, pthread_mutex_t *mutex, Wait wait) {
    return ordered.load(std::memory_order_relaxed) && in_order(caller, mutex)
               ? wait_for_condition(mutex, std::ref(wait))
               : wait();
}

} // namespace mpiglut::locks
