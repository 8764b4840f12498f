#include "route/route_peer.h"

#include "memory/process.h"

#include <algorithm>

namespace pixmpi {
namespace {

constexpr std::size_t align = 256; // of bands in a lane

} // namespace

PeerSender::PeerSender(Process &process, TakenFlow flow, std::shared_ptr<Peer> peer, std::shared_ptr<Device> device,
                       std::shared_ptr<PeerMemory> peer_memory, bool by_peer, LanePlan plan, std::uint64_t pixels,
                       int pixel_bytes, std::uint64_t row_pixels)
    : ShmSender(process.stage, std::move(flow), std::move(peer), std::move(device), plan, pixels), process_(process),
      peer_memory_(std::move(peer_memory)), pixel_bytes_(pixel_bytes), row_pixels_(row_pixels), by_peer_(by_peer) {}

Status PeerSender::advance(bool &moved) {
    if (hops() && stage_)
        return advance_hop(moved);
    if (way_ == Way::shared)
        return ShmSender::advance(moved);
    if (stage_ || !device_ || !flow_.matched.load(std::memory_order_acquire) || !device_->usable())
        return PIXMPI_SUCCESS;
    const Way before = way_;
    if (!heard_) {
        heard_ = true;
        gpu_ = once(flow_.gpu);
        device_number_ = once(flow_.device);
    }
    if (way_ == Way::undecided)
        way_ = choose();
    if (way_ == Way::asking)
        way_ = hear();
    moved = moved || way_ != before;
    if (way_ == Way::peer || way_ == Way::pushed)
        return open(moved);
    return way_ == Way::lifted ? open_lifted(moved) : PIXMPI_SUCCESS;
}

bool PeerSender::on_its_gpu() const { return gpu_ == device_->gpu().hash(); }

PeerSender::Way PeerSender::choose() {
    const bool same = on_its_gpu();
    const bool possible = by_peer_ && gpu_ != 0 && (same || once(flow_.landing) != 0) &&
                          peer_memory_->open(process_.options.peer_bytes) && (same || peer_memory_->reaches_others());
    return possible ? choose_peer() : without_peer();
}

PeerSender::Way PeerSender::without_peer() {
    const bool lifts = PeerMemory::hops(*device_, bytes()) && peer_memory_->open(process_.options.peer_bytes) &&
                       peer_memory_->host_stream(Direction::pack) && peer_memory_->address_of(memory_.map(), nullptr);
    return lifts ? Way::lifted : Way::shared;
}

PeerSender::Way PeerSender::choose_peer() {
    const PeerMemory::Reached reached = peer_memory_->reached(*peer_, device_number_);
    if (reached == PeerMemory::Reached::no)
        return without_peer();
    if (!on_its_gpu()) {
        remote_ = peer_memory_->find(*peer_, device_number_);
        return remote_ && remote_->mapped ? Way::pushed : ask(Flow::asks_memory);
    }
    if (reached == PeerMemory::Reached::yes)
        return Way::peer;
    switch (peer_memory_->offer(process_.descriptors, process_.card.id, *peer_, device_number_)) {
    case Descriptors::Sent::yes:
        return ask(Flow::asks_reach);
    case Descriptors::Sent::later:
        return Way::undecided;
    case Descriptors::Sent::never:
        break;
    }
    return without_peer();
}

PeerSender::Way PeerSender::ask(Flow::Opened what) {
    flow_.memory = peer_memory_->number;
    flow_.opened.store(what, std::memory_order_release);
    return Way::asking;
}

PeerSender::Way PeerSender::hear() {
    const std::uint32_t answer = flow_.reached.load(std::memory_order_acquire);
    if (answer == 0) {
        process_.descriptors.look_at_times();
        return Way::asking;
    }
    const bool same = on_its_gpu();
    if (answer == 1 && !same)
        remote_ = peer_memory_->reach(process_, peer_, device_number_);
    const bool yes = answer == 1 && (same || (remote_ && remote_->mapped));
    peer_memory_->reached(*peer_, device_number_) = yes ? PeerMemory::Reached::yes : PeerMemory::Reached::no;
    return !yes ? without_peer() : same ? Way::peer : Way::pushed;
}

// On one GPU the processes take turns, and each turn costs: as few bands as the memory allows. Between two GPUs
// packing, copying and unpacking overlap. Each band costs all three some microseconds, and packing beside copies more,
// so that bands are large, but for the first and the last ones. A device in the host's memory has its own idea.
LanePlan PeerSender::plan_peer() const {
    constexpr std::size_t first = std::size_t{16} << 20, most = std::size_t{64} << 20;
    constexpr std::uint64_t slots = 4;
    const std::size_t half = peer_memory_->half();
    const std::size_t room = way_ == Way::peer ? half : std::min<std::size_t>(half / 2, once(flow_.landing));
    if (device_->near_host())
        return plan(device_->band_bytes(), device_->band_bytes(), room, slots);
    if (way_ == Way::peer)
        return plan(bytes(), bytes(), room, slots);
    LanePlan bands = plan(std::clamp(bytes() / 2, first, most), first, room, slots);
    const std::uint64_t least = (bands.band_pixels >> bands.steps) * static_cast<std::uint64_t>(pixel_bytes_);
    if (bytes() <= room / align * align && least % align == 0 && process_.options.band_bytes == 0) {
        bands.together = true;
        bands.slots = 1;
        bands.slot_bytes = (bytes() + align - 1) / align * align;
    }
    return bands;
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
    constexpr std::size_t least_first = std::size_t{64} << 10;
    constexpr std::uint32_t most_steps = 3;
    if (const std::size_t wish = process_.options.band_bytes) {
        band = wish;
        first = least_first;
    }
    const auto size = static_cast<std::size_t>(pixel_bytes_);
    LanePlan plan;
    plan.band_pixels = std::clamp<std::uint64_t>(std::min(band, room / align * align) / size, 1, pixels_);
    while (plan.steps < most_steps && plan.band_pixels * size >> (plan.steps + 1) >= first)
        ++plan.steps;
    std::uint64_t rows = row_pixels_;
    while (way_ == Way::pushed && rows * size % align != 0)
        rows *= 2;
    const auto whole = [&] { return rows << plan.steps; };
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
        remote_.reset();
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
    if (way_ == Way::pushed) {
        push_.begin(peer_memory_);
        group_bands();
        announce(peer_memory_->number, 0, Flow::lane_there);
    } else {
        announce(peer_memory_->number, own_.offset());
    }
    return PIXMPI_SUCCESS;
}

// While copy engines write, a GPU takes 50 us and more to say that something has been packed, however little it was. So
// the bands that are packed at once are more and more: three times what is copied meanwhile. With several messages
// under way the engines are busy anyhow, and each is packed at once.
void PeerSender::group_bands() {
    constexpr std::uint64_t growth = 3, most_at_first = std::uint64_t{64} << 20;
    if (!plan_.together)
        return;
    const Bands bands = plan_.bands(pixels_);
    const auto size = static_cast<std::uint64_t>(pixel_bytes_);
    std::uint64_t most = peer_memory_->pushes() > 1 ? most_at_first / size : bands.size(0);
    for (std::uint64_t k = 0; k < bands_;) {
        const std::uint64_t first = bands.first(k);
        do
            ++k;
        while (k < bands_ && bands.first(k + 1) - first <= most);
        packs_.push_back(k);
        most = growth * (bands.first(k) - first);
    }
}

std::uint64_t PeerSender::band_pixels(std::uint64_t k) const {
    if (packs_.empty())
        return ShmSender::band_pixels(k);
    const Bands bands = plan_.bands(pixels_);
    return bands.first(packs_[k]) - bands.first(pack_begins(k));
}

Status PeerSender::ready(std::uint64_t k, Slot &slot, bool &yes) {
    if (packs_.empty())
        return ShmSender::ready(k, slot, yes);
    yes = stage_ != nullptr;
    slot = {stage_.get(), plan_.bands(pixels_).first(pack_begins(k)) * static_cast<std::size_t>(pixel_bytes_)};
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
    open_hop(*peer_memory_->host_stream(Direction::pack),
             peer_memory_->address_of(memory_.map(), nullptr) + lane_.offset());
    announce(0, lane_.offset());
    return PIXMPI_SUCCESS;
}

// Packing may begin before the receiver has memory for what is packed.
Status PeerSender::open_push() {
    const std::uint64_t ground = flow_.ground.load(std::memory_order_acquire);
    if (ground == 0)
        return PIXMPI_SUCCESS;
    if (plan_.bytes() > remote_->bytes || ground - 1 > remote_->bytes - plan_.bytes())
        return fail(PIXMPI_ERR_PEER, "the receiver names GPU memory that it does not have");
    open_hop(*remote_->stream, remote_->mapped->address() + ground - 1);
    return PIXMPI_SUCCESS;
}

void PeerSender::open_hop(CudaStream &stream, std::uint64_t to) {
    hop_.emplace(stream, peer_memory_->address() + own_.offset(), to, plan_.slot_bytes, plan_.slots,
                 plan_.bands(pixels_), pixel_bytes_);
}

Status PeerSender::pass(std::uint64_t k, std::size_t bytes) {
    if (!hops())
        return ShmSender::pass(k, bytes);
    packed_ = packs_.empty() ? k + 1 : packs_[k];
    return start_hops();
}

Status PeerSender::start_hops() {
    if (!hop_ && hopped_ < packed_)
        if (const Status error = open_push())
            return error;
    while (hop_ && hop_->started() < packed_)
        if (const Status error = hop_->start())
            return error;
    return PIXMPI_SUCCESS;
}

Status PeerSender::advance_hop(bool &moved) {
    if (const Status error = start_hops())
        return error;
    std::uint64_t over = 0;
    if (hop_)
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
    if (is_hopping())
        if (const Status error = advance_hop(moved))
            return error;
    return ShmSender::over(yes);
}

void PeerSender::leave_device() {
    if (is_hopping())
        return; // it still reads the device's memory
    ShmSender::leave_device();
    hop_.reset();
    remote_.reset();
    push_.end();
    peer_memory_.reset();
}

// What flies comes down first: the receiver gives the memory to others then.
void PeerSender::give_up() {
    hop_.reset();
    ShmSender::give_up();
}

} // namespace pixmpi
