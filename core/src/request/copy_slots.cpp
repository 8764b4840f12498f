#include "request/copy_slots.h"

#include "memory/process.h"
#include "route/gpu_plans.h"

#include <algorithm>

namespace pixmpi {
namespace {

constexpr std::size_t most_at_once = 64 << 20; ///< of a band that stays on a card

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

/// Whether both have a memory of their own that may be used.
bool on_cards(const Device &from, const Device &to) {
    return process().options.peer && &from != &to && from.gpu() && to.gpu() && !from.near_host() && !to.near_host();
}

} // namespace

bool CardMemory::take(const BothSurfaces &surfaces, std::uint64_t bytes) {
    const Device &from = *surfaces[0]->device, &to = *surfaces[1]->device;
    if (!on_cards(from, to) || from.gpu() != to.gpu())
        return false;
    const std::array memories{PeerMemory::of(surfaces[0]->device), PeerMemory::of(surfaces[1]->device)};
    return memories[0] && memories[1] && (take(memories, 0, bytes) || take(memories, 1, bytes));
}

bool CardMemory::take(const std::array<std::shared_ptr<PeerMemory>, 2> &memories, std::size_t owner,
                      std::uint64_t bytes) {
    PeerMemory &own = *memories[owner];
    if (!own.open(process().options.peer_bytes))
        return false;
    remote_ = memories[1 - owner]->see(own);
    if (!remote_)
        return false;
    seen_[owner] = &own.memory();
    seen_[1 - owner] = remote_->memory;
    constexpr std::size_t slots = 2;
    bytes_ = std::min<std::uint64_t>({slots * most_at_once, own.room(GpuHalf::sending), bytes});
    return lane_.take(own, GpuHalf::sending, bytes_);
}

bool TwoCards::take(const BothSurfaces &surfaces, const Region &region) {
    const Device &from = *surfaces[0]->device, &to = *surfaces[1]->device;
    const Options &options = process().options;
    layout_.pixels = region.pixels;
    layout_.pixel_bytes = static_cast<std::size_t>(surfaces[0]->pixel_bytes);
    if (!on_cards(from, to) || from.gpu() == to.gpu() || layout_.bytes() <= options.eager_bytes)
        return false;
    for (std::size_t i = 0; i < 2; ++i) {
        memories_[i] = PeerMemory::of(surfaces[i]->device);
        if (!memories_[i] || !memories_[i]->open(options.peer_bytes) || !memories_[i]->reaches_others())
            return false;
    }
    there_ = memories_[0]->see(*memories_[1]);
    if (!there_)
        return false;
    layout_.plan = plan_to_gpu({*memories_[0], options, layout_.pixels, layout_.pixel_bytes, row_pixels(region)},
                               memories_[1]->certain_landing_room(options.peer_bytes));
    const std::size_t bytes = plan().bytes();
    if (bytes == 0 || !lanes_[0].take(*memories_[0], GpuHalf::sending, bytes) ||
        !lanes_[1].take(*memories_[1], GpuHalf::landing, bytes))
        return false;
    push_.begin(memories_[0]);
    groups_ = group_bands(*memories_[0], layout_, surfaces[0]->has_depth());
    hop_.emplace(*there_->stream, lanes_[0].address(), there_->mapped->address() + lanes_[1].offset(), layout_);
    return true;
}

Status TwoCards::advance(std::uint64_t packed, std::uint64_t &over, bool &moved) {
    if (!hop_)
        return PIXMPI_SUCCESS;
    for (; hop_->started() < packed; moved = true)
        if (const Status error = hop_->start(layout_.bands().size(hop_->started()) * layout_.pixel_bytes))
            return error;
    const std::uint64_t before = over;
    const Status error = hop_->progress(over);
    moved = moved || over != before;
    return error;
}

CopySlots::CopySlots(StageMemory &memory, const BothSurfaces &surfaces, const Region &region, bool here)
    : memory_(memory), from_(*surfaces[0]->device), to_(*surfaces[1]->device),
      in_order_(&from_ == &to_ && from_.copies_in_order()), where_(find_place(surfaces, region, here)),
      layout_{hops() ? two_cards_.plan() : make_plan(surfaces, std::max<std::uint64_t>(region.pixels, 1), here),
              region.pixels, static_cast<std::size_t>(surfaces[0]->pixel_bytes)} {}

CopySlots::Where CopySlots::find_place(const BothSurfaces &surfaces, const Region &region, bool here) {
    if (in_order_ || (&from_ == &to_ && !from_.near_host()))
        return Where::within_device;
    if (here && card_.take(surfaces, room_for(*surfaces[0], region.pixels)))
        return Where::on_card;
    return here && two_cards_.take(surfaces, region) ? Where::on_two_cards : Where::host;
}

pixMPI_Way CopySlots::way() const {
    return where_ == Where::host ? PIXMPI_WAY_HOST : hops() ? PIXMPI_WAY_PEER : PIXMPI_WAY_DEVICE;
}

// What is unpacked as soon as it has been told to be packed needs no bands, but memory for all of it.
LanePlan CopySlots::make_plan(const BothSurfaces &surfaces, std::uint64_t pixels, bool here) const {
    constexpr std::uint32_t slots = 2;
    const int pixel_bytes = surfaces[0]->pixel_bytes;
    const auto at_once = [&](std::size_t most) {
        return std::clamp<std::uint64_t>(most / static_cast<std::size_t>(pixel_bytes), 1, pixels);
    };
    if (in_order_)
        return fit_lane(slots * most_at_once, at_once(most_at_once), pixels, pixel_bytes, slots);
    if (where_ == Where::on_card)
        return fit_lane(card_.bytes(), at_once(std::min(most_at_once, card_.bytes())), pixels, pixel_bytes, slots);
    const std::size_t largest = StageMemory::largest(memory_.map().bytes);
    const std::size_t band = std::min(band_bytes(*surfaces[0], *surfaces[1], here), largest);
    return fit_lane(largest, at_once(band), pixels, pixel_bytes, here ? 4 : 8);
}

Status CopySlots::open(std::size_t side, bool &yes) {
    yes = stages_[side] != nullptr;
    return yes ? PIXMPI_SUCCESS : make_stage(side, yes);
}

Status CopySlots::make_stage(std::size_t side, bool &yes) {
    if (where_ == Where::host)
        return make_shared_stage(side, yes);
    std::unique_ptr<Stage> stage;
    const std::size_t bytes = layout_.plan.bytes();
    const Status error = where_ == Where::on_card ? card_.make_stage(side, bytes, stage)
                         : hops()                 ? two_cards_.make_stage(side, stage)
                                                  : from_.make_stage(StageKind::local, nullptr, bytes, stage);
    stages_[side] = std::move(stage);
    if (where_ == Where::within_device)
        stages_[1 - side] = stages_[side];
    yes = !error;
    return error;
}

Status CopySlots::make_shared_stage(std::size_t side, bool &yes) {
    const std::size_t bytes = layout_.plan.bytes();
    yes = lane_ || lane_.take(memory_, bytes, Claim::wanted);
    if (!yes)
        return PIXMPI_SUCCESS;
    std::unique_ptr<Stage> stage;
    Device &device = side == 0 ? from_ : to_;
    const Status error = device.make_stage(StageKind::shared, lane_.base(), bytes, stage);
    stages_[side] = std::move(stage);
    return error;
}

Status CopySlots::advance(bool &moved) { return hops() ? two_cards_.advance(packed_, filled_, moved) : PIXMPI_SUCCESS; }

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
    if (slots_.hops()) { // at once
        bool moved = false;
        return slots_.advance(moved);
    }
    slots_.filled_ = slots_.packed_;
    return PIXMPI_SUCCESS;
}

} // namespace pixmpi
