// Reading what started programs write: rank 0 reads it, and every rank gets the same bytes by the same call.

#include "children/reading.h"
#include "base/export.h"
#include "base/real.h"
#include "base/sockets.h"
#include "children/together.h"
#include "files/served.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

extern "C" ssize_t __read_chk(int fd, void *buffer, std::size_t size, std::size_t room);

namespace mpiglut::children {

namespace {

constexpr std::size_t most_at_once = 64u << 10;

/// Cheap where no program has been started: any thread may read anything at any time.
template <class Whose> ssize_t read_alike(int fd, void *buffer, std::size_t size, Whose whose) {
    const bool known = is_announced(fd);
    Part part = known ? whose() : Part::none;
    if (part == Part::follows)
        return share(part, {}, buffer, size);
    Outcome outcome{.value = REAL(read)(fd, buffer, part == Part::leads ? std::min(size, most_at_once) : size)};
    const int error = errno;
    outcome.error = outcome.value < 0 ? error : 0;
    if (!known && outcome.value >= 0 && is_announced(fd)) // the program was started meanwhile
        part = whose();
    errno = error;
    // A follower has read no more than the sign of a stand-in.
    return part == Part::none ? static_cast<ssize_t>(outcome.value)
                              : share(part, part == Part::leads ? outcome : Outcome{}, buffer, size);
}

ssize_t read_stream(void *cookie, char *buffer, std::size_t size) {
    const int fd = static_cast<Stream *>(cookie)->fd;
    if (is_announced(fd) && part_here() == Part::none)
        note_thread("a started program's output read");
    return read_alike(fd, buffer, size, part_here);
}

int close_stream(void *cookie) {
    auto *const stream = static_cast<Stream *>(cookie);
    int result = 0;
    if (stream->real)
        stream->status = REAL(pclose)(stream->real);
    else
        result = close(stream->fd);
    if (!stream->leave)
        delete stream;
    return result;
}

} // namespace

ssize_t share(Part part, Outcome outcome, void *buffer, std::size_t size) {
    tell(part, outcome);
    const int error = errno;
    if (outcome.value > 0) {
        const auto read_bytes = static_cast<std::size_t>(outcome.value);
        std::vector<std::byte> bytes(read_bytes);
        if (part == Part::leads)
            std::memcpy(bytes.data(), buffer, read_bytes);
        tell(part, bytes);
        outcome.value = static_cast<std::int64_t>(std::min(read_bytes, size)); // another call here than there
        if (part == Part::follows)
            std::memcpy(buffer, bytes.data(), std::min(read_bytes, size));
        keep_pace(read_bytes);
    }
    errno = error;
    return static_cast<ssize_t>(outcome.value);
}

std::FILE *open_stream(Stream *stream, const char *mode) {
    std::FILE *const file = fopencookie(stream, mode, {read_stream, nullptr, nullptr, close_stream});
    if (file)
        file->_fileno = stream->fd; // so that fileno(3) knows it
    return file;
}

std::FILE *open_stream(int fd, const char *mode) {
    if (*mode != 'r' || std::strchr(mode, '+'))
        return REAL(fdopen)(fd, mode);
    auto *const stream = new Stream{.fd = fd};
    std::FILE *const file = open_stream(stream, mode);
    if (!file)
        delete stream;
    return file;
}

} // namespace mpiglut::children

namespace children = mpiglut::children;

MPIGLUT_EXPORT ssize_t read(int fd, void *buffer, std::size_t size) {
    if (ssize_t result; mpiglut::sockets::receive(fd, buffer, size, 0, result))
        return result;
    return children::read_alike(fd, buffer, size, [caller = MPIGLUT_FILE_CALLER] { return children::part(caller); });
}
MPIGLUT_EXPORT ssize_t __read_chk(int fd, void *buffer, std::size_t size, std::size_t room) {
    if (size > room)
        return REAL(__read_chk)(fd, buffer, size, room);
    if (ssize_t result; mpiglut::sockets::receive(fd, buffer, size, 0, result))
        return result;
    return children::read_alike(fd, buffer, size, [caller = MPIGLUT_FILE_CALLER] { return children::part(caller); });
}

MPIGLUT_EXPORT std::FILE *fdopen(int fd, const char *mode) noexcept {
    struct stat what;
    if (!mode || fd <= STDERR_FILENO || fstat(fd, &what) != 0 || !S_ISFIFO(what.st_mode) ||
        children::part(MPIGLUT_FILE_CALLER) == children::Part::none)
        return REAL(fdopen)(fd, mode);
    return children::open_stream(fd, mode);
}
