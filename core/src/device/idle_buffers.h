// Buffers of a device's own that wait for their next use: to make one takes a driver longer than many a message takes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace pixmpi {

/// `Buffer`: its owner drops it; bytes_of(buffer) says how large it is.
template <class Buffer> class IdleBuffers {
  public:
    /// At most so many buffers, of at most so many bytes each.
    explicit IdleBuffers(std::size_t most = 4, std::size_t largest = std::size_t{64} << 20)
        : most_(most), largest_(largest) {}
    /// One of at least so many bytes, and of four times as many at most.
    std::optional<Buffer> pop(std::size_t bytes) {
        const auto found = std::find_if(idle_.begin(), idle_.end(), [&](const Buffer &one) {
            return bytes_of(one) >= bytes && bytes_of(one) / 4 <= bytes;
        });
        if (found == idle_.end())
            return {};
        std::optional<Buffer> buffer(std::move(*found));
        idle_.erase(found);
        return buffer;
    }
    /// What there is no room for any more, if anything: this one or another one.
    std::optional<Buffer> give_back(Buffer buffer) {
        if (bytes_of(buffer) > largest_)
            return buffer;
        std::optional<Buffer> oldest;
        if (idle_.size() == most_) {
            oldest = std::move(idle_.front());
            idle_.erase(idle_.begin());
        }
        idle_.push_back(std::move(buffer));
        return oldest;
    }
    bool empty() const { return idle_.empty(); }
    std::vector<Buffer> pop_all() { return std::exchange(idle_, {}); }

  private:
    const std::size_t most_, largest_;
    std::vector<Buffer> idle_; ///< the last given back last
};

} // namespace pixmpi
