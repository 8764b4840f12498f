// Sleeping: the program's main thread moves the virtual clock by exactly what it asked for.

#include "base/export.h"
#include "base/real.h"
#include "base/sockets.h"
#include "clock/clock.h"
#include "clock/role.h"
#include "clock/virtual.h"

#include <algorithm>
#include <cerrno>
#include <threads.h>
#include <unistd.h>

namespace mpiglut::clock {

namespace {

bool valid(const timespec &time) { return time.tv_sec >= 0 && time.tv_nsec >= 0 && time.tv_nsec < 1'000'000'000; }

int sleep_for(const timespec &time, timespec *left) {
    std::int64_t rest = 0;
    const int result = sleep_ns(to_ns(time), rest);
    if (result != 0 && left)
        *left = to_timespec(rest);
    return result;
}

/// A loop that sleeps up to the instants of a fixed beat: in real time, the instant that corresponds.
int sleep_until(std::int64_t deadline) {
    const std::int64_t missing = deadline - peek_ns();
    if (missing <= 0)
        return 0;
    std::int64_t rest = 0;
    if (!is_in_step() || !sleeps_really())
        return sleep_ns(missing, rest);
    const timespec time = to_timespec(to_real(deadline));
    int result = 0;
    if (!sockets::any || !sockets::sleep_until(to_real(deadline), result))
        result = REAL(clock_nanosleep)(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr);
    if (result == 0)
        advance(missing);
    return result;
}

int as_errno(int result) {
    if (result != 0)
        errno = result;
    return result == 0 ? 0 : -1;
}

bool is_slept_on(clockid_t id) { return id == CLOCK_REALTIME || id == CLOCK_MONOTONIC || id == CLOCK_BOOTTIME; }

} // namespace

int sleep_ns(std::int64_t ns, std::int64_t &rest) {
    rest = 0;
    int result = 0;
    if (const std::int64_t until = add(real_monotonic_ns(), ns);
        sockets::any && is_in_step() && sleeps_really() && sockets::sleep_until(until, result)) {
        rest = result == 0 ? 0 : std::max<std::int64_t>(until - real_monotonic_ns(), 0);
    } else if (!is_in_step() || sleeps_really()) {
        const timespec time = to_timespec(ns);
        timespec left{};
        if ((result = REAL(clock_nanosleep)(CLOCK_MONOTONIC, 0, &time, &left)) != 0)
            rest = to_ns(left);
    }
    if (is_in_step())
        advance(ns - rest);
    return result;
}

int sleep_by_clock(Caller caller, clockid_t id, int flags, const timespec *time, timespec *left) {
    if (!is_slept_on(id) || !time || !valid(*time) || !serves(caller))
        return REAL(clock_nanosleep)(id, flags, time, left);
    if (!(flags & TIMER_ABSTIME))
        return sleep_for(*time, left);
    return sleep_until(to_ns(*time) - (id == CLOCK_REALTIME ? epoch_ns() : 0));
}

} // namespace mpiglut::clock

namespace virtual_clock = mpiglut::clock;

MPIGLUT_EXPORT unsigned sleep(unsigned seconds) {
    if (!virtual_clock::serves(MPIGLUT_CALLER))
        return REAL(sleep)(seconds);
    std::int64_t rest = 0;
    virtual_clock::sleep_ns(std::int64_t{seconds} * 1'000'000'000, rest);
    return static_cast<unsigned>((rest + 999'999'999) / 1'000'000'000);
}

MPIGLUT_EXPORT int usleep(useconds_t microseconds) {
    if (!virtual_clock::serves(MPIGLUT_CALLER))
        return REAL(usleep)(microseconds);
    std::int64_t rest = 0;
    return virtual_clock::as_errno(virtual_clock::sleep_ns(std::int64_t{microseconds} * 1000, rest));
}

MPIGLUT_EXPORT int nanosleep(const timespec *time, timespec *left) {
    if (!virtual_clock::serves(MPIGLUT_CALLER) || !time || !virtual_clock::valid(*time))
        return REAL(nanosleep)(time, left);
    return virtual_clock::as_errno(virtual_clock::sleep_for(*time, left));
}

MPIGLUT_EXPORT int clock_nanosleep(clockid_t id, int flags, const timespec *time, timespec *left) {
    return virtual_clock::sleep_by_clock(MPIGLUT_CALLER, id, flags, time, left);
}

MPIGLUT_EXPORT int thrd_sleep(const timespec *time, timespec *left) {
    const int result = virtual_clock::sleep_by_clock(MPIGLUT_CALLER, CLOCK_REALTIME, 0, time, left);
    return result == 0 ? 0 : result == EINTR ? -1 : -2;
}

// What std::this_thread::sleep_for calls in programs that were built where the headers did not know nanosleep.
MPIGLUT_EXPORT void mpiglut_gnu_sleep_for(std::int64_t seconds, std::int64_t nanoseconds) asm(
    "_ZNSt11this_thread11__sleep_forENSt6chrono8durationIlSt5ratioILl1ELl1EEEENS1_IlS2_ILl1ELl1000000000EEEE");
void mpiglut_gnu_sleep_for(std::int64_t seconds, std::int64_t nanoseconds) {
    const bool virtual_now = virtual_clock::serves(MPIGLUT_CALLER);
    std::int64_t rest = virtual_clock::to_ns({static_cast<time_t>(seconds), static_cast<long>(nanoseconds)});
    while (rest > 0 && virtual_now && virtual_clock::sleep_ns(rest, rest) != 0) {
    }
    timespec time = virtual_clock::to_timespec(rest);
    while (!virtual_now && REAL(nanosleep)(&time, &time) != 0 && errno == EINTR) {
    }
}
