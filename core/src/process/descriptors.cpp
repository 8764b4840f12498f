#include "process/descriptors.h"

#include "base/log.h"
#include "base/status.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

namespace pixmpi {
namespace {

constexpr std::uint64_t magic = 0x31646670676d7069; // "ipmgpfd1"
constexpr std::size_t most_waiting = 64;            // that were not asked for; strangers may also write to us

struct Datagram {
    std::uint64_t magic;
    DescriptorLabel label;
};

/// A name without a file: it goes with its socket, and is seen in this network namespace only.
socklen_t name_of(std::uint64_t id, sockaddr_un &name) {
    name = {};
    name.sun_family = AF_UNIX;
    const int length = std::snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "pixmpi-%016llx",
                                     static_cast<unsigned long long>(id));
    return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + static_cast<std::size_t>(length));
}

union Control {
    cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
};

/// Who has sent it, and no room for descriptors.
union Sender {
    cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(ucred))];
};

/// With the descriptor.
union Arrival {
    cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(ucred)) + CMSG_SPACE(sizeof(int))];
};

/// The next datagram; its length, or -1. `flags`: MSG_PEEK leaves it there.
template <class Room> ssize_t receive(int socket, Datagram &datagram, Room &control, msghdr &message, int flags) {
    iovec part{&datagram, sizeof datagram};
    message = {};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
    return recvmsg(socket, &message, MSG_CMSG_CLOEXEC | flags);
}

/// Closes all others that the message may contain.
int first_descriptor(msghdr &message) {
    int first = -1;
    for (cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
            continue;
        const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {
            int one = -1;
            std::memcpy(&one, CMSG_DATA(header) + i * sizeof one, sizeof one);
            if (first < 0)
                first = one;
            else
                close(one);
        }
    }
    return first;
}

/// Nobody: 0, which no process has.
ucred sender_of(msghdr &message) {
    ucred sender{};
    for (cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header))
        if (header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_CREDENTIALS &&
            header->cmsg_len == CMSG_LEN(sizeof sender))
            std::memcpy(&sender, CMSG_DATA(header), sizeof sender);
    return sender;
}

/// Whose process that is, as the system says; false when there is none.
bool user_of(std::int32_t pid, std::uint32_t &uid) {
    char path[32], line[128];
    std::snprintf(path, sizeof path, "/proc/%d/status", pid);
    std::FILE *const file = std::fopen(path, "re");
    bool found = false;
    while (file && !found && std::fgets(line, sizeof line, file))
        found = std::sscanf(line, "Uid: %u", &uid) == 1;
    if (file)
        std::fclose(file);
    return found;
}

/// A process that is watched from before something was done until after it.
class Watched {
  public:
    explicit Watched(std::int32_t pid) : pid_(pid) {
#ifdef SYS_pidfd_open
        descriptor_ = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
#endif
    }
    ~Watched() {
        if (descriptor_ >= 0)
            close(descriptor_);
    }
    Watched(const Watched &) = delete;
    Watched &operator=(const Watched &) = delete;
    /// It has not ended, and is that user's: the number may be another process' by now.
    bool runs(std::uint32_t uid) const {
        pollfd ended{descriptor_, POLLIN, 0};
        std::uint32_t found = 0;
        const bool alive = descriptor_ >= 0 ? poll(&ended, 1, 0) == 0 : kill(pid_, 0) == 0;
        return alive && user_of(pid_, found) && found == uid;
    }

  private:
    const std::int32_t pid_;
    int descriptor_ = -1;
};

/// By a socket that is connected.
Descriptors::Sent send_by(int way, const DescriptorLabel &label, int descriptor) {
    Datagram datagram{magic, label};
    iovec part{&datagram, sizeof datagram};
    Control control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
    cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof descriptor);
    std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    if (sendmsg(way, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof datagram))
        return Descriptors::Sent::yes;
    return errno == EAGAIN || errno == EINTR || errno == ENOBUFS ? Descriptors::Sent::later : Descriptors::Sent::never;
}

} // namespace

