#include "child/input_feed.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <poll.h>

namespace mpiglut::launcher {

namespace {

constexpr std::size_t window = 128u << 10;

} // namespace

InputFeed::InputFeed(Loop &loop, int ranks, std::function<void(std::string_view)> data)
    : loop_(loop), data_(std::move(data)), waiting_(static_cast<std::size_t>(ranks)),
      dropped_(static_cast<std::size_t>(ranks)) {}

void InputFeed::start() {
    // Reading from the terminal as a background job would stop us; blocked, it is an error to wait out.
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTTIN);
    ::sigprocmask(SIG_BLOCK, &set, nullptr);
    reading_ = true;
    loop_.watch(0, 0, [this](short) { read_some(); });
    update();
}

std::size_t InputFeed::room() const {
    std::size_t most = 0;
    bool any = false;
    for (std::size_t rank = 0; rank < waiting_.size(); ++rank)
        if (!dropped_[rank]) {
            any = true;
            most = std::max(most, waiting_[rank]);
        }
    return any ? window - std::min(most, window) : 0;
}

void InputFeed::update() {
    if (reading_)
        loop_.wait_for(0, room() ? POLLIN : 0);
}

void InputFeed::taken(int rank, std::size_t bytes) {
    std::size_t &waiting = waiting_[static_cast<std::size_t>(rank)];
    waiting -= std::min(waiting, bytes);
    update();
}

void InputFeed::drop(int rank) {
    dropped_[static_cast<std::size_t>(rank)] = true;
    update();
}

void InputFeed::read_some() {
    char bytes[16384];
    ssize_t n = ::read(0, bytes, std::min(sizeof bytes, room()));
    if (n < 0 && (errno == EAGAIN || errno == EINTR || errno == EIO)) {
        if (errno == EIO) { // in the background
            loop_.wait_for(0, 0);
            loop_.after(std::chrono::seconds(1), [this] { update(); });
        }
        return;
    }
    if (n <= 0) {
        reading_ = false;
        loop_.forget(0);
        return data_({});
    }
    for (std::size_t &waiting : waiting_)
        waiting += static_cast<std::size_t>(n);
    data_({bytes, static_cast<std::size_t>(n)});
    update();
}

} // namespace mpiglut::launcher
