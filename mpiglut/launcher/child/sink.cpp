#include "child/sink.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <poll.h>

namespace mpiglut::launcher {

namespace {

constexpr std::size_t longest_line = 64u << 10;

} // namespace

Sink::Sink(Loop &loop, int fd) : loop_(loop), fd_(fd) {
    loop_.watch(fd_, 0, [this](short) { write_some(); });
}

void Sink::write(std::string_view bytes) {
    if (gone_)
        return;
    queue_.append(bytes);
    if (!queue_.empty())
        loop_.wait_for(fd_, POLLOUT);
}

/// The descriptor is shared with other processes, so it is not made non-blocking; a pipe that poll calls writable takes
/// PIPE_BUF bytes without waiting.
void Sink::write_some() {
    ssize_t n = ::write(fd_, queue_.data(), std::min<std::size_t>(queue_.size(), PIPE_BUF));
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n < 0) {
        gone_ = true;
        queue_.clear();
        if (broken_)
            broken_();
    } else {
        queue_.erase(0, static_cast<std::size_t>(n));
    }
    if (queue_.empty())
        loop_.wait_for(fd_, 0);
    if (drained_)
        drained_();
}

void Sink::flush(std::chrono::milliseconds longest) {
    auto end = std::chrono::steady_clock::now() + longest;
    while (!queue_.empty()) {
        auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        if (longest.count() >= 0 && left.count() <= 0)
            return;
        pollfd wait{fd_, POLLOUT, 0};
        if (::poll(&wait, 1, longest.count() < 0 ? -1 : static_cast<int>(left.count())) > 0)
            write_some();
    }
}

std::string LinePrefix::add(std::string_view bytes) {
    std::string lines;
    while (!bytes.empty()) {
        auto end = bytes.find('\n');
        partial_.append(bytes.substr(0, end));
        if (end == bytes.npos && partial_.size() < longest_line)
            break;
        lines += head_ + partial_ + "\n";
        partial_.clear();
        if (end == bytes.npos)
            break;
        bytes.remove_prefix(end + 1);
    }
    return lines;
}

} // namespace mpiglut::launcher
