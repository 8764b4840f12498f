#include "link/relay.h"

#include <poll.h>
#include <sys/socket.h>
#include <utility>

namespace mpiglut::launcher {

namespace {

constexpr std::size_t most_queued = 256u << 10;

} // namespace

Relay::Relay(Loop &loop, std::shared_ptr<Link> link, std::function<void()> over)
    : loop_(loop), link_(std::move(link)), over_(std::move(over)) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return;
    near_.reset(ends[0]);
    far_.reset(ends[1]);
    set_nonblocking(near_.get());
    loop_.watch(near_.get(), POLLIN, [this](short revents) { ready(revents); });
    link_->on_drained([this] { update(); });
}

Relay::~Relay() {
    if (near_)
        loop_.forget(near_.get());
    link_->on_drained({});
    link_->close();
}

void Relay::receive(std::string_view bytes) {
    if (program_gone_ || !near_)
        return;
    to_program_.add(bytes);
    ready(POLLOUT);
}

void Relay::link_closed() {
    link_gone_ = true;
    update();
}

void Relay::ready(short revents) {
    if ((revents & POLLOUT) && !send_some(near_.get(), to_program_)) {
        program_gone_ = true;
        to_program_.clear();
    }
    if (revents & (POLLIN | POLLHUP | POLLERR)) {
        ReadingRoom room;
        const auto bytes = receive_some(near_.get(), room);
        program_gone_ = program_gone_ || !bytes;
        if (bytes && !bytes->empty())
            link_->send(Type::relayed, *bytes);
    }
    update();
}

/// What each side waits for now. The last thing that a caller does here: it may be the end.
void Relay::update() {
    if ((program_gone_ && link_->queued() == 0) || (link_gone_ && to_program_.empty()) || (program_gone_ && link_gone_))
        return close();
    link_->pause(to_program_.size() >= most_queued);
    const bool reads = !program_gone_ && link_->queued() < most_queued;
    loop_.wait_for(near_.get(), static_cast<short>((reads ? POLLIN : 0) | (to_program_.empty() ? 0 : POLLOUT)));
}

void Relay::close() {
    if (!near_)
        return;
    loop_.forget(near_.get());
    near_.reset();
    link_->on_drained({});
    link_->close();
    std::exchange(over_, {})();
}

} // namespace mpiglut::launcher
