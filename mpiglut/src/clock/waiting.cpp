// Waiting for descriptors with a time-out. With none it is how portable programs used to sleep.

#include "base/export.h"
#include "base/real.h"
#include "children/reading.h"
#include "clock/role.h"
#include "clock/virtual.h"

#include <cerrno>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

namespace mpiglut::clock {

namespace {

constexpr std::int64_t for_ever = -1;

std::int64_t from_milliseconds(int milliseconds) { return milliseconds < 0 ? for_ever : milliseconds * 1'000'000ll; }

std::int64_t from_time(const timespec *time) {
    return time && time->tv_sec >= 0 && time->tv_nsec >= 0 ? to_ns(*time) : for_ever;
}

/// `wait` returns how many descriptors are ready, 0 after `ns`.
template <class Wait> int wait_for_some(Caller caller, std::int64_t ns, Wait wait) {
    const int ready = wait();
    const int error = errno;
    if (ns != 0 && serves(caller) && is_in_step())
        waited(ready == 0 && ns > 0 ? ns : 0);
    errno = error;
    return ready;
}

bool is_sleep(Caller caller, std::int64_t ns, std::int64_t descriptors) {
    return descriptors == 0 && ns != for_ever && serves(caller);
}

/// 0 like a wait in vain, or -1.
int sleep_instead(std::int64_t ns, std::int64_t &rest) {
    const int result = sleep_ns(ns, rest);
    if (result != 0)
        errno = result;
    return result == 0 ? 0 : -1;
}

} // namespace

} // namespace mpiglut::clock

namespace virtual_clock = mpiglut::clock;
namespace children = mpiglut::children;

MPIGLUT_EXPORT int select(int count, fd_set *read, fd_set *write, fd_set *except, timeval *timeout) {
    std::int64_t ns = virtual_clock::for_ever;
    if (timeout && timeout->tv_sec >= 0 && timeout->tv_usec >= 0)
        ns = virtual_clock::add(virtual_clock::to_ns({timeout->tv_sec, 0}), timeout->tv_usec * 1000);
    if (!virtual_clock::is_sleep(MPIGLUT_CALLER, ns, count))
        return virtual_clock::wait_for_some(MPIGLUT_CALLER, ns, [&, caller = MPIGLUT_CALLER] {
            return children::select_together(caller, count, read, write, except,
                                             [&] { return REAL(select)(count, read, write, except, timeout); });
        });
    std::int64_t rest = 0;
    const int result = virtual_clock::sleep_instead(ns, rest);
    const timespec left = virtual_clock::to_timespec(rest);
    *timeout = {left.tv_sec, left.tv_nsec / 1000}; // as Linux does
    return result;
}

MPIGLUT_EXPORT int pselect(int count, fd_set *read, fd_set *write, fd_set *except, const timespec *timeout,
                           const sigset_t *mask) {
    return virtual_clock::wait_for_some(
        MPIGLUT_CALLER, virtual_clock::from_time(timeout), [&, caller = MPIGLUT_CALLER] {
            return children::select_together(caller, count, read, write, except,
                                             [&] { return REAL(pselect)(count, read, write, except, timeout, mask); });
        });
}

MPIGLUT_EXPORT int poll(pollfd *descriptors, nfds_t count, int milliseconds) {
    const std::int64_t ns = virtual_clock::from_milliseconds(milliseconds);
    if (!virtual_clock::is_sleep(MPIGLUT_CALLER, ns, static_cast<std::int64_t>(count)))
        return virtual_clock::wait_for_some(MPIGLUT_CALLER, ns, [&, caller = MPIGLUT_CALLER] {
            return children::poll_together(caller, descriptors, count,
                                           [&] { return REAL(poll)(descriptors, count, milliseconds); });
        });
    std::int64_t rest = 0;
    return virtual_clock::sleep_instead(ns, rest);
}

MPIGLUT_EXPORT int ppoll(pollfd *descriptors, nfds_t count, const timespec *timeout, const sigset_t *mask) {
    return virtual_clock::wait_for_some(
        MPIGLUT_CALLER, virtual_clock::from_time(timeout), [&, caller = MPIGLUT_CALLER] {
            return children::poll_together(caller, descriptors, count,
                                           [&] { return REAL(ppoll)(descriptors, count, timeout, mask); });
        });
}

MPIGLUT_EXPORT int epoll_wait(int epoll, epoll_event *events, int most, int milliseconds) {
    return virtual_clock::wait_for_some(MPIGLUT_CALLER, virtual_clock::from_milliseconds(milliseconds),
                                        [&] { return REAL(epoll_wait)(epoll, events, most, milliseconds); });
}

MPIGLUT_EXPORT int epoll_pwait(int epoll, epoll_event *events, int most, int milliseconds, const sigset_t *mask) {
    return virtual_clock::wait_for_some(MPIGLUT_CALLER, virtual_clock::from_milliseconds(milliseconds),
                                        [&] { return REAL(epoll_pwait)(epoll, events, most, milliseconds, mask); });
}

MPIGLUT_EXPORT int epoll_pwait2(int epoll, epoll_event *events, int most, const timespec *timeout,
                                const sigset_t *mask) {
    return virtual_clock::wait_for_some(MPIGLUT_CALLER, virtual_clock::from_time(timeout),
                                        [&] { return REAL(epoll_pwait2)(epoll, events, most, timeout, mask); });
}
