// Which pixels of a band have been packed, when it is packed in another order than they travel in: a mark for every so
// many pixels, in shared memory. A message of many rectangles may be one band as a whole, because both ends copy by the
// rows of the surface; so the receiver can unpack a part while the sender still packs others.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace pixmpi {

class Marks {
  public:
    static constexpr std::uint64_t pixels_each = 256;
    static std::uint64_t count(std::uint64_t pixels) { return (pixels + pixels_each - 1) / pixels_each; }

    Marks() = default;
    Marks(std::byte *memory, std::uint64_t pixels)
        : marks_(reinterpret_cast<std::atomic<std::uint8_t> *>(memory)), count_(count(pixels)) {}
    explicit operator bool() const { return marks_ != nullptr; }

    void set(std::uint64_t i) const { marks_[i].store(1, std::memory_order_release); }
    bool is_set(std::uint64_t i) const { return marks_[i].load(std::memory_order_acquire) != 0; }
    void clear_all() const {
        for (std::uint64_t i = 0; i < count_; ++i)
            marks_[i].store(0, std::memory_order_relaxed);
    }
    void set_all() const {
        for (std::uint64_t i = 0; i < count_; ++i)
            set(i);
    }

  private:
    std::atomic<std::uint8_t> *marks_ = nullptr;
    std::uint64_t count_ = 0;
};

static_assert(sizeof(std::atomic<std::uint8_t>) == 1 && std::atomic<std::uint8_t>::is_always_lock_free);

} // namespace pixmpi
