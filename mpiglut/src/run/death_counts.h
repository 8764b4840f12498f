// The death counts: which ranks of a wall have died that goes on without those that die. MPI does not tell of a death,
// least of all where ranks share memory. So a rank's agent says it here, in memory that it shares with the rank's
// program, and a thread that waits for another rank looks here meanwhile. A rank may come back and die again, so deaths
// are counted.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace mpiglut {

class DeathCounts {
  public:
    /// A new one for so many ranks, all of them alive, as make_shared_memory. Null when that fails.
    static DeathCounts *make(int ranks, int &fd);
    /// The one behind this descriptor, null when there is none.
    static DeathCounts *map(int fd);
    static void unmap(DeathCounts *death_counts, int ranks);

    int ranks() const { return static_cast<int>(ranks_); }
    /// How often this rank has died.
    std::uint32_t deaths(int rank) const { return by_rank()[rank].load(std::memory_order_acquire); }
    /// Changes with every death.
    std::uint32_t deaths() const { return deaths_.load(std::memory_order_acquire); }
    /// Changes with every rank that asks to come back. A rank's death is there before its request.
    std::uint32_t rejoin_requests() const { return rejoin_requests_.load(std::memory_order_acquire); }

    /// The agent's: this rank is dead. `ranks` is the agent's own number of ranks: the program may have written into
    /// the counts.
    void strike(int rank, int ranks);
    /// The agent of rank 0's: a rank asks to come back.
    void ask_to_rejoin() { rejoin_requests_.fetch_add(1, std::memory_order_release); }

  private:
    using Count = std::atomic<std::uint32_t>;
    static std::size_t bytes_for(std::uint32_t ranks) { return sizeof(DeathCounts) + ranks * sizeof(Count); }
    const Count *by_rank() const { return reinterpret_cast<const Count *>(this + 1); }
    Count *by_rank() { return reinterpret_cast<Count *>(this + 1); }

    std::uint64_t magic_;
    std::uint32_t ranks_;
    Count deaths_, rejoin_requests_;
    std::uint32_t unused_;
};

} // namespace mpiglut
