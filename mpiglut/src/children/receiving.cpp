// Datagrams: a port that several ranks of a host may bind gives each of them to one. Rank 0 binds it and receives, and
// every rank gets the same by the same call.

#include "base/export.h"
#include "base/real.h"
#include "base/sockets.h"
#include "children/reading.h"
#include "children/together.h"
#include "files/served.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <sys/uio.h>

extern "C" {
ssize_t __recv_chk(int fd, void *buffer, std::size_t size, std::size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *buffer, std::size_t size, std::size_t room, int flags, sockaddr *from,
                       socklen_t *length);
}

namespace mpiglut::children {

namespace {

struct Sender {
    socklen_t length = 0;
    sockaddr_storage address{};
};

/// `receive(sender)` does it on rank 0.
template <class Receive>
ssize_t receive_alike(const void *caller, int fd, void *buffer, std::size_t size, sockaddr *from, socklen_t *length,
                      Receive receive, int flags) {
    if (ssize_t result; sockets::receive(fd, buffer, size, flags, result)) {
        if (length)
            *length = 0; // of a stream
        return result;
    }
    const Part part = is_announced(fd) ? children::part(caller) : Part::none;
    if (part == Part::none)
        return receive(from, length);
    Sender sender{.length = sizeof sender.address};
    Outcome outcome;
    if (part == Part::leads) {
        outcome.value = receive(reinterpret_cast<sockaddr *>(&sender.address), &sender.length);
        outcome.error = outcome.value < 0 ? errno : 0;
    }
    const ssize_t result = share(part, outcome, buffer, size);
    const int error = errno;
    if (result >= 0)
        tell(part, std::as_writable_bytes(std::span(&sender, 1)));
    if (result >= 0 && from && length) {
        std::memcpy(from, &sender.address, std::min<std::size_t>(*length, sender.length));
        *length = sender.length;
    }
    errno = error;
    return result;
}

} // namespace

} // namespace mpiglut::children

namespace children = mpiglut::children;

MPIGLUT_EXPORT ssize_t recv(int fd, void *buffer, std::size_t size, int flags) {
    return children::receive_alike(
        MPIGLUT_FILE_CALLER, fd, buffer, size, nullptr, nullptr,
        [&](sockaddr *from, socklen_t *length) { return REAL(recvfrom)(fd, buffer, size, flags, from, length); },
        flags);
}
MPIGLUT_EXPORT ssize_t recvfrom(int fd, void *buffer, std::size_t size, int flags, sockaddr *from, socklen_t *length) {
    return children::receive_alike(
        MPIGLUT_FILE_CALLER, fd, buffer, size, from, length,
        [&](sockaddr *who, socklen_t *long_as) { return REAL(recvfrom)(fd, buffer, size, flags, who, long_as); },
        flags);
}
MPIGLUT_EXPORT ssize_t __recv_chk(int fd, void *buffer, std::size_t size, std::size_t room, int flags) {
    if (size > room)
        return REAL(__recv_chk)(fd, buffer, size, room, flags);
    return children::receive_alike(
        MPIGLUT_FILE_CALLER, fd, buffer, size, nullptr, nullptr,
        [&](sockaddr *from, socklen_t *length) { return REAL(recvfrom)(fd, buffer, size, flags, from, length); },
        flags);
}
MPIGLUT_EXPORT ssize_t __recvfrom_chk(int fd, void *buffer, std::size_t size, std::size_t room, int flags,
                                      sockaddr *from, socklen_t *length) {
    if (size > room)
        return REAL(__recvfrom_chk)(fd, buffer, size, room, flags, from, length);
    return children::receive_alike(
        MPIGLUT_FILE_CALLER, fd, buffer, size, from, length,
        [&](sockaddr *who, socklen_t *long_as) { return REAL(recvfrom)(fd, buffer, size, flags, who, long_as); },
        flags);
}

// Into one piece of memory, then into the program's.
MPIGLUT_EXPORT ssize_t recvmsg(int fd, msghdr *message, int flags) {
    ssize_t received = 0;
    if (mpiglut::sockets::any && message &&
        mpiglut::sockets::receive(fd, message->msg_iov, message->msg_iovlen, flags, received)) {
        message->msg_namelen = 0;
        message->msg_controllen = 0;
        message->msg_flags = 0;
        return received;
    }
    if (!children::is_announced(fd) || !message)
        return REAL(recvmsg)(fd, message, flags);
    std::vector<std::byte> bytes;
    for (std::size_t i = 0; i < message->msg_iovlen; ++i)
        bytes.resize(bytes.size() + message->msg_iov[i].iov_len);
    const ssize_t result = children::receive_alike(
        MPIGLUT_FILE_CALLER, fd, bytes.data(), bytes.size(), static_cast<sockaddr *>(message->msg_name),
        message->msg_name ? &message->msg_namelen : nullptr,
        [&](sockaddr *from, socklen_t *length) {
            return REAL(recvfrom)(fd, bytes.data(), bytes.size(), flags, from, length);
        },
        flags);
    const std::byte *from = bytes.data();
    std::size_t rest = result > 0 ? std::min(static_cast<std::size_t>(result), bytes.size()) : 0;
    for (std::size_t i = 0; i < message->msg_iovlen && rest > 0; ++i) {
        const std::size_t part = std::min(rest, message->msg_iov[i].iov_len);
        std::memcpy(message->msg_iov[i].iov_base, from, part);
        from += part;
        rest -= part;
    }
    message->msg_controllen = 0;
    message->msg_flags = 0;
    return result;
}
