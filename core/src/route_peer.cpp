#include "route_peer.h"

#include "library.h"

#include <algorithm>

namespace pixmpi {

PeerSender::PeerSender(Library &library, std::uint32_t flow, std::shared_ptr<Peer> peer, std::shared_ptr<Device> device,
                       std::shared_ptr<PeerMemory> peer_memory, bool by_peer, LanePlan plan, std::uint64_t pixels,
                       int pixel_bytes, std::uint64_t row_pixels)
    : ShmSender(library.stage, flow, std::move(peer), std::move(device), plan, pixels), library_(library),
      peer_memory_(std::move(peer_memory)), pixel_bytes_(pixel_bytes), row_pixels_(row_pixels), by_peer_(by_peer) {}

Status PeerSender::advance(bool &moved) {
    if (hop_)
        return advance_hop(moved);
    if (way_ == Way::shared)
        return ShmSender::advance(moved);
    if (stage_ || !device_ || !flow_.matched.load(std::memory_order_acquire) || !device_->usable())
        return PIXMPI_SUCCESS;
    const Way before = way_;
    if (way_ == Way::undecided)
        way_ = choose();
    if (way_ == Way::asking)
        way_ = ask();
    moved = moved || way_ != before;
    if (way_ == Way::peer)
        return open(moved);
    return way_ == Way::lifted ? open_lifted(moved) : PIXMPI_SUCCESS;
}

PeerSender::Way PeerSender::choose() {
    const bool same = flow_.gpu == device_->gpu().hash();
    const bool possible = by_peer_ && flow_.gpu != 0 && (same || flow_.landing != 0) &&
                          peer_memory_->open(library_.options.peer_bytes) && (same || peer_memory_->reaches_others());
    return possible ? choose_peer() : without_peer();
}

PeerSender::Way PeerSender::without_peer() {
    const bool lifts = PeerMemory::hops(*device_, bytes()) && peer_memory_->open(library_.options.peer_bytes) &&
                       peer_memory_->host_stream(Direction::pack) && peer_memory_->address_of(memory_.map(), nullptr);
    return lifts ? Way::lifted : Way::shared;
}

PeerSender::Way PeerSender::choose_peer() {
    switch (peer_memory_->reached_by(*peer_, flow_.device)) {
    case PeerMemory::Reached::yes:
        return Way::peer;
    case PeerMemory::Reached::no:
        return without_peer();
    case PeerMemory::Reached::unknown:
        break;
    }
    switch (peer_memory_->offer(library_.descriptors, library_.card.id, *peer_, flow_.device)) {
    case Descriptors::Sent::yes:
        break;
    case Descriptors::Sent::later:
        return Way::undecided;
    case Descriptors::Sent::never:
        return without_peer();
    }
    flow_.memory = peer_memory_->number;
    flow_.opened.store(2, std::memory_order_release);
    return Way::asking;
}

PeerSender::Way PeerSender::ask() {
    const std::uint32_t answer = flow_.reached.load(std::memory_order_acquire);
    if (answer == 0)
        return Way::asking;
    peer_memory_->reached_by(*peer_, flow_.device) = answer == 1 ? PeerMemory::Reached::yes : PeerMemory::Reached::no;
    return answer == 1 ? Way::peer : without_peer();
}

// On one GPU the processes take turns, and each turn costs: as few bands as the memory allows. Between two GPUs
// packing, copying and unpacking overlap, but each band costs all three some 15 us, and small copies are slow. A device
// in the host's memory has its own idea.
LanePlan PeerSender::plan_peer() const {
    constexpr std::size_t least = std::size_t{32} << 20, most = std::size_t{64} << 20, parts = 4;
    const std::size_t half = peer_memory_->half();
    std::size_t band = bytes();
    const bool same_gpu = flow_.gpu == device_->gpu().hash();
    if (device_->near_host())
        band = device_->band_bytes();
    else if (!same_gpu)
        band = std::clamp(band / parts, least, most);
    return plan(band, band, same_gpu ? half : std::min<std::size_t>(half / 2, flow_.landing), 4);
}

// Copies between a GPU and the host take much longer than a GPU's work, so that the bands may be small: the other
// copy begins soon, and little is left to do after the last.
LanePlan PeerSender::plan_lifted() const {
    constexpr std::size_t least = std::size_t{1} << 20, most = std::size_t{4} << 20, parts = 8;
    return plan(std::clamp(bytes() / parts, least, most), least,
                std::min(peer_memory_->half(), StageMemory::largest(memory_.map().bytes)), parts);
}

// Bands of at most `band` bytes, the first and the last of at least `first`, unless the program has said how large they
// are. Whole rows are packed faster than parts of them.
LanePlan PeerSender::plan(std::size_t band, std::size_t first, std::size_t room, std::uint64_t most_slots) const {
    constexpr std::size_t align = 256, least_first = std::size_t{64} << 10;
    constexpr std::uint32_t most_steps = 3;
    if (const std::size_t wish = library_.options.band_bytes) {
        band = wish;
        first = least_first;
    }
    const auto size = static_cast<std::size_t>(pixel_bytes_);
    LanePlan plan;
    plan.band_pixels = std::clamp<std::uint64_t>(std::min(band, room / align * align) / size, 1, pixels_);
    while (plan.steps < most_steps && plan.band_pixels * size >> (plan.steps + 1) >= first)
        ++plan.steps;
    const auto whole = [&] { return row_pixels_ << plan.steps; };
    while (plan.steps > 0 && plan.band_pixels < whole())
        --plan.steps;
    if (plan.band_pixels > whole())
        plan.band_pixels -= plan.band_pixels % whole();
    while (!plan.bands(pixels_).valid())
        --plan.steps;
    plan.slot_bytes = (plan.band_pixels * size + align - 1) / align * align;
    plan.slots =
        static_cast<std::uint32_t>(std::min({most_slots, plan.bands(pixels_).count(), room / plan.slot_bytes}));
    return plan;
}

Status PeerSender::open(bool &moved) {
    const LanePlan plan = plan_peer();
    if (plan.slots == 0) { // the receiver has no room after all
        way_ = without_peer();
        return PIXMPI_SUCCESS;
    }
    plan_ = plan;
    if (!own_.take(*peer_memory_, PeerMemory::Half::sending, plan_.bytes()))
        return PIXMPI_SUCCESS;
    moved = true;
    bands_ = plan_.bands(pixels_).count();
    if (const Status error = peer_memory_->memory().make_stage(own_.offset(), plan_.bytes(), stage_))
        return error;
    announce(peer_memory_->number, own_.offset());
    return PIXMPI_SUCCESS;
}

Status PeerSender::open_lifted(bool &moved) {
    plan_ = plan_lifted();
    if ((!own_ && !own_.take(*peer_memory_, PeerMemory::Half::sending, plan_.bytes())) || !take_lane(true, false))
        return PIXMPI_SUCCESS;
    moved = true;
    bands_ = plan_.bands(pixels_).count();
    if (const Status error = peer_memory_->memory().make_stage(own_.offset(), plan_.bytes(), stage_))
        return error;
    hop_.emplace(*peer_memory_->host_stream(Direction::pack), peer_memory_->address() + own_.offset(),
                 peer_memory_->address_of(memory_.map(), nullptr) + lane_.offset(), plan_.slot_bytes, plan_.slots,
                 plan_.bands(pixels_), pixel_bytes_);
    announce(0, lane_.offset());
    return PIXMPI_SUCCESS;
}

Status PeerSender::pass(std::uint64_t k, std::size_t bytes) { return hop_ ? hop_->start() : ShmSender::pass(k, bytes); }

Status PeerSender::advance_hop(bool &moved) {
    std::uint64_t over = 0;
    if (const Status error = hop_->progress(over))
        return error;
    if (over != hopped_) {
        moved = true;
        hopped_ = over;
        flow_.packed.store(over, std::memory_order_release);
    }
    return PIXMPI_SUCCESS;
}

Status PeerSender::over(bool &yes) {
    bool moved = false;
    if (hop_)
        if (const Status error = advance_hop(moved))
            return error;
    return ShmSender::over(yes);
}

void PeerSender::leave_device() {
    if (hop_ && hopped_ < bands_)
        return; // it still reads the device's memory
    ShmSender::leave_device();
    hop_.reset();
    peer_memory_.reset();
}

} // namespace pixmpi
