#include "run/passing.h"

#include <cstring>
#include <sys/socket.h>
#include <unistd.h>

namespace mpiglut {

namespace {

/// A message of one number, with room for one descriptor.
struct Envelope {
    explicit Envelope(int &number) : part{&number, sizeof number} {
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        message.msg_control = room;
        message.msg_controllen = sizeof room;
    }
    Envelope(const Envelope &) = delete;
    Envelope &operator=(const Envelope &) = delete;

    iovec part;
    alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))] = {};
    msghdr message{};
};

} // namespace

bool make_passage(int (&ends)[2]) { return ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0; }

bool pass(int socket, const Passed &what) {
    int number = what.number;
    Envelope envelope(number);
    cmsghdr *const control = CMSG_FIRSTHDR(&envelope.message);
    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SCM_RIGHTS;
    control->cmsg_len = CMSG_LEN(sizeof what.fd);
    std::memcpy(CMSG_DATA(control), &what.fd, sizeof what.fd);
    return ::sendmsg(socket, &envelope.message, MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof number;
}

std::optional<Passed> receive_passed(int socket) {
    Passed what;
    Envelope envelope(what.number);
    if (::recvmsg(socket, &envelope.message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) != sizeof what.number)
        return std::nullopt;
    if (const cmsghdr *control = CMSG_FIRSTHDR(&envelope.message);
        control && control->cmsg_type == SCM_RIGHTS && control->cmsg_len == CMSG_LEN(sizeof what.fd))
        std::memcpy(&what.fd, CMSG_DATA(control), sizeof what.fd);
    return what.fd >= 0 ? std::optional(what) : std::nullopt;
}

} // namespace mpiglut
