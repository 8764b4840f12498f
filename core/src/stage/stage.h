// The stage memory of this process: one piece of shared memory. Allocations are cut from it, one for each message under
// way; other processes of the host map it whole. It has no name in any file system, so it ends with its last user.
#pragma once

#include "base/status.h"
#include "region/units.h"
#include "stage/flow.h"
#include "stage/presence.h"

#include <cstddef>
#include <fcntl.h>
#include <utility>
#include <vector>

namespace pixmpi {

/// Which memories of its GPUs a process shares, said in its stage memory: others ask there whether they still need what
/// they keep mapped. A number is never used twice, so that it cannot be taken for that of a later one.
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

/// The start of the memory. A process that maps it checks this.
struct StageHeader {
    std::uint64_t magic, owner; ///< the owner's Card::id
    std::uint32_t flows;        ///< how many Flow blocks follow, flows_offset bytes from its start
    std::uint32_t reserved;
    std::uint64_t bytes;
    GpuMemories gpu_memories; ///< the owner's (PeerMemory)
    Presence presence;        ///< the owner's
};
constexpr std::uint64_t stage_magic = 0x3465676174737870; // "pxstage4"
constexpr std::size_t flows_offset = (sizeof(StageHeader) + sizeof(Flow) - 1) / sizeof(Flow) * sizeof(Flow);

/// Its size is final.
constexpr int stage_seals = F_SEAL_SHRINK | F_SEAL_GROW;

/// A mapping of stage memory of this or another process. The header is read once, and kept here.
struct StageMap {
    std::byte *base = nullptr;
    std::size_t bytes = 0;
    std::uint32_t flow_count = 0;
    Flow &flow(std::uint32_t i) const { return reinterpret_cast<Flow *>(base + flows_offset)[i]; }
    std::uint32_t flows() const { return flow_count; }
    GpuMemories &gpu_memories() const { return reinterpret_cast<StageHeader *>(base)->gpu_memories; }
    Presence &presence() const { return reinterpret_cast<StageHeader *>(base)->presence; }
};

/// Why a message needs an allocation. Messages without a receive get the lower half of the memory at most. So messages
/// with a waiting other end always find room in the upper half, which empties by itself. Its last part is for senders
/// that have a receiver with memory. Receivers that still wait for their senders' memory get none of it.
enum class Claim { speculative, receiving, wanted };

class StageMemory {
  public:
    StageMemory() = default;
    StageMemory(const StageMemory &) = delete;
    StageMemory &operator=(const StageMemory &) = delete;
    ~StageMemory();
    Status open(std::size_t bytes, std::uint64_t owner);

    int descriptor() const { return descriptor_; }
    const StageMap &map() const { return map_; }
    /// The largest allocation there can be in a stage memory of so many bytes: two of them fit into each half.
    static std::size_t largest(std::size_t bytes);

    /// Contiguous bytes; false when none are available now.
    bool allocate(std::size_t bytes, Claim claim, std::size_t &offset);
    void free(std::size_t offset, std::size_t bytes);
    bool allocate_flow(std::uint32_t &index);
    bool has_flow() const { return !free_flows_.empty(); }
    void free_flow(std::uint32_t index);

    /// Memory elsewhere that also counts: a device's own buffers. A quarter stays for allocations. Exception: `least`,
    /// the minimum that a device needs when it has nothing under way that would free memory at its end.
    bool reserve(std::size_t bytes, bool least = false);
    void release(std::size_t bytes);
    /// Whether a request for memory has failed since the last call: then devices give back idle memory.
    bool ran_short() { return ran_short_.exchange(false); }
    /// Whether more than half of it is used.
    bool is_short() const { return in_use_ > map_.bytes / 2; }
    std::size_t in_use() const { return in_use_; }
    std::size_t most_in_use() const { return most_; }

    static constexpr std::size_t unit = 16 << 10;

  private:
    void count(std::size_t bytes);

    int descriptor_ = -1;
    StageMap map_;
    std::size_t data_ = 0; ///< where the units begin
    Units units_;
    std::vector<std::uint32_t> free_flows_;
    std::atomic<std::size_t> in_use_{0}, most_{0}; ///< devices count theirs without the library's lock
    std::atomic<bool> ran_short_{false};
};

/// A flow for one message, given back at the end.
class FlowAllocation {
  public:
    FlowAllocation() = default;
    FlowAllocation(FlowAllocation &&other) noexcept
        : memory_(std::exchange(other.memory_, nullptr)), index_(other.index_) {}
    FlowAllocation &operator=(FlowAllocation &&) = delete;
    ~FlowAllocation() {
        if (memory_)
            memory_->free_flow(index_);
    }
    bool allocate(StageMemory &memory) {
        memory_ = memory.allocate_flow(index_) ? &memory : nullptr;
        return memory_ != nullptr;
    }
    std::uint32_t index() const { return index_; }

  private:
    StageMemory *memory_ = nullptr;
    std::uint32_t index_ = 0;
};

} // namespace pixmpi
