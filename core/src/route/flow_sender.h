// The sender's end of messages between processes of one host, or within one: the routes self, shm and peer. A Flow with
// each receiver tells both ends how far the other is, so that no MPI message is needed after the envelope, not even an
// answer to it. Where the slots lie is another matter (slots.h): in shared memory, which both have mapped, or in the
// memory of GPUs.
//
// Slots in shared memory are filled before a receive has asked for them. Where a GPU's memory may be used, nothing is
// packed before the receives have been found: only then it is known which GPUs want the pixels.
#pragma once

#include "process/peer.h"
#include "route/agreement.h"
#include "route/gpu_plans.h"
#include "route/introduction.h"
#include "route/port.h"
#include "route/slots.h"
#include "stage/lengths.h"

namespace pixmpi {

/// Whether GPUs' memory may be used. Devices in the host's memory gain nothing by it, and use it only where shm is not
/// among the routes.
inline bool may_use_peer(const Options &options, const Device &device) {
    return options.peer && (!device.near_host() || !options.shm);
}

class FlowSender : public Port {
  public:
    /// Who receives the message. Several receivers unpack from the same slots: what is packed once serves all of them.
    struct Receiver {
        FlowAllocation allocated_flow; ///< of process.stage, named by this receiver's envelope
        std::shared_ptr<Peer> peer;

        // The sender's own.
        Flow *flow = nullptr;
        Watch watch{};
        std::optional<Introduction> introduction{};
        bool left_out = false; ///< it has given up, or ended, and takes part no longer
        bool matched() const { return flow->matched.load(std::memory_order_acquire) != 0; }
        bool gave_up() const { return flow->receiver_gave_up.load(std::memory_order_acquire) != 0; }
        std::uint64_t consumed() const { return flow->consumed.load(std::memory_order_acquire); }
    };
    struct Outgoing {
        std::shared_ptr<Device> device;
        std::shared_ptr<PeerMemory> peer_memory; ///< of the device: bands may pass through its GPU's memory; or null
        bool by_peer = false;                    ///< receivers may also reach that memory
        SlotPlan plan;                           ///< for slots in shared memory
        std::uint64_t pixels = 0;
        int pixel_bytes = 1;
        std::uint64_t row_pixels = 1; ///< of a rectangle that is all of the region; else 1
        bool each_alone = false;      ///< the transfer packs one band at a time: two planes lie apart within each
        ShownPixels shown{};          ///< what may be unpacked where it is; `memory` 0: nothing
        Transfer *transfer = nullptr; ///< of what is shown
    };
    /// The flows and the memory are given back by the destructor, which is called when over().
    FlowSender(Process &process, std::vector<Receiver> receivers, Outgoing message);
    /// To one receiver, before the envelope is sent: bands in shared memory will be as suits both ends.
    void agree(const PlanRequest &request);
    /// After the envelope is sent: says so if what is shown is there. An error is found again by advance().
    void begin_showing() {
        if (shows_)
            (void)look_at_order();
    }

    Status advance(bool &moved) override;
    std::uint64_t band_pixels(std::uint64_t k) const override;
    Status ready(std::uint64_t k, Slot &slot, bool &yes) override;
    Status copy(Transfer &transfer, std::uint64_t k, std::uint64_t first, std::uint64_t count, const Slot &slot,
                Ticket &ticket) const override {
        return layout_.copy(transfer, k, first, count, *slot.stage, slot.offset, ticket);
    }
    Status pass(std::uint64_t k, std::size_t bytes) override;
    Status over(bool &yes) override;
    /// Copies need calls of advance().
    bool may_outlive_device() const override { return !is_copying(); }
    bool matched() const override { return all_matched(); }
    bool by_peer() const override {
        return opened_ && (way_ == Way::same_gpu || way_ == Way::to_gpu || way_ == Way::in_place);
    }
    bool other_gave_up() const override;
    void release_device() override;
    void give_up() override;

  private:
    enum class Way { undecided, host, through_host, same_gpu, to_gpu, in_place };
    void offer(const ShownPixels &shown);
    Status look_at_order();
    bool conclude_offer(bool &moved);
    bool all_matched() const;
    Way choose(bool &moved);
    bool gains_by_host() const;
    Way without_peer();
    Status open_host();
    Status open_gpu();
    void open_far(const Layout &layout);
    SlotPlan plan_for_gpu() const;
    std::unique_ptr<GpuSlots> make_gpu_slots(const Layout &layout) const;
    bool allocate(const SlotPlan &plan, std::size_t slots_bytes, Claim claim);
    void announce(std::uint32_t memory, std::uint64_t slots_at, Flow::Opened how = Flow::slots_here);
    std::uint64_t group_begins(std::uint64_t k) const { return k == 0 ? 0 : groups_[k - 1]; }
    Status consumed_by_all(std::uint64_t k, std::uint64_t &consumed) const;
    Status leave_out();
    bool is_copying() const { return copies_ && !given_up_ && sent_ < count_; }
    Status copy_bands(bool &moved);
    /// What the transfer has been asked to pack may still be written to the receiver's memory.
    bool may_write_there() const { return far_ && far_->is_there() && sent_ < count_; }
    void notify_receivers_of_giving_up();
    void publish(std::uint64_t bands);

    Process &process_;
    std::vector<Receiver> receivers_;
    std::shared_ptr<Device> device_;
    std::shared_ptr<PeerMemory> peer_memory_;
    const bool by_peer_;
    const std::uint64_t row_pixels_;
    const bool each_alone_;
    std::optional<Agreement> agreement_;
    Transfer *shows_ = nullptr; ///< of pixels whose order is looked after
    bool offered_ = false;      ///< it is not decided whether they are unpacked where they are
    Wait offered_since_;
    Way way_ = Way::undecided;
    Layout layout_;
    std::uint64_t count_;               ///< of bands
    std::vector<std::uint64_t> groups_; ///< the bands at which each copy of the transfer's ends; none: each is a band
    HostAllocation allocation_;         ///< slots in shared memory, and what goes with slots wherever they are
    std::uint64_t lengths_place_ = 0;   ///< Flow::lengths
    Lengths lengths_;
    BandSizes sizes_;
    OwnSlots slots_;
    FarSlots *far_ = nullptr; ///< slots_, where this is so
    bool opened_ = false;     ///< slots_ has been there
    bool copies_ = false, given_up_ = false;
    std::uint64_t packed_ = 0, sent_ = 0; ///< bands; sent: at the place where the receivers find them
};

} // namespace pixmpi
