#include "link.h"

#include <cerrno>
#include <poll.h>
#include <sys/socket.h>

namespace mpiglut::launcher {

std::shared_ptr<Link> Link::open(Loop &loop, Descriptor socket, const TlsKeyRef &key,
                                 std::function<void(Frame &&)> received, std::function<void()> closed) {
    set_nonblocking(socket.get());
    std::shared_ptr<Link> link(new Link(loop, std::move(socket)));
    link->received_ = std::move(received);
    link->closed_ = std::move(closed);
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
    if (closed_)
        closed_();
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
        queue_.append(frame);
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
    if (tls_)
        tls_->move_outgoing(queue_);
    while (!queue_.empty()) {
        ssize_t n = ::send(socket_.get(), queue_.data(), queue_.size(), MSG_NOSIGNAL);
        if (n < 0) {
            if (errno == EINTR)
                continue;
            if (errno != EAGAIN)
                queue_.clear(); // the other side has gone; reading will say so, after what it sent before
            return;
        }
        queue_.erase(0, static_cast<std::size_t>(n));
    }
}

void Link::read_some() {
    char bytes[65536];
    ssize_t n = ::recv(socket_.get(), bytes, sizeof bytes, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0)
        return lost();
    take({bytes, static_cast<std::size_t>(n)});
}

void Link::take(std::string_view bytes) {
    std::string plain;
    if (tls_) {
        stranger_ = !tls_->take(bytes, plain) && !tls_->is_secured();
        write_some(); // an answer, or what is wrong
        update();
        bytes = plain;
    }
    unframer_.feed(bytes);
    while (auto frame = unframer_.next()) {
        received_(std::move(*frame));
        if (!socket_)
            return;
    }
    if (unframer_.broken() || (tls_ && tls_->has_failed()))
        lost();
}

} // namespace mpiglut::launcher
