// Letters between two processes of a host: a ring in the sender's stage memory. MPI takes some 2 us from one process to
// another; a ring takes a few tenths. A letter that finds no room goes by MPI. Each record says how many letters have
// gone that way before it, so that the receiver keeps the order of both.
#pragma once

#include "memory/lane.h"
#include "memory/peer.h"
#include "request/channel.h"

#include <atomic>

namespace pixmpi {

/// As it lies in shared memory; the bytes of the ring follow.
struct LetterRing {
    // Written by the sender.
    alignas(64) std::atomic<std::uint64_t> written; ///< bytes of records, since the beginning
    std::atomic<std::uint64_t> by_mpi;              ///< letters that have gone by MPI
    // Written by the receiver.
    alignas(64) std::atomic<std::uint64_t> taken; ///< bytes of records
    std::atomic<std::uint32_t> left;              ///< it reads no more
};
static_assert(sizeof(LetterRing) == 128);

/// A letter in the ring; its bytes follow, and end at a multiple of 8.
struct LetterRecord {
    std::uint64_t after; ///< how many letters have gone by MPI before it
    std::uint32_t bytes;
    std::int32_t tag;
};

class LetterWriter {
  public:
    LetterWriter() = default;
    /// `ring` has `bytes` for records, a power of two.
    LetterWriter(LetterRing *ring, std::size_t bytes) : ring_(ring), bytes_(bytes) {}
    explicit operator bool() const { return ring_ != nullptr; }
    /// False when there is no room.
    bool put(std::span<const std::byte> letter, int tag);
    /// That a letter has gone by MPI.
    void note_by_mpi() { ring_->by_mpi.store(++by_mpi_, std::memory_order_release); }
    bool left() const { return ring_->left.load(std::memory_order_acquire) != 0; }

  private:
    void write(std::uint64_t at, const void *from, std::size_t count);

    LetterRing *ring_ = nullptr;
    std::size_t bytes_ = 0;
    std::uint64_t written_ = 0, by_mpi_ = 0;
};

class LetterReader {
  public:
    LetterReader() = default;
    LetterReader(LetterRing *ring, std::size_t bytes) : ring_(ring), bytes_(bytes) {}
    explicit operator bool() const { return ring_ != nullptr; }
    /// Appends the next one, unless one that has gone by MPI comes before it. `source`: whose the ring is.
    Status take(int source, Letters &letters, bool &any);
    /// A letter that has gone by MPI has got its place.
    void note_by_mpi() { ++by_mpi_; }
    /// How many letters have gone by MPI that have no place yet.
    bool expects_by_mpi(std::uint64_t taken_from_mpi) const {
        return ring_->by_mpi.load(std::memory_order_acquire) != taken_from_mpi;
    }
    void leave() { ring_->left.store(1, std::memory_order_release); }

  private:
    void read(std::uint64_t at, void *to, std::size_t count) const;

    LetterRing *ring_ = nullptr;
    std::size_t bytes_ = 0;
    std::uint64_t taken_ = 0, by_mpi_ = 0; ///< its own: what stands in shared memory may change
};

/// The rings from this process to others of its host, one behind the other in its stage memory. They stay until all
/// receivers have left, which none of them waits for.
class LetterRings {
  public:
    /// For so many receivers; none where there is too little memory.
    LetterRings(StageMemory &memory, std::size_t receivers);
    std::size_t offset() const { return lane_ ? lane_.offset() : 0; }
    /// Of each ring's records.
    std::size_t ring_bytes() const { return bytes_; }
    static std::size_t whole(std::size_t ring_bytes) { return sizeof(LetterRing) + ring_bytes; }
    LetterWriter open(std::size_t receiver, std::shared_ptr<Peer> peer);
    /// Nobody reads them any more.
    bool idle() const;

  private:
    HostLane lane_;
    std::size_t bytes_ = 0;
    std::vector<std::pair<LetterWriter, std::shared_ptr<Peer>>> open_;
};

/// The ring of another process that has told where its rings are. None where what it told makes no sense.
LetterReader read_ring(const Peer &peer, std::uint64_t offset, std::uint64_t ring_bytes, std::size_t receiver);

} // namespace pixmpi
