#include "system/x11/connections.h"

#include "base/export.h"
#include "base/process.h"
#include "base/real.h"
#include "base/sockets.h"
#include "clock/callers.h"
#include "system/x11/threads.h"
#include "system/x11/x11.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <set>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

namespace mpiglut::x11 {
namespace {

constexpr int most_descriptors = 1 << 16;
constexpr std::uint16_t epoll_mark = 0x8000;

/// One more than the number, 0 for all others. Signal handlers and threads read it at any time.
constinit std::array<std::atomic<std::uint16_t>, most_descriptors> by_descriptor{};

struct Tables {
    std::mutex mutex;
    std::vector<std::unique_ptr<Requests>> requests;
    std::map<int, std::vector<Watched>> watched; ///< by epoll descriptor
    std::set<int> of_main;
};
Tables &tables() {
    static auto *const all = new Tables; // threads may still ask while static objects are destroyed
    return *all;
}

std::uint16_t entry(int fd) {
    return fd >= 0 && fd < most_descriptors
               ? by_descriptor[static_cast<std::size_t>(fd)].load(std::memory_order_acquire)
               : std::uint16_t{0};
}

void set_entry(int fd, std::uint16_t value) {
    if (fd < 0 || fd >= most_descriptors)
        return;
    by_descriptor[static_cast<std::size_t>(fd)].store(value, std::memory_order_release);
    if (value)
        sockets::any = true;
}

/// Whatever ranks have open besides, the program's thread gets the same numbers in the same order from here on.
constexpr int first_of_program = 256;

/// The program has made it, with these flags, which are named alike for all kinds of descriptors.
int placed(const void *caller, int fd, int flags) {
    if (fd < 0 || !active() || Ours::here() || !at_work() ||
        clock::origin_behind_cpp_library(caller) != clock::Origin::program)
        return fd;
    const int error = errno;
    const int moved = REAL(fcntl)(fd, flags & O_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD, first_of_program);
    if (moved >= 0)
        REAL(close)(fd);
    errno = error;
    return moved >= 0 ? moved : fd;
}

int placed_pair(const void *caller, int result, int *ends, int flags) {
    for (int i = 0; result == 0 && i < 2; ++i)
        ends[i] = placed(caller, ends[i], flags);
    return result;
}

} // namespace

What what_is(int fd) {
    const std::uint16_t found = entry(fd);
    return !found ? What::other : found & epoll_mark ? What::epoll : What::connection;
}

int number_of(int fd) { return (entry(fd) & ~epoll_mark) - 1; }

bool at_work() { return active() && is_rank(); }

void add(int fd, int number) {
    if (thread_name() == 0) {
        const std::lock_guard lock(tables().mutex);
        tables().of_main.insert(number);
    }
    set_entry(fd, static_cast<std::uint16_t>(number + 1));
}

bool is_of_main(int number) {
    const std::lock_guard lock(tables().mutex);
    return tables().of_main.contains(number);
}

bool main_has_connected() {
    const std::lock_guard lock(tables().mutex);
    return !tables().of_main.empty();
}

void forget(int fd) {
    if (!sockets::any || fd < 0)
        return;
    if (entry(fd))
        set_entry(fd, 0);
    if (!is_rank())
        return;
    const std::lock_guard lock(tables().mutex);
    auto &all = tables().watched;
    all.erase(fd);
    for (auto &[epoll, watched] : all)
        std::erase_if(watched, [fd](const Watched &one) { return one.fd == fd; });
}

bool has_connections() {
    return std::ranges::any_of(by_descriptor, [](const std::atomic<std::uint16_t> &one) {
        const std::uint16_t entry = one.load(std::memory_order_acquire);
        return entry != 0 && !(entry & epoll_mark);
    });
}

void duplicate(int from, int to) {
    if (to < 0 || to == from || !sockets::any)
        return;
    forget(to);
    if (const std::uint16_t same = entry(from)) {
        set_entry(to, same);
        const std::lock_guard lock(tables().mutex);
        auto &all = tables().watched;
        if (const auto found = all.find(from); found != all.end())
            all[to] = std::vector<Watched>(found->second);
    }
}

Requests &requests_of(int number) {
    const std::lock_guard lock(tables().mutex);
    auto &all = tables().requests;
    while (static_cast<int>(all.size()) <= number)
        all.push_back(std::make_unique<Requests>());
    return *all[static_cast<std::size_t>(number)];
}

std::vector<Watched> watched_by(int epoll) {
    const std::lock_guard lock(tables().mutex);
    const auto found = tables().watched.find(epoll);
    return found == tables().watched.end() ? std::vector<Watched>() : found->second;
}

void note_watched(int epoll, int what, int fd, const epoll_event *event) {
    const std::lock_guard lock(tables().mutex);
    auto &watched = tables().watched[epoll];
    const auto found = std::ranges::find(watched, fd, &Watched::fd);
    if (what == EPOLL_CTL_DEL) {
        if (found != watched.end())
            watched.erase(found);
        return;
    }
    if (!event)
        return;
    if (found != watched.end())
        found->event = *event;
    else
        watched.push_back({fd, *event});
    if (what_is(fd) != What::other)
        set_entry(epoll, static_cast<std::uint16_t>(entry(fd) | epoll_mark));
}

} // namespace mpiglut::x11

