// Ends of a message without bands: the receiver's GPU reads the bytes out of a window that it has mapped. Here is the
// sender's end, which waits until the receiver says that it has them. The receiver's end is endpoint/pull.h.
#pragma once

#include "process/peer.h"
#include "route/port.h"

namespace pixmpi {

/// No band passes through it; what is left is over(), and giving up.
class ShownPort : public Port {
  public:
    Status advance(bool &) override { return PIXMPI_SUCCESS; }
    std::uint64_t band_pixels(std::uint64_t) const override { return 0; }
    Status ready(std::uint64_t, Slot &, bool &yes) override {
        yes = false;
        return PIXMPI_SUCCESS;
    }
    Status pass(std::uint64_t, std::size_t) override { return PIXMPI_SUCCESS; }
    bool by_peer() const override { return true; }
};

class ShownSender final : public ShownPort {
  public:
    /// `allocated_flow`: of this process' stage memory, named by the envelope.
    ShownSender(FlowAllocation allocated_flow, Flow &flow, std::shared_ptr<Peer> peer)
        : allocation_(std::move(allocated_flow)), flow_(flow), peer_(std::move(peer)) {}

    Status over(bool &yes) override {
        yes = flow_.consumed.load(std::memory_order_acquire) != 0 || other_gave_up();
        if (yes || !watch_.ended(*peer_))
            return PIXMPI_SUCCESS;
        yes = given_up_; // the flow is not read any more
        return yes ? PIXMPI_SUCCESS : fail(PIXMPI_ERR_PEER, "dest: process %d has ended", peer_->card.pid);
    }
    void give_up() override {
        given_up_ = true;
        flow_.sender_gave_up.store(1, std::memory_order_release);
    }
    bool other_gave_up() const override { return flow_.receiver_gave_up.load(std::memory_order_acquire) != 0; }

  private:
    const FlowAllocation allocation_;
    Flow &flow_;
    const std::shared_ptr<Peer> peer_;
    Watch watch_;
    bool given_up_ = false;
};

} // namespace pixmpi
