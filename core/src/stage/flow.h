// What a sender and one receiver share about a message: a block in the sender's stage
// memory, which the receiver has mapped. Cache lines are written by one end each. A sender with several receivers has a
// flow with each of them.
#pragma once

#include <atomic>
#include <cstdint>

namespace pixmpi {

/// Reads what another process may be writing. Each thing is read once, so that what is checked is what is used.
template <class T> T once(const T &shared) { return *static_cast<const volatile T *>(&shared); }

/// Pixels in memory of the sender's GPU that the receiver may unpack where they are. Rows of one width, the first one
/// at `offset` into an allocation.
struct ShownPixels {
    unsigned char handle[64];               ///< of the allocation (CudaMemoryHandle)
    std::uint64_t memory;                   ///< its number in the sender's process; 0: nothing is shown
    std::uint64_t bytes;                    ///< of the allocation
    std::uint64_t offset, width, row_bytes; ///< width: bytes of a row, without the gap behind it
    std::uint64_t address, context;         ///< of the first row, in the sender's process
};

struct Flow {
    /// What the sender has said.
    enum Opened : std::uint32_t {
        not_yet,
        slots_here,  ///< the slots are there
        slots_there, ///< as that, but the slots shall be in the receiver's GPU: it answers with `landing_place`
        asks_reach,  ///< it asks whether the receiver reaches its `memory`
        asks_memory, ///< it asks for the receiver's memory, to reach another GPU, for its `memory`'s device
    };

    // Written by the sender. Members that are not atomic are written before `opened` leaves zero.
    alignas(64) std::atomic<std::uint64_t> packed; ///< bands that lie ready, since the beginning
    std::uint64_t slots_at;                        ///< where in the stage memory the slots are, bytes from its start
    std::uint64_t band_pixels;                     ///< 0: bands are strips
    std::uint64_t slot_bytes;                      ///< from slot to slot
    std::uint16_t slots;                           ///< 0: one, for all bands together (Bands), by `slots_there` only
    std::uint16_t steps;                           ///< see Bands
    std::atomic<std::uint32_t> sender_gave_up;
    std::uint64_t likeness; ///< before the envelope is sent: it would rather send strips, Strips::likeness
    std::uint64_t lengths;  ///< where Lengths are, bytes from the stage's start; 0: nowhere
    std::uint32_t memory;   ///< peer route: number of the GPU memory with the slots; 0: they are in the stage memory
    std::atomic<std::uint32_t> opened; ///< Opened

    // Written by the receiver.
    alignas(64) std::atomic<std::uint64_t> consumed; ///< bands that left their slots: these may be written again
    std::atomic<std::uint32_t> matched;              ///< a receive was found
    std::atomic<std::uint32_t> receiver_gave_up;     ///< no further bands are wanted
    std::uint64_t like_receiver;                     ///< before `matched`: it takes strips, Strips::likeness
    std::uint64_t wish_pixels;                       ///< of a band; 0: any
    std::uint64_t gpu;                               ///< before `matched`: Gpu::hash() of the surface's; 0: none
    std::uint64_t landing_room;                      ///< bytes that an allocation from another GPU may have there
    std::uint32_t device;                            ///< number of its PeerMemory
    std::atomic<std::uint32_t> reached;              ///< answer to what the sender asks: 1 yes, 2 no
    std::atomic<std::uint64_t> landing_place; ///< 1 + where in `device`'s memory the slots are, bytes; 0: not yet

    /// What becomes of `shown`: one end decides, by an exchange.
    enum Offer : std::uint32_t { offered, accepted, withdrawn };
    // Written by the sender, before the envelope is sent; `packed` is 1 when the pixels are there.
    alignas(64) ShownPixels shown;
    std::atomic<std::uint32_t> offer; ///< Offer, where something is shown

    /// False: the other end has decided otherwise.
    bool decide(Offer on) {
        std::uint32_t now = offered;
        return offer.compare_exchange_strong(now, on, std::memory_order_acq_rel);
    }

    void reset() {
        packed.store(0, std::memory_order_relaxed);
        sender_gave_up.store(0, std::memory_order_relaxed);
        consumed.store(0, std::memory_order_relaxed);
        matched.store(0, std::memory_order_relaxed);
        receiver_gave_up.store(0, std::memory_order_release);
        opened.store(not_yet, std::memory_order_relaxed);
        reached.store(0, std::memory_order_relaxed);
        landing_place.store(0, std::memory_order_relaxed);
        slots_at = band_pixels = slot_bytes = lengths = likeness = like_receiver = wish_pixels = gpu = landing_room = 0;
        slots = steps = 0;
        memory = device = 0;
        shown.memory = 0;
        offer.store(offered, std::memory_order_relaxed);
    }
};

static_assert(sizeof(Flow) == 256 && std::atomic<std::uint64_t>::is_always_lock_free);

} // namespace pixmpi
