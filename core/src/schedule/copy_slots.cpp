#include "schedule/copy_slots.h"

#include "process/process.h"
#include "route/gpu_plans.h"

#include <algorithm>

namespace pixmpi {
namespace {

constexpr std::size_t most_at_once = 64 << 20; ///< of a band that stays on a GPU

/// All of it and what the slots' alignment adds.
std::uint64_t room_for(const Surface &surface, std::uint64_t pixels) {
    constexpr std::uint64_t alignment = 4096;
    return (pixels * static_cast<std::uint64_t>(surface.pixel_bytes) + alignment - 1) / alignment * alignment;
}

/// Between two drivers that work on the host's cores bands stay in the caches; where two threads hand them over to each
/// other they are as large as they may be, since each change of threads takes time. A disk never has to wait.
std::size_t band_bytes(const Surface &from, const Surface &to, bool here) {
    constexpr std::size_t in_cache = 1 << 20;
    const std::size_t suits = std::max(from.device->band_bytes(), to.device->band_bytes());
    const bool disk = from.on_disk() || to.on_disk();
    if (disk || !from.device->near_host() || !to.device->near_host())
        return suits;
    return here ? std::min(suits, in_cache) : in_cache;
}

/// Whether both have their own memory that may be used.
bool on_cards(const Device &from, const Device &to) {
    return process().options.peer && from.gpu() && to.gpu() && !from.near_host() && !to.near_host();
}

std::shared_ptr<PeerMemory> open_memory(const Surface &surface) {
    std::shared_ptr<PeerMemory> memory = PeerMemory::of(surface.device);
    return memory && memory->open(process().options.peer_bytes) ? memory : nullptr;
}

} // namespace

Suits OneCard::look(const BothSurfaces &surfaces, std::size_t side, std::uint64_t bytes) {
    if (side == owner_) {
        if (!own_)
            own_ = open_memory(*surfaces[side]);
        return own_ ? Suits::later : try_other();
    }
    if (!own_)
        return Suits::later;
    const std::shared_ptr<PeerMemory> other = PeerMemory::of(surfaces[side]->device);
    seen_ = other ? other->see(*own_) : nullptr;
    constexpr std::size_t slots = 2;
    bytes_ = std::min<std::uint64_t>({slots * most_at_once, own_->room(GpuHalf::sending), bytes});
    return seen_ && allocation_.allocate(*own_, GpuHalf::sending, bytes_) ? Suits::yes : try_other();
}

Suits OneCard::try_other() {
    own_.reset();
    return owner_++ == 0 ? Suits::later : Suits::no;
}

Suits TwoCards::look(const BothSurfaces &surfaces, std::size_t side, const Region &region) {
    memories_[side] = open_memory(*surfaces[side]);
    if (!memories_[side] || !memories_[side]->reaches_others())
        return Suits::no;
    return !memories_[1 - side] ? Suits::later : allocate(*surfaces[0], region) ? Suits::yes : Suits::no;
}

bool TwoCards::allocate(const Surface &from, const Region &region) {
    const Options &options = process().options;
    PeerMemory &here = *memories_[0], &there = *memories_[1];
    there_ = here.see(there);
    if (!there_)
        return false;
    layout_.pixels = region.pixels;
    layout_.pixel_bytes = static_cast<std::size_t>(from.pixel_bytes);
    layout_.plan = plan_to_gpu({here, options, layout_.pixels, layout_.pixel_bytes, row_pixels(region)},
                               there.certain_landing_room(options.peer_bytes));
    const std::size_t bytes = layout_.plan.bytes();
    if (bytes == 0 || !allocations_[0].allocate(here, GpuHalf::sending, bytes) ||
        !allocations_[1].allocate(there, GpuHalf::landing, bytes))
        return false;
    push_.begin(memories_[0]);
    groups_ = group_bands(here, layout_, from.has_depth());
    engine_copy_.emplace(*there_->stream, allocations_[0].address(),
                         there_->mapped->address() + allocations_[1].offset(), layout_);
    return true;
}

Status TwoCards::advance(std::uint64_t packed, std::uint64_t &over, bool &moved) {
    if (!engine_copy_)
        return PIXMPI_SUCCESS;
    for (; engine_copy_->started() < packed; moved = true)
        if (const Status error =
                engine_copy_->start(layout_.bands().size(engine_copy_->started()) * layout_.pixel_bytes))
            return error;
    const std::uint64_t before = over;
    const Status error = engine_copy_->progress(over);
    moved = moved || over != before;
    return error;
}

CopySlots::CopySlots(StageMemory &memory, const BothSurfaces &surfaces, const Region &region, bool here)
    : memory_(memory), surfaces_(surfaces), region_(region), here_(here),
      in_order_(surfaces[0]->device == surfaces[1]->device && device(0).copies_in_order()) {}

void CopySlots::decide(std::size_t side) {
    const bool one_device = surfaces_[0]->device == surfaces_[1]->device;
    Suits suits = Suits::yes;
    if (one_device) {
        where_ = in_order_ || !device(0).near_host() ? Where::within_device : Where::host;
    } else if (!on_cards(device(0), device(1))) {
        where_ = Where::host;
    } else if (device(0).gpu() == device(1).gpu()) {
        suits = card_.look(surfaces_, side, room_for(*surfaces_[0], region_.pixels));
        where_ = Where::on_card;
    } else { // the host has few pixels sooner
        const bool few = room_for(*surfaces_[0], region_.pixels) <= process().options.eager_bytes;
        suits = few ? Suits::no : two_cards_.look(surfaces_, side, region_);
        where_ = Where::on_two_cards;
    }
    if (suits != Suits::yes)
        where_ = suits == Suits::no ? Where::host : Where::undecided;
    if (decided())
        layout_ = copies() ? two_cards_.layout()
                           : Layout{make_plan(), region_.pixels, static_cast<std::size_t>(surfaces_[0]->pixel_bytes)};
}

pixMPI_Way CopySlots::way() const {
    return where_ == Where::host ? PIXMPI_WAY_HOST : copies() ? PIXMPI_WAY_PEER : PIXMPI_WAY_DEVICE;
}

// What is unpacked as soon as it has been asked to be packed needs no bands, but memory for all of it.
SlotPlan CopySlots::make_plan() const {
    constexpr std::uint32_t slots = 2;
    const int pixel_bytes = surfaces_[0]->pixel_bytes;
    const std::uint64_t pixels = std::max<std::uint64_t>(region_.pixels, 1);
    const auto at_once = [&](std::size_t most) {
        return std::clamp<std::uint64_t>(most / static_cast<std::size_t>(pixel_bytes), 1, pixels);
    };
    if (in_order_)
        return fit_slots(slots * most_at_once, at_once(most_at_once), pixels, pixel_bytes, slots);
    if (where_ == Where::on_card)
        return fit_slots(card_.bytes(), at_once(std::min(most_at_once, card_.bytes())), pixels, pixel_bytes, slots);
    const std::size_t largest = StageMemory::largest(memory_.map().bytes);
    const std::size_t band = std::min(band_bytes(*surfaces_[0], *surfaces_[1], here_), largest);
    return fit_slots(largest, at_once(band), pixels, pixel_bytes, here_ ? 4 : 8);
}

Status CopySlots::open(std::size_t side, bool &yes, bool &moved) {
    if (!decided()) {
        decide(side);
        moved = moved || decided();
    }
    yes = stages_[side] != nullptr;
    if (yes || !decided())
        return PIXMPI_SUCCESS;
    if (where_ == Where::host)
        return make_shared_stage(side, yes);
    std::unique_ptr<Stage> stage;
    const std::size_t bytes = layout_.plan.bytes();
    const Status error = where_ == Where::on_card ? card_.make_stage(side, bytes, stage)
                         : copies()               ? two_cards_.make_stage(side, stage)
                                                  : device(0).make_stage(StageKind::local, nullptr, bytes, stage);
    stages_[side] = std::move(stage);
    if (where_ == Where::within_device)
        stages_[1 - side] = stages_[side];
    yes = !error;
    return error;
}

Status CopySlots::make_shared_stage(std::size_t side, bool &yes) {
    const std::size_t bytes = layout_.plan.bytes();
    yes = allocation_ || allocation_.allocate(memory_, bytes, Claim::wanted);
    if (!yes)
        return PIXMPI_SUCCESS;
    std::unique_ptr<Stage> stage;
    const Status error = device(side).make_stage(StageKind::shared, allocation_.base(), bytes, stage);
    stages_[side] = std::move(stage);
    return error;
}

Status CopySlots::advance(bool &moved) {
    return copies() ? two_cards_.advance(packed_, filled_, moved) : PIXMPI_SUCCESS;
}

std::uint64_t CopySide::band_pixels(std::uint64_t k) const {
    const Bands bands = slots_.layout_.bands();
    return in_groups() ? bands.first(groups()[k]) - bands.first(group_begins(k)) : bands.at_most(k);
}

Status CopySide::ready(std::uint64_t k, Slot &slot, bool &yes) {
    const Layout &layout = slots_.layout_;
    const std::uint64_t there = slots_.in_order_ ? begun_ : slots_.filled_;
    yes = !fills_ ? k < there : in_groups() || k < slots_.freed_ + layout.plan.slots;
    slot = {slots_.stages_[fills_ ? 0 : 1].get(), layout.place(in_groups() ? group_begins(k) : k)};
    return PIXMPI_SUCCESS;
}

Status CopySide::pass(std::uint64_t k, std::size_t) {
    if (!fills_) {
        slots_.freed_ = k + 1;
        return PIXMPI_SUCCESS;
    }
    slots_.packed_ = in_groups() ? groups()[k] : k + 1;
    if (slots_.copies()) { // at once
        bool moved = false;
        return slots_.advance(moved);
    }
    slots_.filled_ = slots_.packed_;
    return PIXMPI_SUCCESS;
}

} // namespace pixmpi
