#include "system/x11/connections.h"

#include "base/process.h"
#include "base/sockets.h"
#include "system/x11/threads.h"
#include "system/x11/x11.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <set>

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
