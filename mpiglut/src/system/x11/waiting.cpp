// Waiting for connections, among other descriptors. What rank 0 has found is what every rank finds, of the other
// descriptors as well: a rank waits until its own is also ready.
#include "base/locks.h"
#include "base/real.h"
#include "base/sockets.h"
#include "children/together.h"
#include "clock/callers.h"
#include "clock/clock.h"
#include "clock/role.h"
#include "clock/virtual.h"
#include "run/report.h"
#include "system/x11/operations.h"
#include "system/x11/shown.h"
#include "system/x11/threads.h"
#include "system/x11/tile_input.h"
#include "system/x11/x11.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <sys/epoll.h>
#include <vector>

namespace mpiglut::x11 {
namespace {

constexpr int longest_wait_for_own_ms = 2000;
constexpr timespec no_time{};

/// Rank 0: `look` does not wait, and says how many are ready; `put_down` puts the record down.
template <class Look, class PutDown>
int lead(pollfd *descriptors, nfds_t count, std::int64_t ns, const sigset_t *mask, Look look, PutDown put_down) {
    const std::int64_t end = ns < 0 ? -1 : clock::add(clock::real_monotonic_ns(), ns);
    for (bool interrupted = false;;) {
        std::int64_t left = -1;
        {
            const Order now;
            const int result = interrupted ? -1 : look();
            left = end < 0 ? -1 : std::max<std::int64_t>(end - clock::real_monotonic_ns(), 0);
            if (result != 0 || ns == 0 || left == 0) {
                const int error = interrupted ? EINTR : errno;
                errno = error;
                put_down(result);
                if (result > 0)
                    note_found();
                errno = error;
                return result;
            }
        }
        show_in_wait();
        interrupted = wait_awhile(descriptors, count, left, mask) < 0 && errno == EINTR;
    }
}

/// Rank 0 has found this descriptor ready; the rank's own gets there by itself, since its program does the same.
void wait_for_own(int fd, short events) {
    if (fd < 0 || what_is(fd) != What::other || children::is_announced(fd))
        return;
    pollfd own{fd, events, 0};
    if (REAL(poll)(&own, 1, longest_wait_for_own_ms) == 0)
        report_once(Report::note, "a descriptor that rank 0's program waits for together with its X server is ready "
                                  "there, and not on every rank: what comes by it is not the same on all ranks");
}

/// For people, where ranks part; and whether the wait is one that takes time.
std::uint32_t detail_of(std::size_t count, std::int64_t ns) {
    return static_cast<std::uint32_t>(3 * count) + static_cast<std::uint32_t>(time_out_of(ns));
}

/// Other ranks: a thread that came earlier or later may have changed the time-out. The clock goes by rank 0's.
std::int64_t as_on_rank_0(std::int64_t ns, const Record &record) {
    const auto which = static_cast<TimeOut>(record.detail % 3);
    return which == TimeOut::at_once ? 0 : ns != 0 ? ns : which == TimeOut::some ? 1 : -1;
}

} // namespace

TimeOut time_out_of(std::int64_t ns) { return ns < 0 ? TimeOut::none : ns == 0 ? TimeOut::at_once : TimeOut::some; }

int ended(std::int64_t ns, int result) {
    const int error = errno;
    if (ns != 0 && is_in_step())
        clock::waited(result == 0 && ns > 0 ? ns : 0);
    errno = error;
    return result;
}

std::int64_t hash_of(const pollfd *descriptors, nfds_t count) {
    Hash hash;
    for (nfds_t i = 0; i < count; ++i) {
        const int fd = descriptors[i].fd;
        const int which = what_is(fd) != What::other ? number_of(fd) : fd < 0 ? -2 : -1;
        const std::int32_t asked[] = {descriptors[i].events, which};
        hash.add(bytes_of(asked));
    }
    return static_cast<std::int64_t>(hash.value() >> 1); // never negative
}

int set_found(pollfd *descriptors, const std::vector<short> &found, std::int64_t ns, const Record &record) {
    const int error = errno;
    for (std::size_t i = 0; i < found.size() && record.result >= 0; ++i) {
        descriptors[i].revents = found[i];
        if (found[i])
            wait_for_own(descriptors[i].fd, descriptors[i].events);
    }
    errno = error;
    return ended(as_on_rank_0(ns, record), static_cast<int>(record.result));
}

namespace {

int poll_together(pollfd *descriptors, nfds_t count, std::int64_t ns, const sigset_t *mask, int number,
                  bool by_libxcb = false) {
    Record record{.kind = Kind::wait,
                  .of_any_thread = by_libxcb && !locks::ordered,
                  .connection = static_cast<std::uint16_t>(number),
                  .detail = detail_of(count, ns),
                  .wanted = hash_of(descriptors, count)};
    std::vector<short> found(count);
    if (leads()) {
        std::vector<pollfd> asked(descriptors, descriptors + count);
        for (pollfd &one : asked) // what is to be read there is the reader's, and would end this wait at once
            if (what_is(one.fd) == What::connection && is_main_thread() && is_parked(number_of(one.fd)))
                one.events = static_cast<short>(one.events & ~POLLIN);
        const int result = lead(
            asked.data(), count, ns, mask,
            [&] {
                const int ready = REAL(ppoll)(asked.data(), count, &no_time, mask);
                for (nfds_t i = 0; i < count; ++i)
                    descriptors[i].revents = asked[i].revents;
                return ready;
            },
            [&](int ready) {
                const int error = errno;
                for (nfds_t i = 0; i < count; ++i)
                    found[i] = ready > 0 ? descriptors[i].revents : short{0};
                record.result = ready;
                errno = error;
                put(record, bytes_of(found));
            });
        return ended(ns, result);
    }
    record = await_record(record, [&](const Record &, const Payload &payload) {
        copy_payload(payload, std::span(found));
    });
    return set_found(descriptors, found, ns, record);
}

/// The first recorded descriptor's number; -1: none.
int first_recorded(const pollfd *descriptors, nfds_t count) {
    for (nfds_t i = 0; i < count; ++i)
        if (is_recorded(descriptors[i].fd))
            return number_of(descriptors[i].fd);
    return -1;
}

/// This library, MPI, Xlib and drivers wait as well, and not as often on each rank.
bool is_of_program(const void *caller) { return clock::origin_behind_cpp_library(caller) == clock::Origin::program; }

/// A program may have sets for more descriptors than FD_SETSIZE, which the C library's macros refuse.
unsigned long &word_of(fd_set *set, int fd) {
    return reinterpret_cast<unsigned long *>(set)[fd / (8 * int{sizeof(long)})];
}
unsigned long bit_of(int fd) { return 1UL << fd % (8 * int{sizeof(long)}); }

/// How many descriptors the kernel looks at: programs that name more than FD_SETSIZE may have smaller sets.
int looked_at(int count) {
    if (count <= FD_SETSIZE)
        return count;
    const Ours ours;
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("FDSize:"))
            return std::min(count, std::atoi(line.c_str() + std::strlen("FDSize:")));
    return FD_SETSIZE;
}

/// Connections first, in their order, since descriptors may have other numbers on other ranks.
std::vector<pollfd> list_of(int named, fd_set *const (&sets)[3]) {
    constexpr short events[] = {POLLIN, POLLOUT, POLLPRI};
    const int count = looked_at(named);
    std::vector<pollfd> list;
    for (int fd = 0; fd < count; ++fd) {
        short asked = 0;
        for (int i = 0; i < 3; ++i)
            if (sets[i] && word_of(sets[i], fd) & bit_of(fd))
                asked = static_cast<short>(asked | events[i]);
        if (asked)
            list.push_back({fd, asked, 0});
    }
    std::ranges::stable_sort(
        list, {}, [](const pollfd &one) { return what_is(one.fd) == What::other ? INT32_MAX : number_of(one.fd); });
    return list;
}

int back_to_sets(const std::vector<pollfd> &list, fd_set *const (&sets)[3]) {
    constexpr short counts_as[] = {POLLIN | POLLHUP | POLLERR, POLLOUT | POLLERR, POLLPRI};
    int ready = 0;
    for (const pollfd &one : list)
        for (int i = 0; i < 3; ++i)
            if (sets[i] && word_of(sets[i], one.fd) & bit_of(one.fd)) {
                if (one.revents & counts_as[i])
                    ++ready;
                else
                    word_of(sets[i], one.fd) &= ~bit_of(one.fd);
            }
    return ready;
}

struct Event {
    std::uint32_t watched = 0, events = 0; ///< which of those that the descriptor waits for
};

std::vector<Event> numbered(const epoll_event *events, int count, const std::vector<Watched> &watched) {
    std::vector<Event> found;
    for (int i = 0; i < count; ++i) {
        const auto which =
            std::ranges::find_if(watched, [&](const Watched &one) { return one.event.data.u64 == events[i].data.u64; });
        found.push_back({static_cast<std::uint32_t>(which - watched.begin()), events[i].events});
    }
    return found;
}

int wait_together(int epoll, epoll_event *events, int most, std::int64_t ns, const sigset_t *mask) {
    const std::vector<Watched> watched = watched_by(epoll);
    const std::int64_t asked[] = {most, std::ssize(watched)};
    Hash hash;
    hash.add(bytes_of(asked));
    Record record{.kind = Kind::wait,
                  .connection = static_cast<std::uint16_t>(number_of(epoll)),
                  .detail = detail_of(watched.size(), ns),
                  .wanted = static_cast<std::int64_t>(hash.value())};
    if (leads()) {
        pollfd own{epoll, POLLIN, 0};
        const int result = lead(
            &own, 1, ns, mask, [&] { return REAL(epoll_pwait)(epoll, events, most, 0, mask); },
            [&](int ready) {
                record.result = ready;
                put(record, bytes_of(numbered(events, ready, watched)));
            });
        return ended(ns, result);
    }
    std::vector<Event> found;
    record = await_record(record, [&](const Record &, const Payload &payload) {
        found.resize(payload.size() / sizeof(Event));
        copy_payload(payload, std::span(found));
    });
    const int error = errno;
    int ready = 0;
    for (const Event &event : found) {
        if (event.watched >= watched.size() || ready >= most)
            continue;
        const Watched &which = watched[event.watched];
        wait_for_own(which.fd, static_cast<short>(event.events & (POLLIN | POLLOUT | POLLPRI)));
        events[ready].events = event.events;
        events[ready++].data = which.event.data;
    }
    errno = error;
    return ended(as_on_rank_0(ns, record), record.result < 0 ? -1 : ready);
}

} // namespace
} // namespace mpiglut::x11

