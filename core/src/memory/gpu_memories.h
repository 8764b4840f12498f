// Which memories of its GPUs a process shares, said in its stage memory: others ask there whether they still need what
// they keep mapped. A number is never used twice, so that it cannot be taken for that of a later one.
#pragma once

#include <atomic>
#include <cstdint>

namespace pixmpi {

class GpuMemories {
  public:
    static constexpr std::uint32_t most = 256; ///< at a time
    /// The number of a new one, after `last`, which is kept by the caller; 0 when there are too many.
    std::uint32_t add(std::uint32_t &last) {
        for (std::uint32_t tries = 0; tries < most; ++tries) {
            last += last + 1 == 0 ? 2 : 1; // 0: none
            std::uint32_t free = 0;
            if (numbers_[last % most].compare_exchange_strong(free, last, std::memory_order_release))
                return last;
        }
        return 0;
    }
    void remove(std::uint32_t number) { numbers_[number % most].store(0, std::memory_order_release); }
    bool has(std::uint32_t number) const { return numbers_[number % most].load(std::memory_order_acquire) == number; }

  private:
    std::atomic<std::uint32_t> numbers_[most]{};
};

static_assert(sizeof(GpuMemories) == 4 * GpuMemories::most && std::atomic<std::uint32_t>::is_always_lock_free);

} // namespace pixmpi
