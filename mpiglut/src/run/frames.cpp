#include "run/frames.h"

#include <cerrno>
#include <sys/socket.h>

namespace mpiglut {

void ByteQueue::remove(std::size_t count) {
    constexpr std::size_t most_kept = 1u << 20;
    removed_ += count;
    if (removed_ < bytes_.size() && removed_ < most_kept)
        return;
    bytes_.erase(0, removed_);
    removed_ = 0;
}

bool send_some(int socket, ByteQueue &queue) {
    while (!queue.empty()) {
        const std::string_view bytes = queue.waiting();
        const ssize_t n = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno == EAGAIN;
        queue.remove(static_cast<std::size_t>(n));
    }
    return true;
}

std::optional<std::string_view> receive_some(int socket, ReadingRoom &room) {
    const ssize_t n = ::recv(socket, room.data(), room.size(), MSG_DONTWAIT);
    if (n > 0)
        return std::string_view(room.data(), static_cast<std::size_t>(n));
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return std::string_view();
    return std::nullopt;
}

} // namespace mpiglut
