// The slots of one end on the mpi route, and MPI's requests for the bands in them. They are in the memory of the
// device's GPU where MPI accepts that; else in the stage memory where the device uses any memory, else its own.
// Each end decides for itself, as MPI does not mind what the other end's memory is.
#pragma once

#include "gpu/peer_memory.h"
#include "route/mpi_calls.h"
#include "route/port.h"
#include "stage/slot_plan.h"

#include <array>
#include <set>

namespace pixmpi {

/// Where a message's bands go, or come from, and its go back. Each rank counts its own messages, so two ranks' messages
/// to each other may have one number: bands and gos have different tags.
struct MpiAddress {
    MPI_Comm comm;
    int rank;
    std::uint32_t number; ///< of the message, chosen by its sender
    int band_tag() const { return static_cast<int>(2 * number); }
    int go_tag() const { return static_cast<int>(2 * number + 1); }
};

/// The numbers of messages to one rank. A number is reserved until MPI has nothing of its message any more, neither
/// here nor at the receiver: so no two messages that are under way share their tags.
class BandNumbers {
  public:
    explicit BandNumbers(int most_tag) : count_((static_cast<std::uint32_t>(most_tag) + 1) / 2) {}
    std::uint32_t count() const { return count_; }
    using Reserved = std::shared_ptr<const std::uint32_t>;
    /// The next one that is free, which is given back with the last copy of the pointer; null where none is.
    static Reserved reserve(const std::shared_ptr<BandNumbers> &numbers);

  private:
    const std::uint32_t count_;
    std::uint32_t next_ = 0;
    std::set<std::uint32_t> reserved_;
};

/// The memory of the device's GPU, if MPI may be handed it for a message of so many bytes; else null. Small messages
/// stay on the host, where they need not wait for a go.
std::shared_ptr<PeerMemory> gpu_memory_for_mpi(const Process &process, const std::shared_ptr<Device> &device,
                                               std::uint64_t bytes, std::size_t eager_bytes);

class MpiSlots {
  public:
    /// `gpu`: null for slots in host memory. `outlives_device`: the device may be gone before MPI has read the slots.
    MpiSlots(StageMemory &memory, std::shared_ptr<PeerMemory> gpu, GpuHalf half, std::shared_ptr<Device> device,
             SlotPlan plan, bool outlives_device = false);
    ~MpiSlots();
    MpiSlots(const MpiSlots &) = delete;
    MpiSlots &operator=(const MpiSlots &) = delete;

    static constexpr std::uint32_t most_slots = 8;
    const SlotPlan plan;
    /// False in `yes` when there is no memory now.
    Status open(Claim claim, bool &yes);
    bool is_open() const { return stage_ || allocation_ || gpu_allocation_; }
    /// Whether open() will try a GPU's memory: not before the other end waits for the message.
    bool wants_gpu() const { return gpu_ != nullptr; }
    Slot slot(std::uint64_t k) const { return {stage_.get(), k % plan.slots * plan.slot_bytes}; }
    /// Keeps the memory, unless it is the device's own.
    void release_device();

    /// Band `k` on its way. A GPU's context is current meanwhile: MPI may need one to find the memory's owner and to
    /// copy it, and the program may have none, or another. That holds for the calls about these bands. Other calls also
    /// move them along; there MPI has to find a context itself, as in a program that calls it from several threads.
    /// `last`: of the message. MPI has it until a receive has matched it, and so all before it.
    Status send(const MpiAddress &to, std::uint64_t k, std::size_t bytes, bool last);
    Status recv(const MpiAddress &from, std::uint64_t k, std::size_t bytes);
    /// Whether the slot of band `k` is not, or no longer, in MPI's hands.
    Status test(std::uint64_t k, bool &over, mpi::Arrival *arrival = nullptr);
    /// Whether none is.
    Status test_all(bool &over);
    /// Of receives: nothing is to be written any more. Bands that are on their way may still be written; idle() says
    /// when they are over.
    void cancel();
    /// Whether MPI has none of the slots any more, errors or not.
    bool idle();

  private:
    std::byte *data(std::uint64_t k) const;
    MPI_Request &request(std::uint64_t k) { return requests_[k % plan.slots]; }

    StageMemory &memory_;
    const GpuHalf half_;
    const bool outlives_device_;
    std::shared_ptr<Device> device_;
    std::shared_ptr<PeerMemory> gpu_; ///< has to go before the device
    HostAllocation allocation_;
    GpuAllocation gpu_allocation_;
    std::unique_ptr<Stage> stage_;
    std::array<MPI_Request, most_slots> requests_;
};

} // namespace pixmpi