namespace x11 = mpiglut::x11;

bool mpiglut::sockets::poll(const void *caller, pollfd *descriptors, nfds_t count, std::int64_t ns,
                            const sigset_t *mask, int &result) {
    if (!any)
        return false;
    const int number = x11::first_recorded(descriptors, count);
    if (number >= 0 && x11::is_reader(descriptors, count, ns))
        result = x11::wait_as_reader(*descriptors);
    else if (number >= 0)
        result = x11::poll_together(descriptors, count, ns, mask, number, x11::in_libxcb(caller));
    else if (count > 0 && x11::is_at_tick() && x11::is_of_program(caller))
        result = x11::wait_beside_readers(descriptors, count, ns, mask);
    else if (count > 0 && locks::ordered && locks::in_order(caller, nullptr))
        result = x11::poll_together(descriptors, count, ns, mask, 0);
    else
        return false;
    return true;
}

bool mpiglut::sockets::select(const void *caller, int count, fd_set *read, fd_set *write, fd_set *except,
                              std::int64_t ns, const sigset_t *mask, int &result) {
    if (!any)
        return false;
    fd_set *const sets[] = {read, write, except};
    std::vector<pollfd> list = x11::list_of(count, sets);
    if (!list.empty() && x11::is_lookout(caller)) { // without descriptors it only sleeps
        result = x11::look_out(list, ns);
        if (result >= 0)
            result = x11::back_to_sets(list, sets);
        return true;
    }
    const int number = x11::first_recorded(list.data(), list.size());
    if (number < 0 && (list.empty() || !locks::ordered || !locks::in_order(caller, nullptr)))
        return false;
    result = x11::poll_together(list.data(), list.size(), ns, mask, std::max(number, 0));
    if (std::ranges::any_of(list, [](const pollfd &one) { return (one.revents & POLLNVAL) != 0; })) {
        errno = EBADF;
        result = -1;
    }
    if (result >= 0)
        result = x11::back_to_sets(list, sets);
    return true;
}

bool mpiglut::sockets::wait_for_epoll(int epoll, epoll_event *events, int most, std::int64_t ns, const sigset_t *mask,
                                      int &result) {
    if (!any || x11::what_is(epoll) != x11::What::epoll || !x11::is_recorded(epoll))
        return false;
    result = x11::wait_together(epoll, events, most, ns, mask);
    return true;
}

bool mpiglut::sockets::sleep_until(std::int64_t ns, int &result) {
    if (!x11::at_work() || x11::is_over() || !x11::passes_input_on())
        return false;
    for (result = 0; result == 0;) {
        const std::int64_t left = ns - clock::real_monotonic_ns();
        if (left <= 0)
            return true;
        if (x11::rest_awhile(nullptr, 0, left, nullptr) < 0 && errno == EINTR)
            result = EINTR;
    }
    return true;
}

void mpiglut::sockets::note_epoll(int epoll, int what, int fd, const epoll_event *event) {
    if (x11::at_work())
        x11::note_watched(epoll, what, fd, event);
}

void mpiglut::sockets::note_duplicate(int from, int to) { x11::duplicate(from, to); }
