// The mpi route: each band is an MPI message, on the library's own communicator, with a tag that the envelope names.
// Bands of one message arrive in order. A band without bytes says that the sender has given up.
//
// The sender allocates memory for its bands before a receive has asked, if there is some to spare. If not, it says so
// in the envelope and waits for a go. The receiver sends that when it has memory itself: so the end that is waited for
// is always served. The sender also waits where its slots are to be in a GPU's memory (route_mpi_slots.h): unexpected
// messages would keep that from those of the peer route.
#pragma once

#include "base/wait.h"
#include "process/peer.h"
#include "route/route_mpi_slots.h"

namespace pixmpi {

/// What both ends have: slots, and the way to the other end.
class MpiPort : public Port {
  public:
    std::uint64_t band_pixels(std::uint64_t) const override { return slots_.plan.band_pixels; }
    bool asks_mpi() const override { return true; }
    void release_device() override { slots_.release_device(); }

  protected:
    MpiPort(MpiAddress other, std::uint64_t bands, StageMemory &memory, std::shared_ptr<PeerMemory> gpu, GpuHalf half,
            std::shared_ptr<Device> device, SlotPlan plan, bool outlives_device)
        : other_(other), bands_(bands), slots_(memory, std::move(gpu), half, std::move(device), plan, outlives_device) {
    }
    /// Whether band `k` has a slot, unless MPI has that still.
    bool has_slot(std::uint64_t k) const { return slots_.is_open() && k < passed_ + slots_.plan.slots; }

    const MpiAddress other_;
    const std::uint64_t bands_;
    MpiSlots slots_;
    std::uint64_t passed_ = 0;
    MPI_Request go_ = MPI_REQUEST_NULL;
    bool given_up_ = false;
};

class MpiSender final : public MpiPort {
  public:
    /// `gpu`: MPI may be handed its memory; or null. `outlives_device`: once all is in MPI's hands the message is
    /// complete, whether the receiver is there or not.
    MpiSender(MpiAddress to, StageMemory &memory, std::shared_ptr<PeerMemory> gpu, std::shared_ptr<Device> device,
              SlotPlan plan, std::uint64_t bands, bool outlives_device);
    ~MpiSender() override;
    /// Before the envelope is written: allocates memory, or posts the receive of the go. `waits`: for the envelope.
    Status open(bool &waits);
    /// The address' number is kept as long as the port is there.
    void keep(BandNumbers::Reserved number) { number_ = std::move(number); }

    Status advance(bool &moved) override;
    Status ready(std::uint64_t k, Slot &slot, bool &yes) override;
    Status pass(std::uint64_t k, std::size_t bytes) override;
    Status over(bool &yes) override;
    bool may_outlive_device() const override { return outlives_device_; }
    bool in_mpi() const override { return !given_up_; }
    bool has_sent(MPI_Comm comm) override;
    void give_up() override;

  private:
    BandNumbers::Reserved number_;
    const bool outlives_device_;
    MPI_Request end_ = MPI_REQUEST_NULL; ///< the band without bytes
    bool gone_ = false;                  ///< the go has come, or was not needed
};

/// The sender's end of a message with its pixels inside the envelope, which is complete no sooner than a receive has
/// matched: the receiver says so by a go.
class MatchedSender final : public Port {
  public:
    MatchedSender(MpiAddress to, BandNumbers::Reserved number, std::shared_ptr<Peer> peer)
        : to_(to), number_(std::move(number)), peer_(std::move(peer)) {}
    ~MatchedSender() override;
    /// Before the envelope is sent.
    Status open() { return mpi::recv(to_.comm, nullptr, 0, to_.rank, to_.go_tag(), go_); }

    Status advance(bool &) override { return PIXMPI_SUCCESS; }
    std::uint64_t band_pixels(std::uint64_t) const override { return 0; }
    Status ready(std::uint64_t, Slot &, bool &) override { return PIXMPI_SUCCESS; }
    Status pass(std::uint64_t, std::size_t) override { return PIXMPI_SUCCESS; }
    Status over(bool &yes) override;
    bool in_mpi() const override { return go_ != MPI_REQUEST_NULL; }
    bool asks_mpi() const override { return true; }
    void give_up() override {}

  private:
    const MpiAddress to_;
    const BandNumbers::Reserved number_;
    const std::shared_ptr<Peer> peer_;
    Watch watch_;
    MPI_Request go_ = MPI_REQUEST_NULL;
};

class MpiReceiver final : public MpiPort {
  public:
    MpiReceiver(MpiAddress from, StageMemory &memory, std::shared_ptr<PeerMemory> gpu, std::shared_ptr<Device> device,
                SlotPlan plan, std::uint64_t pixels, int pixel_bytes, bool send_go);
    ~MpiReceiver() override;

    Status advance(bool &moved) override;
    Status ready(std::uint64_t k, Slot &slot, bool &yes) override;
    Status pass(std::uint64_t k, std::size_t bytes) override;
    Status over(bool &yes) override;
    bool must_drain() const override { return true; }
    Arrivals arrivals() const override { return arrivals_; }
    bool in_mpi() const override { return given_up_; }
    void give_up() override;

  private:
    std::size_t most_bytes(std::uint64_t k) const;

    BandSizes sizes_;
    std::uint64_t arrived_ = 0;
    Wait since_first_; ///< arrival
    Arrivals arrivals_;
    const bool send_go_;
};

} // namespace pixmpi