namespace x11 = mpiglut::x11;

#define UNPACK(...) __VA_ARGS__
/// A function that makes a descriptor.
#define PLACES(function, parameters, names, flags, ...)                                                                \
    MPIGLUT_EXPORT int function(UNPACK parameters) __VA_ARGS__ {                                                       \
        return x11::placed(__builtin_return_address(0), REAL(function)(UNPACK names), flags);                          \
    }                                                                                                                  \
    static_assert(true)

static_assert(SOCK_CLOEXEC == O_CLOEXEC && EFD_CLOEXEC == O_CLOEXEC && TFD_CLOEXEC == O_CLOEXEC &&
              SFD_CLOEXEC == O_CLOEXEC && IN_CLOEXEC == O_CLOEXEC && EPOLL_CLOEXEC == O_CLOEXEC);

PLACES(socket, (int family, int type, int protocol), (family, type, protocol), type, noexcept);
PLACES(accept, (int fd, sockaddr *address, socklen_t *length), (fd, address, length), 0);
PLACES(accept4, (int fd, sockaddr *address, socklen_t *length, int flags), (fd, address, length, flags), flags);
PLACES(eventfd, (unsigned count, int flags), (count, flags), flags, noexcept);
PLACES(timerfd_create, (clockid_t clock, int flags), (clock, flags), flags, noexcept);
PLACES(inotify_init, (), (), 0, noexcept);
PLACES(inotify_init1, (int flags), (flags), flags, noexcept);
PLACES(epoll_create, (int size), (size), 0, noexcept);
PLACES(epoll_create1, (int flags), (flags), flags, noexcept);

MPIGLUT_EXPORT int signalfd(int fd, const sigset_t *mask, int flags) noexcept {
    const int made = REAL(signalfd)(fd, mask, flags);
    return fd < 0 ? x11::placed(__builtin_return_address(0), made, flags) : made;
}

MPIGLUT_EXPORT int pipe(int ends[2]) noexcept {
    return x11::placed_pair(__builtin_return_address(0), REAL(pipe)(ends), ends, 0);
}

MPIGLUT_EXPORT int pipe2(int ends[2], int flags) noexcept {
    return x11::placed_pair(__builtin_return_address(0), REAL(pipe2)(ends, flags), ends, flags);
}

MPIGLUT_EXPORT int socketpair(int family, int type, int protocol, int ends[2]) noexcept {
    return x11::placed_pair(__builtin_return_address(0), REAL(socketpair)(family, type, protocol, ends), ends, type);
}
