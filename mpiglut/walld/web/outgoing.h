// What a WebSocket has yet to be sent: all texts, in order, and of each key's pictures the newest. Texts come first;
// pictures take turns.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>

namespace mpiglut::walld {

class Outgoing {
  public:
    using Clock = std::chrono::steady_clock;
    using Bytes = std::shared_ptr<const std::string>;
    struct Message {
        Bytes bytes; ///< null: there is none
        bool text = false;
    };

    /// False when so many wait that the client is too slow.
    bool put_text(Bytes text);
    /// Takes the place of one with the same key that has not gone yet.
    void put_picture(std::uint64_t key, Bytes picture, Clock::time_point now);
    /// Removes the one that goes now.
    Message pop(Clock::time_point now);
    bool empty() const { return texts_.empty() && pictures_.empty(); }
    /// Pictures have waited for seconds, and the client has read none.
    bool is_stuck(Clock::time_point now) const;

  private:
    std::deque<Bytes> texts_;
    std::map<std::uint64_t, Bytes> pictures_;
    std::uint64_t last_ = 0;  ///< key of the last picture that went: it waits for all others then
    Clock::time_point moved_; ///< then a picture went, or there had been none
};

} // namespace mpiglut::walld
