// Waiting for descriptors with a time-out. With none it is how portable programs used to sleep. With the connection to
// the X server among them it is how programs with their own main loop wait for input.

#include "base/export.h"
#include "base/real.h"
#include "base/sockets.h"
#include "children/reading.h"
#include "clock/role.h"
#include "clock/virtual.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <map>
#include <mutex>
#include <optional>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

extern "C" {
int __poll_chk(pollfd *descriptors, nfds_t count, int milliseconds, std::size_t room);
int __ppoll_chk(pollfd *descriptors, nfds_t count, const timespec *timeout, const sigset_t *mask, std::size_t room);
}

namespace mpiglut::clock {

namespace {

constexpr std::int64_t for_ever = -1;

std::int64_t from_milliseconds(int milliseconds) { return milliseconds < 0 ? for_ever : milliseconds * 1'000'000ll; }

std::int64_t from_time(const timespec *time) {
    return time && time->tv_sec >= 0 && time->tv_nsec >= 0 ? to_ns(*time) : for_ever;
}

/// Threads of libraries wait while the wall begins.
constinit std::atomic<const Connection *> connection{nullptr};

int connection_descriptor() {
    const Connection *const there = connection;
    return there ? there->descriptor() : -1;
}

/// `wait` returns how many descriptors are ready, 0 after `ns`. Where `shared`, the connection is among them, and
/// `look(come, last)` does not wait; it leaves the connection out, or says that something has come there. All ranks look
/// for the last time together.
template <class Wait, class Look> int wait_for_some(Caller caller, std::int64_t ns, bool shared, Wait wait, Look look) {
    int ready = 0;
    if (shared) {
        const bool come = connection.load()->wait(ns, [&] { return look(false, false) != 0; });
        ready = look(come, true);
    } else {
        ready = wait();
    }
    const int error = errno;
    if (ns != 0 && serves(caller) && is_in_step())
        waited(ready == 0 && ns > 0 ? ns : 0);
    errno = error;
    return ready;
}

bool is_shared(Caller caller, std::int64_t ns, bool among_them) { return among_them && ns != 0 && serves(caller); }

int wait_for_set(Caller caller, std::int64_t ns, int count, fd_set *read, fd_set *write, fd_set *except,
                 const auto &wait) {
    const int own = connection_descriptor();
    const bool among_them = own >= 0 && own < count && count <= FD_SETSIZE && read && FD_ISSET(own, read);
    if (!is_shared(caller, ns, among_them))
        return wait_for_some(
            caller, ns, false, [&] { return wait(nullptr, true); }, [](bool, bool) { return 0; });
    fd_set *const sets[] = {read, write, except};
    fd_set asked[3];
    for (int i = 0; i < 3; ++i)
        if (sets[i])
            asked[i] = *sets[i];
    const auto look = [&](bool come, bool last) {
        for (int i = 0; i < 3; ++i)
            if (sets[i])
                *sets[i] = asked[i];
        FD_CLR(own, read);
        const timespec none{};
        const int ready = wait(&none, last);
        if (ready < 0 || !come)
            return ready;
        FD_SET(own, read);
        return ready + 1;
    };
    return wait_for_some(
        caller, ns, true, [] { return 0; }, look);
}

/// wait(a time-out instead of the given one or null, whether all ranks wait together).
int wait_for_list(Caller caller, std::int64_t ns, pollfd *descriptors, nfds_t count, const auto &wait) {
    const int own = connection_descriptor();
    pollfd *const end = descriptors + count;
    pollfd *const found = own < 0 ? end : std::find_if(descriptors, end, [&](const pollfd &one) {
        return one.fd == own && (one.events & POLLIN);
    });
    if (!is_shared(caller, ns, found != end))
        return wait_for_some(
            caller, ns, false, [&] { return wait(nullptr, true); }, [](bool, bool) { return 0; });
    const auto look = [&](bool come, bool last) {
        found->fd = -1;
        const timespec none{};
        const int ready = wait(&none, last);
        found->fd = own;
        if (ready < 0 || !come)
            return ready;
        found->revents = POLLIN;
        return ready + 1;
    };
    return wait_for_some(
        caller, ns, true, [] { return 0; }, look);
}

/// Which epoll descriptors the program waits for the connection with, and what it gets then.
struct Watches {
    std::mutex mutex;
    std::map<int, epoll_event> by_epoll;
};

Watches &watches() {
    static auto *const all = new Watches; // threads may still wait while static objects are destroyed
    return *all;
}

std::optional<epoll_event> watched_by(int epoll, int own) {
    const std::lock_guard lock(watches().mutex);
    const auto found = watches().by_epoll.find(epoll);
    if (own < 0 || found == watches().by_epoll.end())
        return std::nullopt;
    epoll_event same = found->second;
    if (REAL(epoll_ctl)(epoll, EPOLL_CTL_MOD, own, &same) == 0)
        return found->second;
    watches().by_epoll.erase(found); // the number has become another file's
    return std::nullopt;
}

int wait_for_epoll(Caller caller, std::int64_t ns, int epoll, epoll_event *events, int most, const auto &wait) {
    const int own = connection_descriptor();
    const auto watched = ns != 0 && most > 0 ? watched_by(epoll, own) : std::nullopt;
    if (!is_shared(caller, ns, watched.has_value()))
        return wait_for_some(
            caller, ns, false, [&] { return wait(nullptr); }, [](bool, bool) { return 0; });
    const auto look = [&](bool come, bool) {
        const timespec none{};
        int ready = wait(&none);
        if (ready < 0)
            return ready;
        ready =
            static_cast<int>(std::remove_if(events, events + ready,
                                            [&](const epoll_event &one) { return one.data.u64 == watched->data.u64; }) -
                             events);
        if (!come)
            return ready;
        ready = std::min(ready, most - 1); // those that are left out are told with the next call
        events[ready] = {EPOLLIN, watched->data};
        return ready + 1;
    };
    return wait_for_some(
        caller, ns, true, [] { return 0; }, look);
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

void connect_waits(const Connection *given) { connection = given; }

} // namespace mpiglut::clock

namespace virtual_clock = mpiglut::clock;
namespace children = mpiglut::children;
namespace sockets = mpiglut::sockets;

MPIGLUT_EXPORT int select(int count, fd_set *read, fd_set *write, fd_set *except, timeval *timeout) {
    std::int64_t ns = virtual_clock::for_ever;
    if (timeout && timeout->tv_sec >= 0 && timeout->tv_usec >= 0)
        ns = virtual_clock::add(virtual_clock::to_ns({timeout->tv_sec, 0}), timeout->tv_usec * 1000);
    if (int result; sockets::select(MPIGLUT_CALLER, count, read, write, except, ns, nullptr, result))
        return result;
    if (!virtual_clock::is_sleep(MPIGLUT_CALLER, ns, count))
        return virtual_clock::wait_for_set(
            MPIGLUT_CALLER, ns, count, read, write, except,
            [&, caller = MPIGLUT_CALLER](const timespec *other, bool together) {
                timeval none{};
                const auto wait = [&] { return REAL(select)(count, read, write, except, other ? &none : timeout); };
                return together ? children::select_together(caller, count, read, write, except, wait) : wait();
            });
    std::int64_t rest = 0;
    const int result = virtual_clock::sleep_instead(ns, rest);
    const timespec left = virtual_clock::to_timespec(rest);
    *timeout = {left.tv_sec, left.tv_nsec / 1000}; // as Linux does
    return result;
}

MPIGLUT_EXPORT int pselect(int count, fd_set *read, fd_set *write, fd_set *except, const timespec *timeout,
                           const sigset_t *mask) {
    const std::int64_t ns = virtual_clock::from_time(timeout);
    if (int result; sockets::select(MPIGLUT_CALLER, count, read, write, except, ns, mask, result))
        return result;
    return virtual_clock::wait_for_set(
        MPIGLUT_CALLER, ns, count, read, write, except,
        [&, caller = MPIGLUT_CALLER](const timespec *other, bool together) {
            const auto wait = [&] { return REAL(pselect)(count, read, write, except, other ? other : timeout, mask); };
            return together ? children::select_together(caller, count, read, write, except, wait) : wait();
        });
}

namespace {
int poll_for(virtual_clock::Caller caller, pollfd *descriptors, nfds_t count, int milliseconds) {
    const std::int64_t ns = virtual_clock::from_milliseconds(milliseconds);
    if (int result; sockets::poll(caller, descriptors, count, ns, nullptr, result))
        return result;
    if (!virtual_clock::is_sleep(caller, ns, static_cast<std::int64_t>(count)))
        return virtual_clock::wait_for_list(caller, ns, descriptors, count, [&](const timespec *other, bool together) {
            const auto wait = [&] { return REAL(poll)(descriptors, count, other ? 0 : milliseconds); };
            return together ? children::poll_together(caller, descriptors, count, wait) : wait();
        });
    std::int64_t rest = 0;
    return virtual_clock::sleep_instead(ns, rest);
}

int ppoll_for(virtual_clock::Caller caller, pollfd *descriptors, nfds_t count, const timespec *timeout,
              const sigset_t *mask) {
    const std::int64_t ns = virtual_clock::from_time(timeout);
    if (int result; sockets::poll(caller, descriptors, count, ns, mask, result))
        return result;
    return virtual_clock::wait_for_list(
        caller, ns, descriptors, count, [&](const timespec *other, bool together) {
            const auto wait = [&] { return REAL(ppoll)(descriptors, count, other ? other : timeout, mask); };
            return together ? children::poll_together(caller, descriptors, count, wait) : wait();
        });
}
} // namespace

MPIGLUT_EXPORT int poll(pollfd *descriptors, nfds_t count, int milliseconds) {
    return poll_for(MPIGLUT_CALLER, descriptors, count, milliseconds);
}

MPIGLUT_EXPORT int ppoll(pollfd *descriptors, nfds_t count, const timespec *timeout, const sigset_t *mask) {
    return ppoll_for(MPIGLUT_CALLER, descriptors, count, timeout, mask);
}

// What _FORTIFY_SOURCE makes of them.
MPIGLUT_EXPORT int __poll_chk(pollfd *descriptors, nfds_t count, int milliseconds, std::size_t room) {
    if (room / sizeof *descriptors < count)
        return REAL(__poll_chk)(descriptors, count, milliseconds, room); // which ends the program
    return poll_for(MPIGLUT_CALLER, descriptors, count, milliseconds);
}

MPIGLUT_EXPORT int __ppoll_chk(pollfd *descriptors, nfds_t count, const timespec *timeout, const sigset_t *mask,
                               std::size_t room) {
    if (room / sizeof *descriptors < count)
        return REAL(__ppoll_chk)(descriptors, count, timeout, mask, room);
    return ppoll_for(MPIGLUT_CALLER, descriptors, count, timeout, mask);
}

MPIGLUT_EXPORT int epoll_ctl(int epoll, int what, int descriptor, epoll_event *event) noexcept {
    const int result = REAL(epoll_ctl)(epoll, what, descriptor, event);
    if (result == 0)
        sockets::note_epoll(epoll, what, descriptor, event);
    if (result != 0 || descriptor != virtual_clock::connection_descriptor())
        return result;
    auto &watches = virtual_clock::watches();
    const std::lock_guard lock(watches.mutex);
    if (what != EPOLL_CTL_DEL && event->events & EPOLLIN)
        watches.by_epoll.insert_or_assign(epoll, *event);
    else
        watches.by_epoll.erase(epoll);
    return result;
}

MPIGLUT_EXPORT int epoll_wait(int epoll, epoll_event *events, int most, int milliseconds) {
    const std::int64_t ns = virtual_clock::from_milliseconds(milliseconds);
    if (int result; sockets::wait_for_epoll(epoll, events, most, ns, nullptr, result))
        return result;
    return virtual_clock::wait_for_epoll(
        MPIGLUT_CALLER, ns, epoll, events, most,
        [&](const timespec *other) { return REAL(epoll_wait)(epoll, events, most, other ? 0 : milliseconds); });
}

MPIGLUT_EXPORT int epoll_pwait(int epoll, epoll_event *events, int most, int milliseconds, const sigset_t *mask) {
    const std::int64_t ns = virtual_clock::from_milliseconds(milliseconds);
    if (int result; sockets::wait_for_epoll(epoll, events, most, ns, mask, result))
        return result;
    return virtual_clock::wait_for_epoll(
        MPIGLUT_CALLER, ns, epoll, events, most,
        [&](const timespec *other) { return REAL(epoll_pwait)(epoll, events, most, other ? 0 : milliseconds, mask); });
}

MPIGLUT_EXPORT int epoll_pwait2(int epoll, epoll_event *events, int most, const timespec *timeout,
                                const sigset_t *mask) {
    const std::int64_t ns = virtual_clock::from_time(timeout);
    if (int result; sockets::wait_for_epoll(epoll, events, most, ns, mask, result))
        return result;
    return virtual_clock::wait_for_epoll(
        MPIGLUT_CALLER, ns, epoll, events, most,
        [&](const timespec *other) { return REAL(epoll_pwait2)(epoll, events, most, other ? other : timeout, mask); });
}