Descriptors::~Descriptors() {
    for (const Arrived &one : arrived_)
        close(one.descriptor);
    if (socket_ >= 0)
        close(socket_);
}

void Descriptors::open(std::uint64_t id) {
    sockaddr_un name;
    const socklen_t length = name_of(id, name);
    socket_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    constexpr int on = 1;
    if (socket_ >= 0 && (setsockopt(socket_, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0 ||
                         bind(socket_, reinterpret_cast<sockaddr *>(&name), length) != 0)) {
        close(socket_);
        socket_ = -1;
    }
}

bool Descriptors::is_welcome(std::uint64_t id, const Identity &sender) {
    const auto known = welcome_.find(id);
    if (known != welcome_.end() && known->second == sender)
        return true;
    if (!named_a_stranger_)
        log_line(
            PIXMPI_LOG_ERROR,
            "process %d of user %u sent a descriptor, and is not the rank that it says it is: dropped, as all such",
            sender.pid, sender.uid);
    named_a_stranger_ = true;
    return false;
}

/// The sockets' names are no secret, and a name is free when its process has ended: others may take it then. A socket
/// that is connected stays with the one that had the name. If the rank still runs after that, it was the rank.
Descriptors::Sent Descriptors::send(std::uint64_t to, const DescriptorLabel &label, int descriptor) {
    const auto known = welcome_.find(to);
    if (socket_ < 0 || known == welcome_.end())
        return Sent::never;
    const Watched rank(known->second.pid);
    sockaddr_un name;
    const socklen_t length = name_of(to, name);
    const int way = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    Sent sent = Sent::never;
    if (way >= 0 && connect(way, reinterpret_cast<const sockaddr *>(&name), length) == 0 &&
        rank.runs(known->second.uid))
        sent = send_by(way, label, descriptor);
    if (way >= 0)
        close(way);
    return sent;
}

void Descriptors::look_at_times() {
    constexpr std::uint32_t many = 64;
    if (++asked_ % many == 0)
        look();
}

void Descriptors::look() {
    for (int i = 0; i < at_a_time && receive_one(); ++i) {
    }
}

/// False when there is none. The descriptors of strangers never become this process': to close one may take as long as
/// the file system behind it likes.
bool Descriptors::receive_one() {
    Datagram datagram{};
    Sender from{};
    msghdr message;
    const ssize_t length = socket_ < 0 ? -1 : receive(socket_, datagram, from, message, MSG_PEEK);
    if (length < 0)
        return false;
    const ucred sender = sender_of(message);
    const bool has_descriptors = (message.msg_flags & MSG_CTRUNC) != 0;
    if (!has_descriptors || length != static_cast<ssize_t>(sizeof datagram) || datagram.magic != magic ||
        !is_welcome(datagram.label.owner, {sender.pid, sender.uid})) {
        (void)recv(socket_, nullptr, 0, 0);
        return true;
    }
    Arrival control{};
    if (receive(socket_, datagram, control, message, 0) < 0)
        return false;
    const int descriptor = first_descriptor(message);
    if (descriptor < 0)
        return true;
    if (arrived_.size() == most_waiting) { // the oldest one has been given up, most likely
        close(arrived_.front().descriptor);
        arrived_.erase(arrived_.begin());
    }
    arrived_.push_back({datagram.label, descriptor});
    return true;
}

void Descriptors::forget(std::uint64_t id) {
    welcome_.erase(id);
    std::erase_if(arrived_, [&](const Arrived &one) {
        if (one.label.owner == id)
            close(one.descriptor);
        return one.label.owner == id;
    });
}

int Descriptors::claim(std::uint64_t owner, std::uint32_t memory, std::uint32_t device, DescriptorLabel &label) {
    look();
    int descriptor = -1;
    std::erase_if(arrived_, [&](const Arrived &one) {
        if (one.label.owner != owner || one.label.memory != memory || one.label.device != device)
            return false;
        if (descriptor >= 0)
            close(descriptor);
        descriptor = one.descriptor;
        label = one.label;
        return true;
    });
    return descriptor;
}

} // namespace pixmpi
