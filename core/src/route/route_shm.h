// The shm and self routes: the receiver's device reads the sender's stage memory, which both have mapped. A Flow tells
// each end how far the other is, so that no MPI message is needed after the envelope, not even an answer to it.
#pragma once

#include "memory/peer.h"
#include "route/agreement.h"
#include "route/landing.h"
#include "route/port.h"

namespace pixmpi {

class ShmSender : public Port {
  public:
    /// `flow`: taken from `memory` for this message. It and the lane are given back by the destructor, which is called
    /// when over().
    ShmSender(StageMemory &memory, TakenFlow flow, std::shared_ptr<Peer> peer, std::shared_ptr<Device> device,
              LanePlan plan, std::uint64_t pixels);
    /// Before the envelope is sent: the lane will be as suits both ends.
    void agree(const LaneRequest &request) { agreement_.emplace(flow_, request); }

    Status advance(bool &moved) override;
    std::uint64_t band_pixels(std::uint64_t k) const override { return plan_.bands(pixels_).at_most(k); }
    std::uint64_t strips() const override { return strips_ ? bands_ : 0; }
    Status ready(std::uint64_t k, Slot &slot, bool &yes) override;
    Status pass(std::uint64_t k, std::size_t bytes) override;
    Status over(bool &yes) override;
    bool needs_no_care() const override { return true; }
    bool unwanted() const override { return flow_.refused.load(std::memory_order_acquire) != 0; }
    void leave_device() override;
    void give_up() override;

  protected:
    bool given_up() const { return given_up_; }
    /// The slots are there, `lane` bytes into the memory of that number (0: the stage memory).
    void announce(std::uint32_t memory, std::uint64_t lane, Flow::Opened how = Flow::lane_here);
    /// Memory for the slots, and for marks where these may be of use.
    bool take_lane(bool matched, bool with_marks);

    StageMemory &memory_;
    const TakenFlow taken_flow_;
    Flow &flow_;
    const std::shared_ptr<Peer> peer_;
    std::shared_ptr<Device> device_;
    const std::uint64_t pixels_;
    LanePlan plan_;
    std::uint64_t bands_;
    Lane lane_;
    std::unique_ptr<Stage> stage_;

  private:
    bool settle(bool matched);

    bool given_up_ = false;
    std::size_t marks_bytes_ = 0; ///< behind the only slot
    std::optional<Agreement> agreement_;
    bool strips_ = false; ///< bands are strips
    Watch watch_;
};

/// Receives from ShmSender and from PeerSender.
class ShmReceiver : public Port {
  public:
    /// `peer_memory`: of the device, or null. `by_peer`: the sender may use its own.
    ShmReceiver(Process &process, std::shared_ptr<Peer> peer, std::uint32_t flow, std::shared_ptr<Device> device,
                std::shared_ptr<PeerMemory> peer_memory, bool by_peer, std::uint64_t pixels, int pixel_bytes,
                Wish wish);
    ~ShmReceiver() override;

    Status advance(bool &moved) override;
    std::uint64_t band_pixels(std::uint64_t k) const override { return bands_.at_most(k); }
    std::uint64_t strips() const override { return stage_ && by_strips() ? wish_.strips->strips.size() : 0; }
    Status ready(std::uint64_t k, Slot &slot, bool &yes) override;
    Status pass(std::uint64_t k, std::size_t bytes) override;
    Status over(bool &yes) override;
    bool can_refuse() const override { return !comes_by_itself(); }
    void give_up() override;

  private:
    Status open(bool here);
    Status open_in(const StageMap &map);
    Status open_in(std::shared_ptr<RemoteMemory> memory);
    Status open_ground();
    void answer(bool to_reach, bool &moved);
    Status check_lane(std::size_t bytes) const;
    Status land(CudaStream &stream, std::uint64_t from);
    bool by_strips() const { return bands_.most == 0 && wish_.strips; }
    std::uint64_t slot_pixels() const { return by_strips() ? wish_.strips->largest : bands_.most; }
    Status check_sender(std::uint64_t k);
    /// The sender writes to the ground, which nobody else may have meanwhile.
    bool comes_by_itself() const {
        return ground_ && !taken_all_ && flow_.ground.load(std::memory_order_relaxed) != 0 &&
               flow_.packed.load(std::memory_order_acquire) < bands_.count();
    }
    /// Bands that may be unpacked, since the beginning.
    std::uint64_t there() const { return landing_ ? landing_->landed() : flow_.packed.load(std::memory_order_acquire); }

    Process &process_;
    const std::shared_ptr<Peer> peer_;
    Flow &flow_;
    std::shared_ptr<Device> device_;
    const std::shared_ptr<PeerMemory> peer_memory_;
    const std::uint64_t pixels_;
    const int pixel_bytes_;
    const Wish wish_;
    bool taken_all_ = false; ///< the flow may serve another message already
    Bands bands_{0, 0, 0};   ///< of 0 pixels: strips, or not known yet
    std::uint64_t lane_ = 0; ///< as all of the flow that has been checked: the sender's memory is read once
    std::size_t slot_bytes_ = 0;
    std::uint32_t slots_ = 0;
    std::shared_ptr<RemoteMemory> remote_;     ///< where the slots are, unless in the stage memory
    std::unique_ptr<Landing> landing_;         ///< where the sender's slots are copied to
    std::unique_ptr<PeerMemory::Lane> ground_; ///< where the sender copies them to
    std::unique_ptr<Stage> stage_;
    Watch watch_;
};

} // namespace pixmpi
