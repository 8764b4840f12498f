// The step clock: a sixtieth of a second for each frame, and a little for each reading, so that loops end. Seen by the
// program and by the C++ library on its behalf; FreeGLUT, X and GL keep the real one.
#include "oracle.h"

#include <GL/freeglut.h>

#include <cstring>
#include <ctime>
#include <link.h>
#include <sys/time.h>
#include <sys/times.h>
#include <unistd.h>

namespace oracle {
namespace {

std::int64_t steps, readings;

std::int64_t now_ns() { return steps * 1000000000 / 60 + 20000 * ++readings; }

struct Range {
    std::uintptr_t begin = 0, end = 0;
    bool found = false;
};

int main_program(dl_phdr_info *info, std::size_t, void *data) {
    Range &range = *static_cast<Range *>(data);
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const auto &header = info->dlpi_phdr[i];
        if (header.p_type == PT_LOAD && (header.p_flags & PF_X)) {
            range.begin = info->dlpi_addr + header.p_vaddr;
            range.end = range.begin + header.p_memsz;
            range.found = true;
        }
    }
    return 1; // the program itself comes first
}

bool of_program(const void *caller) {
    static const Range range = [] {
        Range r;
        dl_iterate_phdr(main_program, &r);
        return r;
    }();
    const auto at = reinterpret_cast<std::uintptr_t>(caller);
    if (at >= range.begin && at < range.end)
        return true;
    Dl_info info{};
    return dladdr(caller, &info) && info.dli_fname && std::strstr(info.dli_fname, "libstdc++");
}

std::int64_t real_seconds() {
    static const long start = setting("ORACLE_TIME", 1700000000);
    return start;
}

void split(std::int64_t ns, std::int64_t &seconds, std::int64_t &rest) {
    seconds = ns / 1000000000;
    rest = ns % 1000000000;
}

} // namespace

void frame_passed() { ++steps; }

std::int64_t elapsed_ns() { return now_ns(); }

} // namespace oracle

using oracle::of_program;
#define CALLER __builtin_return_address(0)

ORACLE_EXPORT time_t time(time_t *result) noexcept {
    if (!of_program(CALLER))
        return ORACLE_NEXT(time)(result);
    const time_t now = oracle::real_seconds() + oracle::now_ns() / 1000000000;
    if (result)
        *result = now;
    return now;
}

ORACLE_EXPORT int gettimeofday(timeval *result, void *zone) noexcept {
    if (!of_program(CALLER))
        return ORACLE_NEXT(gettimeofday)(result, zone);
    std::int64_t seconds = 0, rest = 0;
    oracle::split(oracle::now_ns(), seconds, rest);
    result->tv_sec = oracle::real_seconds() + seconds;
    result->tv_usec = rest / 1000;
    return 0;
}

ORACLE_EXPORT int clock_gettime(clockid_t which, timespec *result) noexcept {
    if (!of_program(CALLER))
        return ORACLE_NEXT(clock_gettime)(which, result);
    std::int64_t seconds = 0, rest = 0;
    oracle::split(oracle::now_ns(), seconds, rest);
    result->tv_sec = seconds + (which == CLOCK_REALTIME ? oracle::real_seconds() : 1000);
    result->tv_nsec = rest;
    return 0;
}

ORACLE_EXPORT clock_t clock() noexcept { return of_program(CALLER) ? oracle::now_ns() / 1000 : ORACLE_NEXT(clock)(); }

ORACLE_EXPORT clock_t times(tms *result) noexcept {
    if (!of_program(CALLER))
        return ORACLE_NEXT(times)(result);
    const clock_t ticks = oracle::now_ns() / 10000000;
    if (result)
        *result = tms{ticks, 0, 0, 0};
    return ticks;
}

ORACLE_EXPORT pid_t getpid() noexcept {
    static const long pid = oracle::setting("ORACLE_PID", 0);
    return pid && of_program(CALLER) ? static_cast<pid_t>(pid) : ORACLE_NEXT(getpid)();
}

ORACLE_EXPORT int glutGet(GLenum what) {
    static const std::int64_t start = oracle::elapsed_ns();
    return what == GLUT_ELAPSED_TIME ? static_cast<int>((oracle::elapsed_ns() - start) / 1000000)
                                     : ORACLE_NEXT(glutGet)(what);
}
