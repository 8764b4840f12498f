// Buffers of a device's own that wait for their next use: to make one takes a driver longer than many a message takes.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace pixmpi {

/// `Buffer`: its owner drops it; bytes_of(buffer) says how large it is.
template <class Buffer> class IdleBuffers {
  public:
    /// At most so many buffers, of at most so many bytes each and together. A frame of a compositor has a dozen at once.
    explicit IdleBuffers(std::size_t most = 16, std::size_t largest = std::size_t{64} << 20,
                         std::size_t together = std::size_t{256} << 20)
        : most_(most), largest_(largest), together_(together) {}
    /// The smallest of at least so many bytes, and of four times as many at most; of equal ones the last given back.
    std::optional<Buffer> pop(std::size_t bytes) {
        auto found = idle_.end();
        for (auto one = idle_.begin(); one != idle_.end(); ++one)
            if (bytes_of(*one) >= bytes && bytes_of(*one) / 4 <= bytes &&
                (found == idle_.end() || bytes_of(*one) <= bytes_of(*found)))
                found = one;
        if (found == idle_.end())
            return {};
        return take(found);
    }
    /// What there is no room for any more, if anything: this one, or those that were given back first.
    std::vector<Buffer> give_back(Buffer buffer) {
        const std::size_t bytes = bytes_of(buffer);
        std::vector<Buffer> dropped;
        if (bytes > largest_ || bytes > together_) {
            dropped.push_back(std::move(buffer));
            return dropped;
        }
        while (!idle_.empty() && (idle_.size() >= most_ || bytes_ > together_ - bytes))
            dropped.push_back(take(idle_.begin()));
        idle_.push_back(std::move(buffer));
        bytes_ += bytes;
        return dropped;
    }
    bool empty() const { return idle_.empty(); }
    std::vector<Buffer> pop_all() {
        bytes_ = 0;
        return std::exchange(idle_, {});
    }

  private:
    Buffer take(typename std::vector<Buffer>::iterator one) {
        Buffer buffer = std::move(*one);
        bytes_ -= bytes_of(buffer);
        idle_.erase(one);
        return buffer;
    }

    const std::size_t most_, largest_, together_;
    std::vector<Buffer> idle_; ///< the last given back last
    std::size_t bytes_ = 0;    ///< of all
};

} // namespace pixmpi
