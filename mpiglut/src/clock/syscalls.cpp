// Time, waiting, random bytes and the process number by syscall(), past the C library's own functions.

#include "base/export.h"
#include "base/real.h"
#include "clock/deadline.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <iterator>
#include <span>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

namespace mpiglut::clock {

namespace {

using Arguments = long[6];

template <class T> T *pointer(long argument) { return reinterpret_cast<T *>(argument); }

bool read_into(timespec *time, clockid_t id) {
    const auto now = time ? read_clock(id) : std::nullopt;
    if (now)
        *time = to_timespec(*now);
    return now.has_value();
}

long sleep(Caller caller, clockid_t id, int flags, long time, long left) {
    const int result = sleep_by_clock(caller, id, flags, pointer<timespec>(time), pointer<timespec>(left));
    if (result != 0)
        errno = result;
    return result == 0 ? 0 : -1;
}

// The calls that are answered here. Looking at who calls is only for them.
constexpr long answered[] = {
    SYS_getrandom,    SYS_getpid,    SYS_gettid,          SYS_getppid, SYS_clock_gettime,
    SYS_gettimeofday, SYS_nanosleep, SYS_clock_nanosleep,
#ifdef SYS_time
    SYS_time
#endif
};

/// False when it has to go on to the system after all.
bool answer(long number, const Arguments &a, Caller caller, long &result) {
    timespec time{};
    switch (number) {
    case SYS_getrandom:
        result = a[1];
        if (!a[0] || !shares_random(caller))
            return false;
        fill_with_random(pointer<void>(a[0]), static_cast<std::size_t>(a[1]));
        return true;
    case SYS_getpid:
        result = number_for(caller);
        return result != 0;
    case SYS_gettid:
        result = thread_number_for(caller);
        return result != 0;
    case SYS_getppid:
        result = parent_number(caller);
        return true;
    case SYS_clock_gettime:
        result = 0;
        return read_into(pointer<timespec>(a[1]), static_cast<clockid_t>(a[0]));
    case SYS_nanosleep:
        result = sleep(caller, CLOCK_MONOTONIC, 0, a[0], a[1]);
        return true;
    case SYS_clock_nanosleep:
        result = sleep(caller, static_cast<clockid_t>(a[0]), static_cast<int>(a[1]), a[2], a[3]);
        return true;
    case SYS_gettimeofday:
        result = 0;
        if (!a[0] || !read_into(&time, CLOCK_REALTIME))
            return false;
        if (a[1])
            *pointer<struct timezone>(a[1]) = {};
        *pointer<timeval>(a[0]) = {time.tv_sec, time.tv_nsec / 1000};
        return true;
#ifdef SYS_time
    case SYS_time:
        read_into(&time, CLOCK_REALTIME);
        result = time.tv_sec;
        if (a[0])
            *pointer<time_t>(a[0]) = time.tv_sec;
        return true;
#endif
    default:
        return false;
    }
}

/// How many arguments, from the first, are numbers of processes or threads.
std::size_t named_by(long number) {
    switch (number) {
    case SYS_tgkill: return 2;
    case SYS_tkill:
    case SYS_kill:
    case SYS_sched_setaffinity:
    case SYS_sched_getaffinity:
    case SYS_sched_setscheduler:
    case SYS_sched_setattr:
    case SYS_sched_getattr:
    case SYS_pidfd_open: return 1;
    default: return 0;
    }
}

} // namespace

long real_syscall(long number, long a, long b, long c, long d, long e, long f) {
    // Not REAL: its guard waits by a system call, which comes here.
    using Function = long (*)(long, ...);
    constinit static std::atomic<Function> known{nullptr};
    Function real = known.load(std::memory_order_relaxed);
    if (!real) {
        real = reinterpret_cast<Function>(real_symbol("syscall"));
        known.store(real, std::memory_order_relaxed);
    }
    return real(number, a, b, c, d, e, f);
}

} // namespace mpiglut::clock

MPIGLUT_EXPORT long syscall(long number, ...) noexcept {
    namespace virtual_clock = mpiglut::clock;
    va_list list;
    va_start(list, number);
    virtual_clock::Arguments a;
    for (long &argument : a)
        argument = va_arg(list, long);
    va_end(list);
    if (number == SYS_futex)
        return virtual_clock::futex(MPIGLUT_CALLER, a);
    long result = 0;
    const auto &ours = virtual_clock::answered;
    if (std::find(std::begin(ours), std::end(ours), number) != std::end(ours) &&
        virtual_clock::serves(MPIGLUT_CALLER) && virtual_clock::answer(number, a, MPIGLUT_CALLER, result))
        return result;
    for (long &named : std::span(a, virtual_clock::named_by(number)))
        named = virtual_clock::real_number(MPIGLUT_CALLER, static_cast<int>(named));
    return virtual_clock::real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
