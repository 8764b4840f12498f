// First fit in units of equal size: how slots are cut from memory, so that the same few units, warm in the cache, serve
// again and again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pixmpi {

class Units {
  public:
    Units() = default;
    Units(std::size_t bytes, std::size_t unit) : unit_(unit), used_(bytes / unit, 0) {}

    std::size_t rounded(std::size_t bytes) const { return count(bytes) * unit_; }
    std::size_t bytes() const { return used_.size() * unit_; }
    /// Contiguous bytes between two offsets, which are multiples of a unit; false when none are available now.
    bool allocate(std::size_t bytes, std::size_t from, std::size_t to, std::size_t &offset) {
        const std::size_t n = count(bytes), last = to / unit_;
        for (std::size_t i = from / unit_; i + n <= last;) {
            std::size_t unused = 0;
            while (unused < n && !used_[i + unused])
                ++unused;
            if (unused == n) {
                mark(i, n, 1);
                offset = i * unit_;
                return true;
            }
            i += unused + 1;
        }
        return false;
    }
    void free(std::size_t offset, std::size_t bytes) { mark(offset / unit_, count(bytes), 0); }

  private:
    std::size_t count(std::size_t bytes) const { return (std::max<std::size_t>(bytes, 1) + unit_ - 1) / unit_; }
    void mark(std::size_t first, std::size_t n, std::uint8_t value) {
        std::fill_n(used_.begin() + static_cast<std::ptrdiff_t>(first), n, value);
    }

    std::size_t unit_ = 1;
    std::vector<std::uint8_t> used_;
};

} // namespace pixmpi
