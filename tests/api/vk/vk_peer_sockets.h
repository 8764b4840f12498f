// The socket that brings descriptors to this process, and a stranger that writes to it.
#pragma once

#include "rig/cases.h"
#include "rig/pixels.h"

#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <string_view>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <vector>

namespace api {

/// The library's own, found among all that is open. It can go away, and come back.
class Socket {
  public:
    Socket() {
        constexpr std::string_view start("\0pixmpi-", 8);
        for (int i = 3; i < 1024 && number_ < 0; ++i) {
            length_ = sizeof name_;
            if (getsockname(i, reinterpret_cast<sockaddr *>(&name_), &length_) == 0 && name_.sun_family == AF_UNIX &&
                std::string_view(name_.sun_path, sizeof name_.sun_path).starts_with(start))
                number_ = i;
        }
        NEED(number_ >= 0);
    }
    void shut() const { replace(open("/dev/null", O_RDWR | O_CLOEXEC)); }
    void open_again() const {
        const int made = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        const int on = 1;
        NEED(setsockopt(made, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) == 0 && bind(made, address(), length_) == 0);
        replace(made);
    }
    const sockaddr *address() const { return reinterpret_cast<const sockaddr *>(&name_); }
    socklen_t address_length() const { return length_; }

  private:
    void replace(int by) const {
        NEED(by >= 0 && dup3(by, number_, O_CLOEXEC) == number_);
        close(by);
    }
    int number_ = -1;
    sockaddr_un name_{};
    socklen_t length_ = 0;
};

class Stranger {
  public:
    Stranger() : socket_(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {}
    Stranger(const Stranger &) = delete;
    ~Stranger() { close(socket_); }
    /// False when no more fits into the other's queue.
    bool send(const Socket &to, Bytes content, const std::vector<int> &descriptors) const {
        std::vector<char> control(CMSG_SPACE(descriptors.size() * sizeof(int)));
        iovec part{content.data(), content.size()};
        msghdr message{};
        message.msg_name = const_cast<sockaddr *>(to.address());
        message.msg_namelen = to.address_length();
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        if (!descriptors.empty()) {
            message.msg_control = control.data();
            message.msg_controllen = control.size();
            cmsghdr *const header = CMSG_FIRSTHDR(&message);
            header->cmsg_level = SOL_SOCKET;
            header->cmsg_type = SCM_RIGHTS;
            header->cmsg_len = CMSG_LEN(descriptors.size() * sizeof(int));
            std::memcpy(CMSG_DATA(header), descriptors.data(), descriptors.size() * sizeof(int));
        }
        return sendmsg(socket_, &message, MSG_NOSIGNAL) >= 0;
    }

  private:
    const int socket_;
};

/// Null, or what makes the descriptors that are sent instead of the library's, whatever GPU's memory these are.
extern int (*sent_instead)();

inline int open_descriptors() {
    int count = 0;
    if (DIR *const all = opendir("/proc/self/fd")) {
        while (readdir(all))
            ++count;
        closedir(all);
    }
    return count;
}

} // namespace api
