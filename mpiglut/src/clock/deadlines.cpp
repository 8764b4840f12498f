// Waits with a deadline: those of threads, futexes and message queues.

#include "clock/deadline.h"

#include "base/export.h"
#include "base/real.h"
#include "base/locks.h"
#include "base/sockets.h"
#include "clock/clock.h"
#include "clock/role.h"

#include <cerrno>
#include <linux/futex.h>
#include <mqueue.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <threads.h>

namespace mpiglut::clock {

namespace {

bool is_valid(const timespec *time) { return time && time->tv_nsec >= 0 && time->tv_nsec < 1'000'000'000; }

clockid_t guess(const timespec &deadline) {
    const std::int64_t at = to_ns(deadline), monotonic = peek_ns();
    const std::int64_t realtime = add(monotonic, epoch_ns());
    return at > monotonic + (realtime - monotonic) / 2 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
}

constexpr auto says_so = [](int result) { return result == ETIMEDOUT; };
constexpr auto says_so_in_errno = [](auto result) { return result == -1 && errno == ETIMEDOUT; };
constexpr auto says_so_as_thread = [](int result) { return result == thrd_timedout; };

/// The clock of an operation that waits until an instant; nothing for others.
std::optional<clockid_t> clock_of_futex(int operation) {
    switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_LOCK_PI:
        return CLOCK_REALTIME;
    case FUTEX_WAIT_BITSET:
    case FUTEX_WAIT_REQUEUE_PI:
    case FUTEX_LOCK_PI2:
        return operation & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC;
    default:
        return std::nullopt;
    }
}

} // namespace

Deadline::Deadline(Caller caller, clockid_t id, const timespec *given) : real_(given) {
    if (!is_valid(given) || !serves_behind_cpp_library(caller))
        return;
    if (id == not_said)
        id = guess(*given);
    const auto now = peek_clock(id);
    timespec real_now{};
    if (!now || REAL(clock_gettime)(id, &real_now) != 0)
        return;
    missing_ = add(to_ns(*given), -*now);
    translated_ = to_timespec(add(to_ns(real_now), missing_));
    real_ = &translated_;
}

void Deadline::over(bool timed_out) const {
    if (real_ == &translated_ && is_in_step())
        waited(timed_out ? missing_ : 0);
}

long futex(Caller caller, const long (&a)[6]) {
    const auto *given = reinterpret_cast<const timespec *>(a[3]);
    const auto wait = [&](const timespec *time) {
        return real_syscall(SYS_futex, a[0], a[1], a[2], reinterpret_cast<long>(time), a[4], a[5]);
    };
    const int operation = static_cast<int>(a[1]);
    if (const auto id = clock_of_futex(operation); id && given)
        return wait_until(caller, *id, given, wait, says_so_in_errno);
    const long result = wait(given);
    const int error = errno;
    if ((operation & FUTEX_CMD_MASK) == FUTEX_WAIT && is_valid(given) && serves_behind_cpp_library(caller) &&
        is_in_step())
        waited(result == -1 && error == ETIMEDOUT ? to_ns(*given) : 0);
    errno = error;
    return result;
}

} // namespace mpiglut::clock

namespace virtual_clock = mpiglut::clock;

#define UNPACK(...) __VA_ARGS__
/// The type, the function, its arguments before the deadline and their names, the deadline's clock, how the end of the
/// time shows, and what to do until `real`, the deadline by the machine's clock.
#define UNTIL_BY(wait, type, function, parameters, names, id, timed_out, ...)                                          \
    MPIGLUT_EXPORT type function(UNPACK parameters, const timespec *deadline) __VA_ARGS__ {                            \
        const auto caller = MPIGLUT_CALLER;                                                                            \
        return virtual_clock::wait_until(                                                                              \
            caller, id, deadline, [&]([[maybe_unused]] const timespec *real) { return wait; },                         \
            virtual_clock::timed_out);                                                                                 \
    }                                                                                                                  \
    static_assert(true)
#define UNTIL(type, function, parameters, names, ...)                                                                  \
    UNTIL_BY(REAL(function)(UNPACK names, real), type, function, parameters, names, __VA_ARGS__)
