// What shared memory between two processes cannot beat: one puts pixels in while the other takes them out, piece by
// piece, and a count is all that they exchange in addition. No envelope and no library. See cargo.h for what the pieces
// are.
#pragma once

#include "baseline/cargo.h"
#include "measure/job.h"

#include <atomic>

class SharedRing {
  public:
    /// From each rank of the team to the next one. Collective.
    SharedRing(const Team &team, Cargo &cargo);
    ~SharedRing();
    SharedRing(const SharedRing &) = delete;
    SharedRing &operator=(const SharedRing &) = delete;

    /// What slots may take together.
    static constexpr std::size_t most_bytes = 4 << 20;

    /// False where the ranks are not two or more of one host: then there is nothing to run.
    bool possible() const { return window_ != MPI_WIN_NULL; }
    /// Moves everything to the next rank, from the previous one, or both at once. Who sends is told by other means when
    /// all has come.
    void send() { run(true, false); }
    void receive() { run(false, true); }
    void exchange() { run(true, true); }

    std::size_t choices() const { return cargo_.choices(); }
    void use(std::size_t choice) { cargo_.use(choice); }

  private:
    /// In shared memory, behind the slots, which begin a page. Counts grow forever: a run begins where the last one
    /// ended.
    struct Counts {
        alignas(64) std::atomic<std::uint64_t> packed;
        alignas(64) std::atomic<std::uint64_t> consumed;
    };
    /// One direction, as this rank sees it.
    struct Link {
        std::byte *slots = nullptr;
        Counts *counts = nullptr;
        std::uint64_t before = 0; ///< pieces of earlier runs
    };
    Link link_of(int rank) const;
    void run(bool sends, bool receives);
    bool put(std::uint64_t k);
    bool get(std::uint64_t k);

    const Team &team_;
    Cargo &cargo_;
    MPI_Win window_ = MPI_WIN_NULL;
    Link out_, in_;
};
