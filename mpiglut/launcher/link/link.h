// One end of a control connection. What crosses a network is protected here, by TLS with a key that both ends know, and
// nowhere else.
#pragma once

#include "child/loop.h"
#include "link/messages.h"
#include "link/tls.h"
#include "run/frames.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace mpiglut::launcher {

class Link : public std::enable_shared_from_this<Link> {
  public:
    /// `socket` is connected. `key`: what the other end has to know; null only for a socket that two processes have
    /// inherited. `closed` is called once, when the other side has gone or sends nonsense; not after close(). Nothing
    /// is received before the other end has proved that it knows the key.
    static std::shared_ptr<Link> open(Loop &loop, Descriptor socket, const TlsKeyRef &key,
                                      std::function<void(Frame &&)> received, std::function<void()> closed);
    ~Link();
    /// What comes from now on goes there.
    void hand_over(std::function<void(Frame &&)> received, std::function<void()> closed) {
        user_ = std::make_shared<const User>(std::move(received), std::move(closed));
    }

    void send(Type type, std::string_view payload = {});
    template <class Message> void send(const Message &message) { send(Message::type, pack(message)); }
    std::size_t queued() const { return queue_.size() + (tls_ ? tls_->kept() : 0); }
    /// Called whenever some of the queue has left.
    void on_drained(std::function<void()> drained) { drained_ = std::move(drained); }

    /// Stops reading for a while, so that the other side's queue fills instead of ours.
    void pause(bool paused);
    void limit(std::size_t longest_frame) { unframer_.limit(longest_frame); }
    void close();
    bool is_open() const { return static_cast<bool>(socket_); }
    /// It was closed because the other end does not know the key.
    bool is_stranger() const { return stranger_; }

  private:
    Link(Loop &loop, Descriptor socket) : loop_(loop), socket_(std::move(socket)) {}
    void ready(short revents);
    void read_some();
    void receive(std::string_view bytes);
    void write_some();
    void lost();
    void update();

    struct User {
        std::function<void(Frame &&)> received;
        std::function<void()> closed;
    };
    Loop &loop_;
    Descriptor socket_;
    std::shared_ptr<const User> user_; ///< may be replaced while it is called
    std::function<void()> drained_;
    std::unique_ptr<Tls> tls_;
    ByteQueue queue_; ///< as it goes over the socket
    Unframer unframer_;
    bool paused_ = false, stranger_ = false;
};

} // namespace mpiglut::launcher
