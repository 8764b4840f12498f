// Reading the clock: what the program gets from the C library's time functions, and from std::chrono.

#include "base/export.h"
#include "base/real.h"
#include "clock/clock.h"
#include "clock/role.h"
#include "clock/virtual.h"

#include <algorithm>
#include <atomic>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timeb.h>
#include <sys/times.h>
#include <unistd.h>

namespace mpiglut::clock {

namespace {

constexpr std::int64_t second = 1'000'000'000;

/// The names that clock_getcpuclockid() and pthread_getcpuclockid() give to this process and this thread.
clockid_t plain_name(clockid_t id) {
    constexpr int kind_bits = 3, of_thread = 4, scheduled = 2;
    if (id >= 0 || (id & scheduled) == 0 || (id & 1) != 0)
        return id;
    const long number = ~(id >> kind_bits);
    if (number != 0 && number != real_syscall(id & of_thread ? SYS_gettid : SYS_getpid))
        return id;
    return id & of_thread ? CLOCK_THREAD_CPUTIME_ID : CLOCK_PROCESS_CPUTIME_ID;
}

/// What a clock says when the virtual CLOCK_MONOTONIC is `ns`; nothing for those that are not virtual.
std::optional<std::int64_t> value_of(clockid_t id, std::int64_t ns) {
    switch (plain_name(id)) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_TAI: return add(ns, epoch_ns());
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
    case CLOCK_BOOTTIME_ALARM: return ns;
    case CLOCK_THREAD_CPUTIME_ID:
        if (!is_in_step())
            return std::nullopt;
        [[fallthrough]];
    // The program has worked without a pause since the start of the run: a loop that waits for its processor time ends
    // too, and the time is the same on every rank.
    case CLOCK_PROCESS_CPUTIME_ID: return std::max<std::int64_t>(ns - start_ns(), 0);
    default: return std::nullopt;
    }
}

std::int64_t read_realtime_ns() { return *read_clock(CLOCK_REALTIME); }
std::int64_t read_processor_ns() { return *read_clock(CLOCK_PROCESS_CPUTIME_ID); }

timeval to_timeval(std::int64_t ns) {
    const timespec time = to_timespec(ns);
    return {time.tv_sec, time.tv_nsec / 1000};
}

using Read = int (*)(clockid_t, timespec *);
constinit std::atomic<Read> c_library{nullptr};

/// When the library is loaded, not when the clock is read: AddressSanitizer (GCC 14) reads it inside of malloc and free,
/// also where dlsym calls those.
__attribute__((constructor)) void find_c_library() { c_library.store(REAL(clock_gettime), std::memory_order_relaxed); }

int read_really(clockid_t id, timespec *time) {
    if (const Read read = c_library.load(std::memory_order_relaxed))
        return read(id, time);
    // Other libraries' constructors come first.
#if defined(__x86_64__)
    long failed = SYS_clock_gettime;
    asm volatile("syscall" : "+a"(failed) : "D"(id), "S"(time) : "rcx", "r11", "memory");
#elif defined(__aarch64__)
    register long number asm("x8") = SYS_clock_gettime;
    register timespec *to asm("x1") = time;
    register long failed asm("x0") = id;
    asm volatile("svc 0" : "+r"(failed) : "r"(number), "r"(to) : "memory");
#else
    const long failed = REAL(clock_gettime)(id, time);
#endif
    return failed == 0 ? 0 : -1;
}

clock_t to_ticks(std::int64_t ns) {
    static const std::int64_t per_second = sysconf(_SC_CLK_TCK);
    return static_cast<clock_t>(ns / (second / per_second));
}

} // namespace

std::optional<std::int64_t> read_clock(clockid_t id) {
    return value_of(id, 0) ? value_of(id, read_ns()) : std::nullopt;
}

std::optional<std::int64_t> peek_clock(clockid_t id) { return value_of(id, peek_ns()); }

} // namespace mpiglut::clock

namespace virtual_clock = mpiglut::clock;

MPIGLUT_EXPORT int clock_gettime(clockid_t id, timespec *time) noexcept {
    if (virtual_clock::serves(MPIGLUT_CALLER))
        if (const auto now = virtual_clock::read_clock(id)) {
            *time = virtual_clock::to_timespec(*now);
            return 0;
        }
    return virtual_clock::read_really(id, time);
}

