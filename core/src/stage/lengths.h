// How many bytes each band has, where that does not follow from its pixels: a number for each slot, in shared memory.
// The sender writes it before it counts the band as packed; Flow::packed orders the two.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace pixmpi {

class Lengths {
  public:
    static std::size_t bytes(std::uint64_t slots) { return slots * sizeof(std::uint64_t); }

    Lengths() = default;
    /// `memory`: aligned to 8 bytes.
    Lengths(std::byte *memory, std::uint64_t slots)
        : lengths_(reinterpret_cast<std::atomic<std::uint64_t> *>(memory)), slots_(slots) {}
    explicit operator bool() const { return lengths_ != nullptr; }

    void set(std::uint64_t k, std::uint64_t bytes) const {
        lengths_[k % slots_].store(bytes, std::memory_order_relaxed);
    }
    std::uint64_t get(std::uint64_t k) const { return lengths_[k % slots_].load(std::memory_order_relaxed); }

  private:
    std::atomic<std::uint64_t> *lengths_ = nullptr;
    std::uint64_t slots_ = 1;
};

} // namespace pixmpi
