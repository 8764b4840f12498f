#include "sync/stream.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace mpiglut::transport {
namespace {

constexpr std::size_t most_at_once = 1u << 20;
constexpr std::uint64_t longest = std::uint64_t{1} << 40;
constexpr std::size_t before_payload = sizeof(std::uint64_t) + sizeof(Header);

/// Gives the room back that what is done with takes, now and then.
void shorten(Bytes &bytes, std::size_t &done) {
    if (done < bytes.size() && done < most_at_once)
        return;
    bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(done));
    done = 0;
}

} // namespace

Bytes encode(const Header &header, std::span<const std::byte> payload) {
    const std::uint64_t length = payload.size();
    Bytes bytes(before_payload + payload.size());
    std::memcpy(bytes.data(), &length, sizeof length);
    std::memcpy(bytes.data() + sizeof length, &header, sizeof header);
    if (!payload.empty())
        std::memcpy(bytes.data() + before_payload, payload.data(), payload.size());
    return bytes;
}

Stream::Stream(int fd) : fd_(fd) {
    ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
    ::fcntl(fd, F_SETFD, FD_CLOEXEC);
}

Stream::~Stream() { ::close(fd_); }

void Stream::send(std::span<const std::byte> encoded) {
    out_.insert(out_.end(), encoded.begin(), encoded.end());
    write_some();
}

void Stream::move() {
    write_some();
    read_some();
}

void Stream::write_some() {
    while (!lost_ && written_ < out_.size()) {
        const ssize_t n = ::send(fd_, out_.data() + written_, out_.size() - written_, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            lost_ = errno != EAGAIN;
            break;
        }
        written_ += static_cast<std::size_t>(n);
    }
    shorten(out_, written_);
}

void Stream::read_some() {
    const std::size_t before = in_.size();
    for (std::size_t sum = 0; !lost_ && sum < most_at_once;) {
        constexpr std::size_t piece = 1u << 16;
        in_.resize(before + sum + piece);
        const ssize_t n = ::recv(fd_, in_.data() + before + sum, piece, 0);
        lost_ = n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
        sum += static_cast<std::size_t>(n > 0 ? n : 0);
        in_.resize(before + sum);
        if (n <= 0)
            return;
    }
}

bool Stream::next(Message &message) {
    const std::size_t there = in_.size() - taken_;
    std::uint64_t length = 0;
    if (there < before_payload)
        return false;
    std::memcpy(&length, in_.data() + taken_, sizeof length);
    if (length > longest)
        lost_ = true;
    if (length > there - before_payload)
        return false;
    std::memcpy(&message.header, in_.data() + taken_ + sizeof length, sizeof message.header);
    const auto payload = in_.begin() + static_cast<std::ptrdiff_t>(taken_ + before_payload);
    message.payload.assign(payload, payload + static_cast<std::ptrdiff_t>(length));
    taken_ += before_payload + length;
    shorten(in_, taken_);
    return true;
}

} // namespace mpiglut::transport