MPIGLUT_EXPORT int gettimeofday(timeval *time, void *zone) noexcept {
    timeval *volatile given = time; // declared non-null, but programs do pass null
    if (!given || !virtual_clock::serves(MPIGLUT_CALLER))
        return REAL(gettimeofday)(time, zone);
    if (zone)
        *static_cast<struct timezone *>(zone) = {};
    *given = virtual_clock::to_timeval(virtual_clock::read_realtime_ns());
    return 0;
}

MPIGLUT_EXPORT time_t time(time_t *copy) noexcept {
    if (!virtual_clock::serves(MPIGLUT_CALLER))
        return REAL(time)(copy);
    const time_t now = virtual_clock::read_realtime_ns() / virtual_clock::second;
    if (copy)
        *copy = now;
    return now;
}

MPIGLUT_EXPORT int timespec_get(timespec *time, int base) noexcept {
    if (base != TIME_UTC || !virtual_clock::serves(MPIGLUT_CALLER))
        return REAL(timespec_get)(time, base);
    *time = virtual_clock::to_timespec(virtual_clock::read_realtime_ns());
    return base;
}

MPIGLUT_EXPORT int ftime(timeb *time) {
    const bool virtual_now = virtual_clock::serves(MPIGLUT_CALLER);
    const std::int64_t now = virtual_now ? virtual_clock::read_realtime_ns() : virtual_clock::real_realtime_ns();
    *time = {};
    time->time = now / virtual_clock::second;
    time->millitm = static_cast<unsigned short>(now % virtual_clock::second / 1'000'000);
    return 0;
}

MPIGLUT_EXPORT clock_t clock() noexcept {
    if (!virtual_clock::serves(MPIGLUT_CALLER))
        return REAL(clock)();
    return static_cast<clock_t>(virtual_clock::read_processor_ns() / (virtual_clock::second / CLOCKS_PER_SEC));
}

MPIGLUT_EXPORT clock_t times(tms *spent) noexcept {
    if (!virtual_clock::serves(MPIGLUT_CALLER))
        return REAL(times)(spent);
    const std::int64_t now = virtual_clock::read_ns();
    if (spent)
        *spent = {virtual_clock::to_ticks(std::max<std::int64_t>(now - virtual_clock::start_ns(), 0)), 0, 0, 0};
    return virtual_clock::to_ticks(now);
}

MPIGLUT_EXPORT int getrusage(__rusage_who_t who, rusage *usage) noexcept {
    const int result = REAL(getrusage)(who, usage);
    const bool is_read = who == RUSAGE_SELF || (who == RUSAGE_THREAD && mpiglut::is_in_step());
    if (result == 0 && is_read && virtual_clock::serves(MPIGLUT_CALLER)) {
        usage->ru_utime = virtual_clock::to_timeval(virtual_clock::read_processor_ns());
        usage->ru_stime = {};
    }
    return result;
}

// std::chrono's clocks live in libstdc++ or libc++, which cannot say who called it; so they are caught in front of it.
// A time_point is returned as the integer it consists of.
namespace {
std::int64_t chrono_now(virtual_clock::Caller caller, bool system) {
    if (virtual_clock::serves(caller))
        return system ? virtual_clock::read_realtime_ns() : virtual_clock::read_ns();
    return system ? virtual_clock::real_realtime_ns() : virtual_clock::real_monotonic_ns();
}
} // namespace

MPIGLUT_EXPORT std::int64_t mpiglut_gnu_steady_now() noexcept asm("_ZNSt6chrono3_V212steady_clock3nowEv");
std::int64_t mpiglut_gnu_steady_now() noexcept { return chrono_now(MPIGLUT_CALLER, false); }

MPIGLUT_EXPORT std::int64_t mpiglut_gnu_system_now() noexcept asm("_ZNSt6chrono3_V212system_clock3nowEv");
std::int64_t mpiglut_gnu_system_now() noexcept { return chrono_now(MPIGLUT_CALLER, true); }

MPIGLUT_EXPORT std::int64_t mpiglut_llvm_steady_now() noexcept asm("_ZNSt3__16chrono12steady_clock3nowEv");
std::int64_t mpiglut_llvm_steady_now() noexcept { return chrono_now(MPIGLUT_CALLER, false); }

MPIGLUT_EXPORT std::int64_t mpiglut_llvm_system_now() noexcept asm("_ZNSt3__16chrono12system_clock3nowEv");
std::int64_t mpiglut_llvm_system_now() noexcept { return chrono_now(MPIGLUT_CALLER, true) / 1000; } // microseconds
