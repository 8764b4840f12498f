// The peer route: as shm, but the slots are in the memory of the sender's GPU. On the same GPU the receiver has
// imported that memory and unpacks from it. For another one the sender has mapped the receiver's memory and copies the
// bands there, to slots of the receiver's: a copy engine writes to another GPU faster than it reads from there.
//
// The sender packs nothing before the receive has been found, since only then it is known which GPU wants it. What
// cannot go this way goes through shared memory.
#pragma once

#include "route/route_shm.h"

namespace pixmpi {

/// Devices in the host's memory gain nothing by it, and use it only where shm is not among the routes.
inline bool may_use_peer(const Options &options, const Device &device) {
    return options.peer && (!device.near_host() || !options.shm);
}

class PeerSender : public ShmSender {
  public:
    /// `plan`: for the case that it takes shared memory. `peer_memory`: of the device. `by_peer`: the receiver may
    /// reach it, too.
    PeerSender(Process &process, TakenFlow flow, std::shared_ptr<Peer> peer, std::shared_ptr<Device> device,
               std::shared_ptr<PeerMemory> peer_memory, bool by_peer, LanePlan plan, std::uint64_t pixels,
               int pixel_bytes, std::uint64_t row_pixels);
    Status advance(bool &moved) override;
    std::uint64_t band_pixels(std::uint64_t k) const override;
    Status ready(std::uint64_t k, Slot &slot, bool &yes) override;
    Status pass(std::uint64_t k, std::size_t bytes) override;
    Status over(bool &yes) override;
    /// A hop has to be looked after.
    bool needs_no_care() const override { return !is_hopping(); }
    bool by_peer() const override { return (way_ == Way::peer || way_ == Way::pushed) && own_; }
    void leave_device() override;
    void give_up() override;

  private:
    /// pushed, lifted: packed in the GPU's memory, then copied to another GPU's, or to shared memory.
    enum class Way { undecided, asking, peer, pushed, lifted, shared };
    Way choose();
    Way choose_peer();
    Way ask(Flow::Opened what);
    Way hear();
    Way without_peer();
    Status open(bool &moved);
    void group_bands();
    std::uint64_t pack_begins(std::uint64_t k) const { return k == 0 ? 0 : packs_[k - 1]; }
    Status open_lifted(bool &moved);
    bool hops() const { return way_ == Way::pushed || way_ == Way::lifted; }
    bool is_hopping() const { return hops() && !given_up() && hopped_ < bands_; }
    Status open_push();
    void open_hop(CudaStream &stream, std::uint64_t to);
    Status start_hops();
    Status advance_hop(bool &moved);
    bool on_its_gpu() const;
    std::uint64_t bytes() const { return pixels_ * static_cast<std::uint64_t>(pixel_bytes_); }
    LanePlan plan_peer() const;
    LanePlan plan_lifted() const;
    LanePlan plan(std::size_t band, std::size_t first, std::size_t room, std::uint64_t most_slots) const;

    Process &process_;
    std::shared_ptr<PeerMemory> peer_memory_;
    const int pixel_bytes_;
    const std::uint64_t row_pixels_; ///< of a rectangle that is all of the region; else 1
    const bool by_peer_;
    bool heard_ = false;
    std::uint64_t gpu_ = 0;           ///< the receiver's, as it says
    std::uint32_t device_number_ = 0; ///< of its PeerMemory
    Way way_ = Way::undecided;
    std::uint64_t packed_ = 0, hopped_ = 0; ///< bands
    std::vector<std::uint64_t> packs_; ///< the bands at which each copy of the transfer's ends; none: each is a band
    PeerMemory::Push push_;
    PeerMemory::Lane own_;
    std::shared_ptr<RemoteMemory> remote_; ///< of the receiver
    std::optional<Hop> hop_;               ///< ends before what it copies between
};

} // namespace pixmpi
