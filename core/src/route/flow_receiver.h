// The receiver's end of what a FlowSender sends.
#pragma once

#include "process/peer.h"
#include "route/agreement.h"
#include "route/port.h"
#include "route/slots.h"
#include "stage/lengths.h"

namespace pixmpi {

class FlowReceiver : public Port {
  public:
    struct Incoming {
        std::shared_ptr<Peer> peer; ///< the sender
        std::uint32_t flow = 0;     ///< in its stage memory
        std::shared_ptr<Device> device;
        std::shared_ptr<PeerMemory> peer_memory{}; ///< of the device, or null
        bool by_peer = false;                      ///< the sender may use its own
        std::uint64_t pixels = 0;
        int pixel_bytes = 1;
        bool lengths_vary = false; ///< as the envelope says
        Wish wish{};
        std::unique_ptr<Stage> seen{}; ///< the pixels where the sender has them, or null
    };
    FlowReceiver(Process &process, Incoming message);
    ~FlowReceiver() override;

    Status advance(bool &moved) override;
    std::uint64_t band_pixels(std::uint64_t k) const override { return opened_ ? layout_.band_pixels(k) : 0; }
    Status ready(std::uint64_t k, Slot &slot, bool &yes) override;
    Status copy(Transfer &transfer, std::uint64_t k, std::uint64_t first, std::uint64_t count, const Slot &slot,
                Ticket &ticket) const override {
        return layout_.copy(transfer, k, first, count, *slot.stage, slot.offset, ticket);
    }
    Status pass(std::uint64_t k, std::size_t bytes) override;
    Status over(bool &yes) override;
    void give_up() override;
    /// As long as the sender writes to memory that must not be used otherwise meanwhile.
    bool must_drain() const override {
        return opened_ && slots_->sender_writes() && passed_ < count_ &&
               flow_.packed.load(std::memory_order_acquire) < count_;
    }

  private:
    Status open(bool here);
    Status check_slots(std::size_t bytes);
    Status open_host();
    Status open_copied(CudaStream &stream, std::uint64_t from);
    Status open_imported(std::shared_ptr<RemoteMemory> memory);
    Status open_landing();
    void opened();
    void open_in_place(std::unique_ptr<Stage> pixels);
    Status look();
    Status copy_bands(bool &moved);
    bool is_packed(std::uint64_t k) const;
    Status check_sender(std::uint64_t k);

    Process &process_;
    const std::shared_ptr<Peer> peer_;
    Flow &flow_;
    const std::shared_ptr<Device> device_;
    const std::shared_ptr<PeerMemory> peer_memory_;
    const Wish wish_;
    // As all of the flow that has been checked: the sender's memory is read once.
    Layout layout_;
    std::uint64_t slots_at_ = 0, count_ = 0; ///< count: of bands
    Lengths lengths_;
    BandSizes sizes_;
    std::uint64_t places_ = 0;
    OwnSlots slots_;
    bool opened_ = false, copies_ = false, in_place_ = false;
    std::uint64_t seen_ = 0, arrived_ = 0,
                  passed_ = 0; ///< bands: that may be copied, that may be unpacked, that have been
    Watch watch_;
};

} // namespace pixmpi
