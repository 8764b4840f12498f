// Reading together, by descriptor and by stream; and whether there is something to read.
#pragma once

#include "children/together.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <functional>
#include <poll.h>
#include <sys/select.h>

namespace mpiglut::children {

/// Rank 0 has read so many bytes into the buffer, or got an error: as read(2) on every rank.
ssize_t share(Part part, Outcome outcome, void *buffer, std::size_t size);

/// As poll(2) and select(2). `wait` calls these with the same arguments. Descriptors that are no such pipes are each
/// rank's own.
int poll_together(const void *caller, pollfd *descriptors, nfds_t count, const std::function<int()> &wait);
int select_together(const void *caller, int count, fd_set *read, fd_set *write, fd_set *except,
                    const std::function<int()> &wait);

/// A stream over a descriptor that all ranks read together: the C library's own streams read it behind our back.
struct Stream {
    int fd = -1;               ///< which fileno(3) gives
    std::FILE *real = nullptr; ///< rank 0, of popen: the stream that the command writes to
    int status = 0;            ///< once it is closed
    bool leave = false;        ///< the status is wanted: the caller of fclose frees this
};
/// Takes over the stream's parts. Null with errno set if that fails.
std::FILE *open_stream(Stream *stream, const char *mode);
/// As fdopen(3).
std::FILE *open_stream(int fd, const char *mode);

/// As open(2) of a named pipe, which `open` does: rank 0 alone opens it.
template <class Open> int open_fifo(Part part, int flags, Open open) {
    Outcome outcome;
    int fd = -1;
    if (part == Part::leads) {
        fd = open();
        outcome.value = fd < 0 ? -1 : 0;
        outcome.error = fd < 0 ? errno : 0;
    }
    tell(part, outcome);
    if (outcome.value == 0 && part == Part::follows)
        fd = stand_in_pipe(flags);
    if (fd >= 0 && (flags & O_ACCMODE) != O_WRONLY)
        announce_pipe(fd);
    return fd;
}

} // namespace mpiglut::children
