// Waits with a deadline: the program works it out from the virtual clock, the C library waits by the real one.

#include "base/export.h"
#include "base/real.h"
#include "clock/clock.h"
#include "clock/role.h"
#include "clock/virtual.h"

#include <cerrno>
#include <cstdlib>
#include <pthread.h>
#include <semaphore.h>

namespace mpiglut::clock {

namespace {

constexpr clockid_t not_said = -1;

/// The clock of a deadline that does not come with one: the one that is nearer.
clockid_t guess(const timespec &deadline) {
    const std::int64_t at = to_ns(deadline), monotonic = peek_ns();
    const std::int64_t realtime = add(monotonic, epoch_ns());
    return at > monotonic + (realtime - monotonic) / 2 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
}

/// wait(real deadline) -> result; timed_out(result).
template <class Wait, class TimedOut>
auto wait_until(Caller caller, clockid_t id, const timespec *deadline, Wait wait, TimedOut timed_out) {
    const bool known = id == CLOCK_REALTIME || id == CLOCK_MONOTONIC || id == not_said;
    if (!known || !deadline || deadline->tv_nsec < 0 || deadline->tv_nsec >= 1'000'000'000 || !serves(caller))
        return wait(deadline);
    if (id == not_said)
        id = guess(*deadline);
    const std::int64_t now = add(peek_ns(), id == CLOCK_REALTIME ? epoch_ns() : 0);
    const std::int64_t missing = to_ns(*deadline) - now;
    const std::int64_t real_now = id == CLOCK_REALTIME ? real_realtime_ns() : real_monotonic_ns();
    const timespec real = to_timespec(add(real_now, missing));
    auto result = wait(&real);
    if (is_in_step())
        waited(timed_out(result) ? missing : 0); // not moved, it would wait for the same instant again
    return result;
}

constexpr auto says_so = [](int result) { return result == ETIMEDOUT; };
constexpr auto says_so_in_errno = [](int result) { return result == -1 && errno == ETIMEDOUT; };

} // namespace

} // namespace mpiglut::clock

namespace virtual_clock = mpiglut::clock;

MPIGLUT_EXPORT int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const timespec *deadline) {
    return virtual_clock::wait_until(
        MPIGLUT_CALLER, virtual_clock::not_said, deadline,
        [&](const timespec *real) { return REAL(pthread_cond_timedwait)(condition, mutex, real); },
        virtual_clock::says_so);
}

MPIGLUT_EXPORT int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t id,
                                          const timespec *deadline) {
    return virtual_clock::wait_until(
        MPIGLUT_CALLER, id, deadline,
        [&](const timespec *real) { return REAL(pthread_cond_clockwait)(condition, mutex, id, real); },
        virtual_clock::says_so);
}

MPIGLUT_EXPORT int pthread_mutex_timedlock(pthread_mutex_t *mutex, const timespec *deadline) noexcept {
    return virtual_clock::wait_until(
        MPIGLUT_CALLER, CLOCK_REALTIME, deadline,
        [&](const timespec *real) { return REAL(pthread_mutex_timedlock)(mutex, real); }, virtual_clock::says_so);
}

MPIGLUT_EXPORT int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t id, const timespec *deadline) noexcept {
    return virtual_clock::wait_until(
        MPIGLUT_CALLER, id, deadline,
        [&](const timespec *real) { return REAL(pthread_mutex_clocklock)(mutex, id, real); }, virtual_clock::says_so);
}

MPIGLUT_EXPORT int sem_timedwait(sem_t *semaphore, const timespec *deadline) {
    return virtual_clock::wait_until(
        MPIGLUT_CALLER, CLOCK_REALTIME, deadline,
        [&](const timespec *real) { return REAL(sem_timedwait)(semaphore, real); }, virtual_clock::says_so_in_errno);
}

MPIGLUT_EXPORT int sem_clockwait(sem_t *semaphore, clockid_t id, const timespec *deadline) {
    return virtual_clock::wait_until(
        MPIGLUT_CALLER, id, deadline,
        [&](const timespec *real) { return REAL(sem_clockwait)(semaphore, id, real); },
        virtual_clock::says_so_in_errno);
}
