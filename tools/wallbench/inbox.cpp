#include "inbox.h"

#include "child.h"
#include "report.h"

#include <cstdlib>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace {

std::string temporary_folder() {
    char path[] = "/tmp/wallbench-XXXXXX";
    if (!mkdtemp(path))
        throw std::runtime_error("no folder could be made in /tmp");
    return path;
}

} // namespace

Inbox::Inbox() : folder_(temporary_folder()), path_(folder_ + "/shown") {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.copy(address.sun_path, sizeof address.sun_path - 1);
    fd_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (bind(fd_, reinterpret_cast<sockaddr *>(&address), sizeof address) != 0)
        throw std::runtime_error("no socket could be made in " + folder_);
}

Inbox::~Inbox() {
    close(fd_);
    unlink(path_.c_str());
    rmdir(folder_.c_str());
}

std::map<pid_t, std::int64_t> Inbox::wait_for(int keys, int count) {
    std::map<pid_t, std::int64_t> times;
    const std::int64_t end = now_ns() + (keys ? 2'000'000'000LL : 10'000'000'000LL);
    while (static_cast<int>(times.size()) < count && now_ns() < end) {
        pollfd ready{fd_, POLLIN, 0};
        Shown message;
        if (poll(&ready, 1, 100) == 1 && recv(fd_, &message, sizeof message, 0) == sizeof message &&
            message.keys == keys)
            times.emplace(message.pid, message.time_ns);
    }
    return times;
}
