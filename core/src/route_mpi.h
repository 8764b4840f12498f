// The mpi route: each band is an MPI message, on a communicator of the library's own, with a tag that the envelope
// names. Bands of one message arrive in order. A band without bytes says that the sender gave up.
//
// The sender takes memory for its bands before anybody asked, if there is some to spare. If not, it says so in the
// envelope and waits for a go, which the receiver sends when it has memory itself: whoever is waited for is always
// served.
#pragma once

#include "lane.h"
#include "route.h"
#include "route_mpi_calls.h"

#include <array>

namespace pixmpi {

/// The slots of one end: in the stage memory where the device takes any memory, else the device's own.
class MpiSlots {
  public:
    /// `leave`: the device may be gone before MPI has read the slots.
    MpiSlots(StageMemory &memory, std::shared_ptr<Device> device, LanePlan plan, bool leave = false);
    ~MpiSlots();
    const LanePlan plan;
    /// False in `yes` when there is no memory now.
    Status open(Claim claim, bool &yes);
    bool is_open() const { return stage_ || lane_; }
    Slot slot(std::uint64_t k) const { return {stage_.get(), k % plan.slots * plan.slot_bytes}; }
    std::byte *data(std::uint64_t k) const { return memory() + k % plan.slots * plan.slot_bytes; }
    /// Keeps the memory, unless it is the device's own.
    void leave_device();
    MPI_Request &request(std::uint64_t k) { return requests_[k % plan.slots]; }

  private:
    std::byte *memory() const { return lane_ ? lane_.base() : stage_->host; }
    static constexpr std::size_t most_slots = 8;
    StageMemory &memory_;
    std::shared_ptr<Device> device_;
    const bool leave_;
    Lane lane_;
    std::unique_ptr<Stage> stage_;
    std::array<MPI_Request, most_slots> requests_;
};

/// Where a message's bands go, or come from, and its go back. Each rank counts its own messages, so two ranks' messages
/// to each other may have one number: bands and gos have tags of their own.
struct MpiAddress {
    MPI_Comm comm;
    int rank;
    std::uint32_t number; ///< of the message, chosen by its sender
    int band_tag() const { return static_cast<int>(2 * number); }
    int go_tag() const { return static_cast<int>(2 * number + 1); }
    static std::uint32_t after(std::uint32_t number, int most_tag) {
        return number + 1 > static_cast<std::uint32_t>(most_tag - 1) / 2 ? 0 : number + 1;
    }
};

class MpiSender : public Port {
  public:
    /// `leave`: once all is in MPI's hands the message is complete, whether the receiver is there or not.
    MpiSender(MpiAddress to, StageMemory &memory, std::shared_ptr<Device> device, LanePlan plan, std::uint64_t bands,
              bool leave);
    ~MpiSender() override;
    /// Before the envelope is written: takes memory, or posts the receive of the go. `waits`: for the envelope.
    Status open(bool &waits);

    Status advance(bool &moved) override;
    std::uint64_t band_pixels(std::uint64_t) const override { return slots_.plan.band_pixels; }
    Status ready(std::uint64_t k, Slot &slot, bool &yes) override;
    Status pass(std::uint64_t k, std::size_t bytes) override;
    Status over(bool &yes) override;
    bool needs_no_care() const override { return leave_; }
    void leave_device() override { slots_.leave_device(); }
    void give_up() override;

  private:
    const MpiAddress to_;
    MpiSlots slots_;
    const std::uint64_t bands_;
    const bool leave_;
    std::uint64_t passed_ = 0;
    MPI_Request go_ = MPI_REQUEST_NULL;
    bool gone_ = false; ///< the go has come, or was not needed
};

class MpiReceiver : public Port {
  public:
    MpiReceiver(MpiAddress from, StageMemory &memory, std::shared_ptr<Device> device, LanePlan plan,
                std::uint64_t pixels, int pixel_bytes, bool send_go);
    ~MpiReceiver() override;

    Status advance(bool &moved) override;
    std::uint64_t band_pixels(std::uint64_t) const override { return slots_.plan.band_pixels; }
    Status ready(std::uint64_t k, Slot &slot, bool &yes) override;
    Status pass(std::uint64_t k, std::size_t bytes) override;
    Status over(bool &yes) override;
    bool can_refuse() const override { return false; }
    void give_up() override {}

  private:
    std::size_t bytes_of(std::uint64_t k) const;
    Status post(std::uint64_t k);

    const MpiAddress from_;
    MpiSlots slots_;
    const std::uint64_t pixels_, bands_;
    const std::size_t pixel_bytes_;
    std::uint64_t arrived_ = 0, passed_ = 0;
    bool send_go_, ended_ = false;
    MPI_Request go_ = MPI_REQUEST_NULL;
};

} // namespace pixmpi
