#include "link/link.h"

#include <poll.h>

namespace mpiglut::launcher {

std::shared_ptr<Link> Link::open(Loop &loop, Descriptor socket, const TlsKeyRef &key,
                                 std::function<void(Frame &&)> received, std::function<void()> closed) {
    set_nonblocking(socket.get());
    std::shared_ptr<Link> link(new Link(loop, std::move(socket)));
    link->hand_over(std::move(received), std::move(closed));
    loop.watch(link->socket_.get(), POLLIN, [raw = link.get()](short revents) { raw->ready(revents); });
    if (key) {
        link->tls_ = std::make_unique<Tls>(key);
        link->write_some();
        link->update();
    }
    return link;
}

Link::~Link() { close(); }

void Link::close() {
    if (!socket_)
        return;
    loop_.forget(socket_.get());
    socket_.reset();
    queue_.clear();
}

void Link::lost() {
    if (!socket_)
        return;
    close();
    if (const auto user = user_; user->closed)
        user->closed();
}

void Link::update() {
    if (socket_)
        loop_.wait_for(socket_.get(), static_cast<short>((paused_ ? 0 : POLLIN) | (queue_.empty() ? 0 : POLLOUT)));
}

void Link::pause(bool paused) {
    paused_ = paused;
    update();
}

void Link::send(Type type, std::string_view payload) {
    if (!socket_)
        return;
    const std::string frame = encode(type, payload);
    if (tls_)
        tls_->send(frame);
    else
        queue_.add(frame);
    write_some();
    update();
}

void Link::ready(short revents) {
    auto keep = shared_from_this(); // a callback may drop the last other reference
    if (revents & POLLOUT) {
        write_some();
        update();
        if (const auto drained = socket_ ? drained_ : nullptr) // which may put another in its place
            drained();
    }
    if (socket_ && (revents & (POLLIN | POLLHUP | POLLERR)))
        read_some();
}

void Link::write_some() {
    if (tls_) {
        std::string sealed;
        tls_->move_outgoing(sealed);
        queue_.add(sealed);
    }
    if (!send_some(socket_.get(), queue_))
        queue_.clear(); // the other side has gone; reading will say so, after what it sent before
}

void Link::read_some() {
    ReadingRoom room;
    if (const auto bytes = receive_some(socket_.get(), room); !bytes)
        lost();
    else if (!bytes->empty())
        receive(*bytes);
}

void Link::receive(std::string_view bytes) {
    std::string plain;
    if (tls_) {
        stranger_ = !tls_->decrypt(bytes, plain) && !tls_->is_secured();
        write_some(); // an answer, or what is wrong
        update();
        bytes = plain;
    }
    unframer_.feed(bytes);
    while (auto frame = unframer_.next()) {
        const auto user = user_;
        user->received(std::move(*frame));
        if (!socket_)
            return;
    }
    if (unframer_.broken() || (tls_ && tls_->has_failed()))
        lost();
}

} // namespace mpiglut::launcher
