// Sockets whose operations rank 0 alone does in earnest: those of X11 programs to the wall's X server. The functions
// that are interposed below system/x11 ask here, each by one line. What is declared here is defined in system/x11.
//
// Where a function returns bool, true says that the call was one of such a socket; its result is in `result` then, and
// errno is as the call has left it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/select.h>
#include <sys/types.h>
#include <sys/uio.h>

struct epoll_event;

namespace mpiglut {
struct RunOptions;
}

namespace mpiglut::sockets {

/// From the library's constructor.
void begin(const RunOptions &options);
/// This rank is about to end with that status: nothing is recorded any more.
void end(int status);
/// There is one, so that it is worth while to ask.
inline constinit std::atomic<bool> any{false};

/// As readv(2) and recv(2).
bool receive(int fd, const iovec *parts, std::size_t count, int flags, ssize_t &result);
inline bool receive(int fd, void *buffer, std::size_t size, int flags, ssize_t &result) {
    const iovec part{buffer, size};
    return any.load(std::memory_order_relaxed) && receive(fd, &part, 1, flags, result);
}

/// As ppoll(2), pselect(2) and epoll_pwait2(2), with a time-out in nanoseconds; a negative one is for ever. `caller` is
/// where the call came from.
bool poll(const void *caller, pollfd *descriptors, nfds_t count, std::int64_t ns, const sigset_t *mask, int &result);
bool select(const void *caller, int count, fd_set *read, fd_set *write, fd_set *except, std::int64_t ns,
            const sigset_t *mask, int &result);
bool wait_for_epoll(int epoll, epoll_event *events, int most, std::int64_t ns, const sigset_t *mask, int &result);
/// As pthread_cond_timedwait(3), with a deadline by the machine's clock; null: none. Of Tcl's waits, which others end.
bool wait_for_condition(const void *caller, pthread_cond_t *condition, pthread_mutex_t *mutex, const timespec *deadline,
                        int &result);
/// Until this instant of the machine's monotonic clock; the result is that of clock_nanosleep(2). Input of the tiles
/// goes on its way meanwhile. False in a thread that has nothing to do with input.
bool sleep_until(std::int64_t ns, int &result);
/// The program has done so: epoll_ctl(2).
void note_epoll(int epoll, int what, int fd, const epoll_event *event);
/// The same file has another descriptor now.
void note_duplicate(int from, int to);

} // namespace mpiglut::sockets
