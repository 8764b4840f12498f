// The clock's interposed functions in their own library, so that they can be put in front of a real program.

#include "base/export.h"
#include "base/locks.h"
#include "base/real.h"
#include "base/sockets.h"
#include "children/reading.h"
#include "clock/callers.h"
#include "clock/clock.h"
#include "clock/virtual.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace {

__attribute__((constructor)) void load() {
    std::string error;
    const auto options = mpiglut::options_from_environment(error);
    if (!options)
        return;
    mpiglut::clock::begin(*options);
    if (options->tsc && !mpiglut::clock::claim_counter())
        std::abort();
}

} // namespace

// No program that the program starts is told of here.
namespace mpiglut::children {
int poll_together(const void *, pollfd *, nfds_t, const std::function<int()> &wait) { return wait(); }
int select_together(const void *, int, fd_set *, fd_set *, fd_set *, const std::function<int()> &wait) { return wait(); }
} // namespace mpiglut::children

// No socket is recorded either.
namespace mpiglut::sockets {
bool poll(const void *, pollfd *, nfds_t, std::int64_t, const sigset_t *, int &) { return false; }
bool wait_for_condition(const void *, pthread_cond_t *, pthread_mutex_t *, const timespec *, int &) { return false; }
bool sleep_until(std::int64_t, int &) { return false; }
bool select(const void *, int, fd_set *, fd_set *, fd_set *, std::int64_t, const sigset_t *, int &) { return false; }
bool wait_for_epoll(int, epoll_event *, int, std::int64_t, const sigset_t *, int &) { return false; }
void note_epoll(int, int, int, const epoll_event *) {}
} // namespace mpiglut::sockets

// No lock is in order.
namespace mpiglut::locks {
bool in_order(const void *, const volatile void *) { return false; }
int acquire(const Call &wait, const Call &) { return wait(); }
int wait_for_condition(pthread_mutex_t *, const Call &wait) { return wait(); }
std::int64_t share(std::int64_t value) { return value; }
bool shares_all() { return false; }
} // namespace mpiglut::locks

// As in children/starting.cpp: the counter is also the child's, until it has been executed.
MPIGLUT_EXPORT int system(const char *command) {
    const mpiglut::clock::FreeCounter now;
    return REAL(system)(command);
}
MPIGLUT_EXPORT FILE *popen(const char *command, const char *mode) {
    const mpiglut::clock::FreeCounter now;
    return REAL(popen)(command, mode);
}

// What the wall does between the program's callbacks, by name for the program to find.
MPIGLUT_EXPORT void clock_library_tick() { mpiglut::clock::set_stamp(mpiglut::clock::next_stamp()); }
MPIGLUT_EXPORT void clock_library_stamp(std::int64_t realtime_ns, std::int64_t monotonic_ns) {
    mpiglut::clock::set_stamp({realtime_ns, monotonic_ns});
}
MPIGLUT_EXPORT std::uint64_t clock_library_reads() { return mpiglut::clock::reads(); }
MPIGLUT_EXPORT std::int64_t clock_library_real_ns() { return mpiglut::clock::real_monotonic_ns(); }
/// This library's own look at the time, the way its code would do it by mistake.
MPIGLUT_EXPORT std::int64_t clock_library_own_read() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}
