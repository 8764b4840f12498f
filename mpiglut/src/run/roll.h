// The roll: which ranks of a wall live that goes on without those that die. MPI does not tell of a death, least of all
// where ranks share memory. So a rank's agent says it here, in memory that it shares with the rank's program, and who
// waits for another rank looks here meanwhile.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace mpiglut {

class Roll {
  public:
    /// A new one for so many ranks, all of them alive, as make_shared_memory. Null when that fails.
    static Roll *make(int ranks, int &fd);
    /// The one behind this descriptor, null when there is none.
    static Roll *map(int fd);
    static void unmap(Roll *roll);

    int ranks() const { return static_cast<int>(ranks_); }
    bool lives(int rank) const { return !dead()[rank].load(std::memory_order_acquire); }
    /// Changes with every death.
    std::uint32_t deaths() const { return deaths_.load(std::memory_order_acquire); }
    /// The agent's: this rank is dead.
    void strike(int rank);

  private:
    using Mark = std::atomic<std::uint8_t>;
    static std::size_t bytes_for(std::uint32_t ranks) { return sizeof(Roll) + ranks * sizeof(Mark); }
    const Mark *dead() const { return reinterpret_cast<const Mark *>(this + 1); }
    Mark *dead() { return reinterpret_cast<Mark *>(this + 1); }

    std::uint64_t magic_;
    std::uint32_t ranks_;
    std::atomic<std::uint32_t> deaths_;
};

} // namespace mpiglut
