// Where the bands of a copy within the process lie on their way, and how far they are.
#pragma once

#include "device/device.h"
#include "gpu/peer_memory.h"
#include "request/pipeline.h"
#include "route/slots.h"
#include "stage/slot_plan.h"

#include <array>
#include <optional>
#include <vector>

namespace pixmpi {

/// A copy's surfaces: where the pixels come from, where they go.
using BothSurfaces = std::array<std::shared_ptr<Surface>, 2>;

/// Whether a copy's bands may lie in some memory. Each side looks in a thread that has its device, until both know.
enum class Suits { later, no, yes };

/// Memory of a GPU that two devices on it both see: one of them lets the other have it, as on the route peer.
class OneCard {
  public:
    Suits look(const BothSurfaces &surfaces, std::size_t side, std::uint64_t bytes);
    Status make_stage(std::size_t side, std::size_t bytes, std::unique_ptr<Stage> &stage) const {
        return (side == owner_ ? own_->memory() : *seen_->memory).make_stage(allocation_.offset(), bytes, stage);
    }
    std::size_t bytes() const { return bytes_; }

  private:
    Suits try_other();

    std::size_t owner_ = 0; ///< the side that owns the memory
    std::shared_ptr<PeerMemory> own_;
    std::shared_ptr<RemoteMemory> seen_; ///< by the other side
    GpuAllocation allocation_;
    std::size_t bytes_ = 0;
};

/// Memory of two GPUs: bands are packed on one, and its copy engine brings them to the other one to be unpacked.
class TwoCards {
  public:
    /// `region`: of the first surface.
    Suits look(const BothSurfaces &surfaces, std::size_t side, const Region &region);
    const Layout &layout() const { return layout_; }
    Status make_stage(std::size_t side, std::unique_ptr<Stage> &stage) const {
        return memories_[side]->memory().make_stage(allocations_[side].offset(), layout_.plan.bytes(), stage);
    }
    /// The bands at which each copy of the pack's ends; none: each is a band.
    const std::vector<std::uint64_t> &groups() const { return groups_; }

    /// Of so many bands that have been packed, how many are on the other GPU.
    Status advance(std::uint64_t packed, std::uint64_t &over, bool &moved);
    /// No more: waits for those under way.
    void end() { engine_copy_.reset(); }

  private:
    bool allocate(const Surface &from, const Region &region);

    std::array<std::shared_ptr<PeerMemory>, 2> memories_;
    std::shared_ptr<RemoteMemory> there_; ///< the other GPU's memory, as the first one copies to it
    Layout layout_;
    std::vector<std::uint64_t> groups_;
    PeerMemory::Push push_;
    std::array<GpuAllocation, 2> allocations_;
    std::optional<EngineCopy> engine_copy_; ///< ends before what it copies between
};

class CopySlots {
  public:
    /// All of it lives longer. `here`: the contexts of both surfaces are current in this thread. `region`: of the first
    /// surface.
    CopySlots(StageMemory &memory, const BothSurfaces &surfaces, const Region &region, bool here);
    CopySlots(const CopySlots &) = delete;
    CopySlots &operator=(const CopySlots &) = delete;

    /// Whether it is known where the slots lie, and so which way the copy goes.
    bool decided() const { return where_ != Where::undecided; }
    pixMPI_Way way() const;
    /// What has been asked to be packed may be asked to be unpacked at once.
    bool in_order() const { return in_order_; }
    /// One side's slots, in a thread that has its device. False in `yes` when they are not known yet, and when there is
    /// no memory now.
    Status open(std::size_t side, bool &yes, bool &moved);
    /// What moves without either side's device.
    Status advance(bool &moved);
    /// The copy ends before its time. Afterwards nothing but the sides' transfers uses the slots.
    void end() { two_cards_.end(); }

  private:
    friend class CopySide;
    enum class Where { undecided, within_device, on_card, on_two_cards, host };
    void decide(std::size_t side);
    SlotPlan make_plan() const;
    Status make_shared_stage(std::size_t side, bool &yes);
    Device &device(std::size_t side) const { return *surfaces_[side]->device; }
    bool copies() const { return where_ == Where::on_two_cards; }

    StageMemory &memory_;
    const BothSurfaces &surfaces_;
    const Region &region_;
    const bool here_;
    const bool in_order_;
    OneCard card_;
    TwoCards two_cards_;
    Where where_ = Where::undecided;
    Layout layout_;
    HostAllocation allocation_;
    std::array<std::shared_ptr<Stage>, 2> stages_;
    std::uint64_t packed_ = 0, filled_ = 0, freed_ = 0; ///< bands; filled: where the other side finds them
};

/// The slots as one of a copy's two pipelines sees them.
class CopySide final : public Port {
  public:
    /// `begun`: bands that the other one has asked its device to copy.
    CopySide(CopySlots &slots, std::size_t side, std::uint64_t begun)
        : slots_(slots), fills_(side == 0), begun_(begun) {}
    Status advance(bool &) override { return PIXMPI_SUCCESS; }
    std::uint64_t band_pixels(std::uint64_t k) const override;
    Status ready(std::uint64_t k, Slot &slot, bool &yes) override;
    Status pass(std::uint64_t k, std::size_t bytes) override;
    Status over(bool &yes) override {
        yes = true;
        return PIXMPI_SUCCESS;
    }
    void give_up() override {}

  private:
    const std::vector<std::uint64_t> &groups() const { return slots_.two_cards_.groups(); }
    bool in_groups() const { return fills_ && !groups().empty(); }
    std::uint64_t group_begins(std::uint64_t k) const { return k == 0 ? 0 : groups()[k - 1]; }

    CopySlots &slots_;
    const bool fills_;
    const std::uint64_t begun_;
};

} // namespace pixmpi
