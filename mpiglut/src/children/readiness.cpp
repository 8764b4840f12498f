// Is there something to read of what rank 0 reads for all? Every rank gets rank 0's answer.

#include "children/reading.h"

#include "base/real.h"
#include "children/together.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <vector>

namespace mpiglut::children {

namespace {

/// What rank 0 has found. Further pipes are each rank's own.
struct Ready {
    static constexpr std::size_t room = 60;
    std::int32_t result = 0, error = 0;
    std::array<std::int16_t, room> events{}; ///< of the pipes, in order
};

/// Rank 0 waits, and all ranks learn what it has found. `events(i)` is what the i-th pipe has there. The result of the
/// call where it is known by that; else nothing, and the rank's own descriptors are yet to be asked.
template <class Events>
std::optional<int> ask_rank_0(Part part, const std::function<int()> &wait, Ready &ready, std::size_t pipes,
                              Events events) {
    if (part == Part::leads) {
        ready.result = wait();
        ready.error = errno;
        for (std::size_t i = 0; i < pipes; ++i)
            ready.events[i] = events(i);
    }
    tell(part, std::as_writable_bytes(std::span(&ready, 1)));
    if (part != Part::leads && ready.result >= 0)
        return std::nullopt;
    errno = ready.error;
    return ready.result;
}

} // namespace

int poll_together(const void *caller, pollfd *descriptors, nfds_t count, const std::function<int()> &wait) {
    std::vector<pollfd *> pipes;
    for (nfds_t i = 0; any_announced() && i < count && pipes.size() < Ready::room; ++i)
        if (is_announced(descriptors[i].fd))
            pipes.push_back(&descriptors[i]);
    const Part part = pipes.empty() ? Part::none : children::part(caller);
    if (part == Part::none)
        return wait();
    Ready ready;
    if (const auto known =
            ask_rank_0(part, wait, ready, pipes.size(), [&](std::size_t i) { return pipes[i]->revents; }))
        return *known;
    REAL(poll)(descriptors, count, 0);
    for (std::size_t i = 0; i < pipes.size(); ++i)
        pipes[i]->revents = ready.events[i];
    return static_cast<int>(std::count_if(descriptors, descriptors + count, [](const pollfd &d) { return d.revents; }));
}

int select_together(const void *caller, int count, fd_set *read, fd_set *write, fd_set *except,
                    const std::function<int()> &wait) {
    std::vector<int> pipes;
    for (int fd = 0; any_announced() && read && fd < std::min(count, FD_SETSIZE) && pipes.size() < Ready::room; ++fd)
        if (FD_ISSET(fd, read) && is_announced(fd))
            pipes.push_back(fd);
    const Part part = pipes.empty() ? Part::none : children::part(caller);
    if (part == Part::none)
        return wait();
    Ready ready;
    if (const auto known = ask_rank_0(part, wait, ready, pipes.size(),
                                      [&](std::size_t i) -> std::int16_t { return FD_ISSET(pipes[i], read); }))
        return *known;
    for (const int fd : pipes)
        FD_CLR(fd, read);
    timeval now{};
    int result = std::max(0, REAL(select)(count, read, write, except, &now));
    for (std::size_t i = 0; i < pipes.size(); ++i)
        if (ready.events[i]) {
            FD_SET(pipes[i], read);
            ++result;
        }
    return result;
}

} // namespace mpiglut::children
