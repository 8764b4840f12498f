// Messages over a socket, between rank 0 and a rank that has come back, which MPI knows nothing of. Nothing here waits.
#pragma once

#include "sync/message.h"

#include <cstddef>
#include <span>

namespace mpiglut::transport {

class Stream {
  public:
    /// Takes over the descriptor of a connected socket.
    explicit Stream(int fd);
    ~Stream();
    Stream(const Stream &) = delete;
    Stream &operator=(const Stream &) = delete;

    /// Messages that have been encoded.
    void send(std::span<const std::byte> encoded);
    /// Writes and reads what the socket takes and has.
    void move();
    /// The next message that has come.
    bool next(Message &message);
    /// Bytes that the socket has not taken.
    std::size_t queued() const { return out_.size(); }
    /// The other side has gone, or sent nonsense; what came before can still be taken.
    bool lost() const { return lost_; }

  private:
    void write_some();
    void read_some();

    int fd_;
    ByteQueue out_;
    Unframer<Message> in_;
    bool lost_ = false;
};

} // namespace mpiglut::transport
