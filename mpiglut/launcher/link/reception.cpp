#include "link/reception.h"

#include <poll.h>
#include <sys/socket.h>
#include <utility>

namespace mpiglut::launcher {

Reception::Reception(Loop &loop, Listener &&listener, const std::string &secret, std::size_t most, Admit admit)
    : loop_(loop), socket_(std::move(listener.socket)), key_(listener_key(secret)), most_strangers_(most),
      admit_(std::move(admit)) {
    loop_.watch(socket_.get(), POLLIN, [this](short) { accept(); });
}

void Reception::shut() {
    if (socket_)
        loop_.forget(socket_.get());
    socket_.reset();
    while (!strangers_.empty())
        drop(strangers_.begin());
}

void Reception::accept() {
    Descriptor socket(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!socket)
        return;
    keep_alive(socket.get());
    const StrangerRef stranger = strangers_.emplace(strangers_.end());
    stranger->link = Link::open(
        loop_, std::move(socket), key_, [this, stranger](const Frame &frame) { greet(stranger, frame); },
        [this, stranger] { drop(stranger); });
    stranger->link->limit(longest_hello);
    stranger->timer = loop_.after(patience, [this, stranger] { drop(stranger); });
    if (strangers_.size() > most_strangers_)
        drop(strangers_.begin());
}

void Reception::drop(StrangerRef stranger) {
    const auto keep = stranger->link; // this may be called by it
    keep->close();
    loop_.cancel(stranger->timer);
    strangers_.erase(stranger);
}

void Reception::greet(StrangerRef stranger, const Frame &frame) {
    auto hello = frame.type == Type::hello ? unpack<Hello>(frame.payload) : std::nullopt;
    const auto link = stranger->link;
    loop_.cancel(stranger->timer);
    strangers_.erase(stranger); // it is none any more, or goes
    if (!hello || !admit_(link, std::move(*hello)))
        link->close();
}

} // namespace mpiglut::launcher
