#include "sync/stream.h"

#include <cstdint>
#include <fcntl.h>
#include <limits>
#include <unistd.h>
#include <utility>

namespace mpiglut::transport {

Stream::Stream(int fd) : fd_(fd) {
    ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
    ::fcntl(fd, F_SETFD, FD_CLOEXEC);
    in_.limit(std::numeric_limits<std::uint32_t>::max());
}

Stream::~Stream() { ::close(fd_); }

void Stream::send(std::span<const std::byte> encoded) {
    out_.add({reinterpret_cast<const char *>(encoded.data()), encoded.size()});
    write_some();
}

void Stream::move() {
    write_some();
    read_some();
}

void Stream::write_some() { lost_ = lost_ || !send_some(fd_, out_); }

void Stream::read_some() {
    constexpr std::size_t most_at_once = 1u << 20;
    ReadingRoom room;
    for (std::size_t sum = 0; !lost_ && sum < most_at_once;) {
        const auto bytes = receive_some(fd_, room);
        lost_ = !bytes;
        if (!bytes || bytes->empty())
            return;
        in_.feed(*bytes);
        sum += bytes->size();
    }
}

bool Stream::next(Message &message) {
    auto come = in_.next();
    lost_ = lost_ || in_.broken();
    if (come)
        message = std::move(*come);
    return come.has_value();
}

} // namespace mpiglut::transport