/// Of a lock, with the function that acquires it without waiting.
#define LOCK_UNTIL(attempt, lock, function, parameters, names, ...)                                                    \
    UNTIL_BY(mpiglut::locks::acquire(                                                                                  \
                 caller, lock, [&] { return REAL(function)(UNPACK names, real); },                                     \
                 [&] { return REAL(attempt)(lock); }),                                                                 \
             int, function, parameters, names, __VA_ARGS__)
/// Of a condition.
#define CONDITION_UNTIL(mutex, function, parameters, names, ...)                                                       \
    UNTIL_BY(mpiglut::locks::wait_for_condition(caller, mutex, [&] { return REAL(function)(UNPACK names, real); }),    \
             int, function, parameters, names, __VA_ARGS__)

MPIGLUT_EXPORT int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const timespec *deadline) {
    const auto caller = MPIGLUT_CALLER;
    const auto wait = [=](const timespec *real) {
        int result = 0;
        if (mpiglut::sockets::wait_for_condition(caller, condition, mutex, real, result))
            return result;
        return mpiglut::locks::wait_for_condition(
            caller, mutex, [=] { return REAL(pthread_cond_timedwait)(condition, mutex, real); });
    };
    return virtual_clock::wait_until(caller, virtual_clock::Deadline::not_said, deadline, wait, virtual_clock::says_so);
}
CONDITION_UNTIL(mutex, pthread_cond_clockwait, (pthread_cond_t * condition, pthread_mutex_t *mutex, clockid_t id),
                (condition, mutex, id), id, says_so);
CONDITION_UNTIL(reinterpret_cast<pthread_mutex_t *>(mutex), cnd_timedwait, (cnd_t * condition, mtx_t *mutex),
                (condition, mutex), CLOCK_REALTIME, says_so_as_thread);
LOCK_UNTIL(mtx_trylock, mutex, mtx_timedlock, (mtx_t * mutex), (mutex), CLOCK_REALTIME, says_so_as_thread);
LOCK_UNTIL(pthread_mutex_trylock, mutex, pthread_mutex_timedlock, (pthread_mutex_t * mutex), (mutex), CLOCK_REALTIME,
           says_so, noexcept);
LOCK_UNTIL(pthread_mutex_trylock, mutex, pthread_mutex_clocklock, (pthread_mutex_t * mutex, clockid_t id), (mutex, id),
           id, says_so, noexcept);
LOCK_UNTIL(pthread_rwlock_tryrdlock, lock, pthread_rwlock_timedrdlock, (pthread_rwlock_t * lock), (lock),
           CLOCK_REALTIME, says_so, noexcept);
LOCK_UNTIL(pthread_rwlock_trywrlock, lock, pthread_rwlock_timedwrlock, (pthread_rwlock_t * lock), (lock),
           CLOCK_REALTIME, says_so, noexcept);
LOCK_UNTIL(pthread_rwlock_tryrdlock, lock, pthread_rwlock_clockrdlock, (pthread_rwlock_t * lock, clockid_t id),
           (lock, id), id, says_so, noexcept);
LOCK_UNTIL(pthread_rwlock_trywrlock, lock, pthread_rwlock_clockwrlock, (pthread_rwlock_t * lock, clockid_t id),
           (lock, id), id, says_so, noexcept);
LOCK_UNTIL(sem_trywait, semaphore, sem_timedwait, (sem_t * semaphore), (semaphore), CLOCK_REALTIME, says_so_in_errno);
LOCK_UNTIL(sem_trywait, semaphore, sem_clockwait, (sem_t * semaphore, clockid_t id), (semaphore, id), id,
           says_so_in_errno);
UNTIL(int, pthread_timedjoin_np, (pthread_t thread, void **result), (thread, result), CLOCK_REALTIME, says_so);
UNTIL(int, pthread_clockjoin_np, (pthread_t thread, void **result, clockid_t id), (thread, result, id), id, says_so);
UNTIL(ssize_t, mq_timedreceive, (mqd_t queue, char *message, std::size_t size, unsigned *priority),
      (queue, message, size, priority), CLOCK_REALTIME, says_so_in_errno);
UNTIL(int, mq_timedsend, (mqd_t queue, const char *message, std::size_t size, unsigned priority),
      (queue, message, size, priority), CLOCK_REALTIME, says_so_in_errno);
