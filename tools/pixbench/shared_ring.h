// What shared memory between two processes cannot beat: one copies pixels in by memcpy while the other copies them
// out, in pieces of the size that is fastest here. No envelope, no driver, no library; so every way to get pixels from
// one process's own memory into another's, through memory that both see, takes at least as long.
#pragma once

#include "job.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

class SharedRing {
  public:
    /// From each rank of the team to the next one. `from` and `to`: `bytes` each of this rank's own memory,
    /// which begin a page as drivers' do: rows that do not begin a cache line are copied more slowly. Collective.
    SharedRing(const Team &team, const std::byte *from, std::byte *to, std::size_t bytes);
    ~SharedRing();
    SharedRing(const SharedRing &) = delete;
    SharedRing &operator=(const SharedRing &) = delete;

    /// False where the ranks are not two or more of one host: then there is nothing to run.
    bool possible() const { return window_ != MPI_WIN_NULL; }
    /// Moves all bytes to the next rank, from the previous one, or both at once. Who sends returns when they have come.
    void send() { run(true, false); }
    void receive() { run(false, true); }
    void exchange() { run(true, true); }

    /// The sizes of pieces and the numbers of them in the ring that may be tried; one of them is used.
    std::size_t choices() const { return choices_.size(); }
    void use(std::size_t choice) { choice_ = choice; }

  private:
    struct Choice {
        std::size_t piece, slots;
    };
    /// In shared memory, behind the slots, which begin a page. Counts grow for ever: a run begins where the last one
    /// ended.
    struct Counts {
        alignas(64) std::atomic<std::uint64_t> packed;
        alignas(64) std::atomic<std::uint64_t> taken;
    };
    static constexpr std::size_t most_bytes = 4 << 20;
    /// One direction, as this rank sees it.
    struct Link {
        std::byte *slots = nullptr;
        Counts *counts = nullptr;
        std::uint64_t before = 0; ///< pieces of earlier runs
    };
    Link link_of(int rank) const;
    void run(bool sends, bool receives);
    bool put(std::uint64_t k);
    bool take(std::uint64_t k);
    std::size_t length(std::uint64_t k) const;

    const Team &team_;
    const std::byte *from_;
    std::byte *to_;
    const std::size_t bytes_;
    std::vector<Choice> choices_;
    std::size_t choice_ = 0;
    MPI_Win window_ = MPI_WIN_NULL;
    Link out_, in_;
};
