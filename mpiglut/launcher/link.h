// One end of a control connection.
#pragma once

#include "loop.h"
#include "messages.h"

#include <functional>
#include <memory>
#include <string>

namespace mpiglut::launcher {

class Link : public std::enable_shared_from_this<Link> {
  public:
    /// `socket` is connected. `closed` is called once, when the other side has gone or sends nonsense; not after
    /// close().
    static std::shared_ptr<Link> open(Loop &loop, Descriptor socket, std::function<void(Frame &&)> received,
                                      std::function<void()> closed);
    ~Link();

    void send(Type type, std::string_view payload = {});
    template <class Message> void send(const Message &message) { send(Message::type, pack(message)); }
    std::size_t queued() const { return queue_.size(); }
    /// Called whenever some of the queue has left.
    void on_drained(std::function<void()> drained) { drained_ = std::move(drained); }

    /// Stops reading for a while, so that the other side's queue fills instead of ours.
    void pause(bool paused);
    void limit(std::size_t longest_frame) { unframer_.limit(longest_frame); }
    void close();
    /// Ends like close(), but the socket stays open, and is the caller's. Empty where something is still to be sent.
    Descriptor release();
    bool is_open() const { return static_cast<bool>(socket_); }

  private:
    Link(Loop &loop, Descriptor socket) : loop_(loop), socket_(std::move(socket)) {}
    void ready(short revents);
    void read_some();
    void write_some();
    void lost();
    void update();

    Loop &loop_;
    Descriptor socket_;
    std::function<void(Frame &&)> received_;
    std::function<void()> closed_, drained_;
    std::string queue_;
    Unframer unframer_;
    bool paused_ = false;
};

} // namespace mpiglut::launcher
