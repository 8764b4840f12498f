// The slots of one end of a message that goes through a flow: one class for each place where they may lie. Engines copy
// bands from there to the slots of the other end, where that has its own.
#pragma once

#include "gpu/cuda.h"
#include "gpu/peer_memory.h"
#include "stage/slot_plan.h"

#include <optional>
#include <vector>

namespace pixmpi {

/// Bands that a GPU's copy engine moves, one after another, from the slots of one allocation to those of another: from
/// a GPU's memory to another's, or between a GPU's memory and the host's. The engine works while the GPU computes.
class EngineCopy {
  public:
    /// `from`, `to`: the allocations' addresses.
    EngineCopy(CudaStream &stream, std::uint64_t from, std::uint64_t to, const Layout &layout);
    /// What still flies comes down before the memory may be another message's.
    ~EngineCopy();
    EngineCopy(const EngineCopy &) = delete;
    EngineCopy &operator=(const EngineCopy &) = delete;

    /// The next band, of `bytes`. At most as many at a time as lie in different places.
    Status start(std::size_t bytes);
    /// How many bands have been started, and how many are over.
    std::uint64_t started() const { return started_; }
    Status progress(std::uint64_t &over);

  private:
    CudaStream &stream_;
    const std::uint64_t from_, to_;
    const Layout layout_;
    std::uint64_t started_ = 0, over_ = 0;
    std::vector<std::uint64_t> copies_; ///< their numbers, alternately
};

class Slots {
  public:
    virtual ~Slots() = default;
    Stage &stage() const { return *stage_; }
    bool is_there() const { return stage_ != nullptr; }

    /// Whether a copy engine copies the bands between these slots and the other end's. Otherwise both ends use the same
    /// slots.
    virtual bool copies() const { return false; }
    /// Bands up to `limit` may be copied.
    virtual Status start_copies(std::uint64_t /*limit*/, const BandSizes &, bool & /*moved*/) { return PIXMPI_SUCCESS; }
    /// How many bands have.
    virtual Status copies_over(std::uint64_t &) { return PIXMPI_SUCCESS; }
    /// No more copies: waits for those under way.
    virtual void end_copies() {}

    /// Of a receiver: whether the sender itself writes here. Nobody else may have the memory until it has written all.
    virtual bool sender_writes() const { return false; }
    /// The sender has ended before it had written all.
    virtual void rest() {}

    /// Of a sender: nothing more will be packed here. Keeps the memory that the receivers read.
    virtual void release_device() { stage_.reset(); }

  protected:
    std::unique_ptr<Stage> stage_;
};

/// In shared memory of the host: the sender's stage memory, at both ends.
class HostSlots : public Slots {
  public:
    Status open(Device &device, std::byte *memory, std::size_t bytes) {
        return device.make_stage(StageKind::shared, memory, bytes, stage_);
    }
};

/// In memory of the device's GPU. At a sender: receivers on the same GPU have imported that memory.
class GpuSlots : public Slots {
  public:
    GpuSlots(std::shared_ptr<PeerMemory> memory, GpuHalf half) : memory_(std::move(memory)), half_(half) {}
    /// False in `yes` when there is no memory now.
    Status open(std::size_t bytes, bool &yes);
    std::uint64_t offset() const { return allocation_.offset(); }
    void release_device() override;

  protected:
    std::shared_ptr<PeerMemory> memory_;
    const GpuHalf half_;
    GpuAllocation allocation_;
};

/// In another process' memory of the same GPU: a receiver's, which unpacks from the sender's slots.
class ImportedSlots : public Slots {
  public:
    Status open(std::shared_ptr<RemoteMemory> memory, std::uint64_t offset, std::size_t bytes) {
        memory_ = std::move(memory);
        return memory_->memory->make_stage(offset, bytes, stage_);
    }

  private:
    std::shared_ptr<RemoteMemory> memory_;
};

/// At a receiver: the pixels themselves, where the sender has them.
class SeenSlots : public Slots {
  public:
    explicit SeenSlots(std::unique_ptr<Stage> stage) { stage_ = std::move(stage); }
};

/// In memory of a receiver's GPU; a sender on another GPU copies bands there.
class LandingSlots : public GpuSlots {
  public:
    explicit LandingSlots(std::shared_ptr<PeerMemory> memory) : GpuSlots(std::move(memory), GpuHalf::landing) {}
    bool sender_writes() const override { return true; }
    void rest() override { memory_->rest(std::move(allocation_)); }
};

/// In memory of the device's GPU. The bands are copied from there to the other end's slots, or from those to here. In
/// this class, the other end's slots are in the host's memory.
class CopiedSlots : public GpuSlots {
  public:
    /// `far`: the address of the other end's slots. `stream`: null while that is not known.
    CopiedSlots(std::shared_ptr<PeerMemory> memory, Direction direction, const Layout &layout, CudaStream *stream,
                std::uint64_t far)
        : GpuSlots(std::move(memory), direction == Direction::pack ? GpuHalf::sending : GpuHalf::landing),
          layout_(layout), stream_(stream), far_(far) {}
    bool copies() const override { return true; }
    Status start_copies(std::uint64_t limit, const BandSizes &sizes, bool &moved) override;
    Status copies_over(std::uint64_t &over) override;
    void end_copies() override { engine_copy_.reset(); }
    void release_device() override;

  protected:
    const Layout layout_;
    CudaStream *stream_;
    std::uint64_t far_;

  private:
    std::optional<EngineCopy> engine_copy_; ///< ends before what it copies between
};

/// At a sender: the bands are copied to the memory of a receiver on another GPU.
class ToGpuSlots : public CopiedSlots {
  public:
    ToGpuSlots(const std::shared_ptr<PeerMemory> &memory, const Layout &layout, std::shared_ptr<RemoteMemory> remote,
               const Flow &flow)
        : CopiedSlots(memory, Direction::pack, layout, nullptr, 0), remote_(std::move(remote)), flow_(flow) {
        push_.begin(memory);
    }
    /// Packing may begin before the receiver has memory for what is packed.
    Status start_copies(std::uint64_t limit, const BandSizes &sizes, bool &moved) override;
    void release_device() override;

  private:
    Status look_for_place();

    std::shared_ptr<RemoteMemory> remote_;
    const Flow &flow_;
    PeerMemory::Push push_;
};

/// At a sender whose device packs into other GPUs' memory: the receiver's slots, so that nothing is copied.
class FarSlots : public Slots {
  public:
    FarSlots(std::shared_ptr<RemoteMemory> remote, const Flow &flow, std::size_t bytes)
        : remote_(std::move(remote)), flow_(flow), bytes_(bytes) {}
    /// Whether the receiver has said where they are.
    Status look(Device &device, bool &moved);
    void release_device() override {
        Slots::release_device();
        remote_.reset();
    }

  private:
    std::shared_ptr<RemoteMemory> remote_;
    const Flow &flow_;
    const std::size_t bytes_;
};

/// The slots of one end, once it has them. Those in the host's memory, which small messages use, cost no memory.
class OwnSlots {
  public:
    HostSlots &use_host() {
        slots_ = &host_;
        return host_;
    }
    void use(std::unique_ptr<Slots> slots) {
        others_ = std::move(slots);
        slots_ = others_.get();
    }
    Slots *operator->() const { return slots_; }
    explicit operator bool() const { return slots_ != nullptr; }

  private:
    HostSlots host_;
    std::unique_ptr<Slots> others_;
    Slots *slots_ = nullptr;
};

} // namespace pixmpi
