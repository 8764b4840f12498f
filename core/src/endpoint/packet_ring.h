// Packets between two processes of a host: a ring in the sender's stage memory. MPI takes 2 us from one process to
// another; a ring takes a few tenths. And a process reads it without MPI, so also while its program is inside MPI. A
// If the ring has no room, the sender holds a packet and those behind it until the receiver has made room.
#pragma once

#include "process/peer.h"
#include "request/matcher.h"
#include "stage/slot_plan.h"

#include <atomic>

namespace pixmpi {

/// As it lies in shared memory; the bytes of the ring follow.
struct PacketRing {
    // Written by the sender.
    alignas(64) std::atomic<std::uint64_t> written; ///< bytes of records, since the beginning
    // Written by the receiver.
    alignas(64) std::atomic<std::uint64_t> consumed; ///< bytes of records
    std::atomic<std::uint32_t> left;                 ///< it reads no more
};
static_assert(sizeof(PacketRing) == 128);

/// A packet in the ring; its bytes follow, and end at a multiple of 8.
struct PacketRecord {
    std::uint32_t bytes;
    std::int32_t tag;
};

class PacketWriter {
  public:
    /// `ring` has `bytes` for records, a power of two.
    PacketWriter(PacketRing *ring, std::size_t bytes, std::shared_ptr<Peer> reader)
        : ring_(ring), bytes_(bytes), reader_(std::move(reader)) {}
    PacketWriter(const PacketWriter &) = delete;
    PacketWriter &operator=(const PacketWriter &) = delete;
    /// The list's only packet; it says its tag. At once if there is room, otherwise by flush().
    void send(Packets packet);
    /// Sends what is held and finds room now; whether there was such a packet.
    bool flush();
    /// Of what waits for room; none once the reader has gone.
    std::size_t held_bytes() const { return held_bytes_; }
    bool left() const { return ring_->left.load(std::memory_order_acquire) != 0 || reader_->ended(); }

  private:
    bool put(const Packet &packet);
    void write(std::uint64_t at, const void *from, std::size_t count);

    PacketRing *const ring_;
    const std::size_t bytes_;
    const std::shared_ptr<Peer> reader_;
    std::uint64_t written_ = 0;
    Packets held_;
    std::size_t held_bytes_ = 0;
    Watch watch_; ///< on the reader, while packets are held
};

class PacketReader {
  public:
    PacketReader() = default;
    PacketReader(PacketRing *ring, std::size_t bytes) : ring_(ring), bytes_(bytes) {}
    explicit operator bool() const { return ring_ != nullptr; }
    /// Appends the next one. `source`: the rank that writes the ring.
    Status receive(int source, Packets &packets, bool &any);
    /// Whether there is one. By a load in the one order of all threads, as Presence wants it.
    bool any() const { return ring_->written.load() != consumed_; }
    void leave() { ring_->left.store(1, std::memory_order_release); }

  private:
    void read(std::uint64_t at, void *to, std::size_t count) const;

    PacketRing *ring_ = nullptr;
    std::size_t bytes_ = 0;
    std::uint64_t consumed_ = 0; ///< its own: what stands in shared memory may change
};

/// The rings from this process to others of its host, one behind the other in its stage memory. They stay until all
/// receivers have left, which none of them waits for.
class PacketRings {
  public:
    /// For so many receivers; none where there is too little memory.
    PacketRings(StageMemory &memory, std::size_t receivers);
    std::size_t offset() const { return allocation_ ? allocation_.offset() : 0; }
    /// Of each ring's records.
    std::size_t ring_bytes() const { return bytes_; }
    static std::size_t whole(std::size_t ring_bytes) { return sizeof(PacketRing) + ring_bytes; }
    /// The writer of one of them, which stays with this object; null where there are none.
    PacketWriter *open(std::size_t receiver, std::shared_ptr<Peer> peer);
    /// Of all writers.
    bool flush();
    bool holds() const;
    /// Nobody reads them any more.
    bool idle() const;

  private:
    HostAllocation allocation_;
    std::size_t bytes_ = 0;
    std::list<PacketWriter> open_;
};

/// The ring of another process that has announced where its rings are. None where that makes no sense.
PacketReader read_ring(const Peer &peer, std::uint64_t offset, std::uint64_t ring_bytes, std::size_t receiver);

} // namespace pixmpi
