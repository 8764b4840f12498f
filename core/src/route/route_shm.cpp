#include "route/route_shm.h"

#include "memory/process.h"

namespace pixmpi {
namespace {

/// A band that is all of a large message is packed and unpacked at the same time, if its ends can do so.
std::size_t marks_bytes(const StageMemory &memory, const LanePlan &plan, std::uint64_t bands) {
    constexpr std::uint64_t least_pixels = 64 << 10;
    const std::size_t bytes = Marks::count(plan.band_pixels);
    const bool fits = plan.bytes() + bytes <= StageMemory::largest(memory.map().bytes);
    return bands == 1 && plan.slots == 1 && plan.band_pixels >= least_pixels && fits ? bytes : 0;
}

} // namespace

ShmSender::ShmSender(StageMemory &memory, TakenFlow flow, std::shared_ptr<Peer> peer, std::shared_ptr<Device> device,
                     LanePlan plan, std::uint64_t pixels)
    : memory_(memory), taken_flow_(std::move(flow)), flow_(memory.map().flow(taken_flow_.index())),
      peer_(std::move(peer)), device_(std::move(device)), pixels_(pixels), plan_(plan),
      bands_(plan.bands(pixels).count()) {}

Status ShmSender::advance(bool &moved) {
    if (lane_ || !device_)
        return PIXMPI_SUCCESS;
    const bool matched = flow_.matched.load(std::memory_order_acquire) != 0;
    if (agreement_ && !settle(matched))
        return PIXMPI_SUCCESS;
    if (!take_lane(matched, !strips_))
        return PIXMPI_SUCCESS;
    moved = true;
    if (const Status error = device_->make_stage(StageKind::shared, lane_.base(), plan_.bytes(), stage_))
        return error;
    if (marks_bytes_) {
        flow_.marks = lane_.offset() + plan_.bytes();
        stage_->marks = Marks(lane_.base() + plan_.bytes(), plan_.band_pixels);
        stage_->marks.clear_all();
    }
    stage_->packed = &flow_.packed;
    announce(0, lane_.offset());
    return PIXMPI_SUCCESS;
}

bool ShmSender::take_lane(bool matched, bool with_marks) {
    marks_bytes_ = with_marks ? marks_bytes(memory_, plan_, bands_) : 0;
    return lane_.take(memory_, plan_.bytes() + marks_bytes_, matched ? Claim::wanted : Claim::speculative);
}

void ShmSender::announce(std::uint32_t memory, std::uint64_t lane, Flow::Opened how) {
    flow_.memory = memory;
    flow_.lane = lane;
    flow_.band_pixels = plan_.band_pixels;
    flow_.slot_bytes = plan_.slot_bytes;
    flow_.slots = static_cast<std::uint16_t>(plan_.together ? 0 : plan_.slots);
    flow_.steps = static_cast<std::uint16_t>(plan_.steps);
    flow_.opened.store(how, std::memory_order_release);
}

bool ShmSender::settle(bool matched) {
    std::shared_ptr<const Strips> strips;
    if (!agreement_->settle(matched, plan_, strips))
        return false;
    strips_ = strips != nullptr;
    bands_ = strips ? strips->strips.size() : plan_.bands(pixels_).count();
    agreement_.reset();
    return true;
}

Status ShmSender::ready(std::uint64_t k, Slot &slot, bool &yes) {
    const std::uint64_t taken = flow_.taken.load(std::memory_order_acquire);
    if (taken > k)
        return fail(PIXMPI_ERR_PEER, "the receiver says that it has taken bands that have not been sent");
    yes = stage_ && k < taken + plan_.slots;
    if (stage_)
        slot = {stage_.get(), k % plan_.slots * plan_.slot_bytes};
    if (!yes && watch_.ended(*peer_))
        return fail(PIXMPI_ERR_PEER, "the receiver, process %d, has ended", peer_->card.pid);
    return PIXMPI_SUCCESS;
}

Status ShmSender::pass(std::uint64_t k, std::size_t) {
    if (stage_ && stage_->marks)
        stage_->marks.set_all();
    if (flow_.packed.load(std::memory_order_relaxed) <= k) // else the device has counted it, and more
        flow_.packed.store(k + 1, std::memory_order_release);
    if (k + 1 == bands_)
        leave_device(); // now, while it is at hand; the lane stays until the receiver has it all
    return PIXMPI_SUCCESS;
}

void ShmSender::leave_device() {
    stage_.reset();
    device_.reset();
}

Status ShmSender::over(bool &yes) {
    yes = unwanted() || (bands_ > 0 && flow_.taken.load(std::memory_order_acquire) >= bands_) || watch_.ended(*peer_);
    return PIXMPI_SUCCESS;
}

// Over when the receiver has seen it, and refuses; or has all bands, as a device that counts them may have gone on.
void ShmSender::give_up() {
    given_up_ = true;
    flow_.given_up.store(1, std::memory_order_release);
}

ShmReceiver::ShmReceiver(Process &process, std::shared_ptr<Peer> peer, std::uint32_t flow,
                         std::shared_ptr<Device> device, std::shared_ptr<PeerMemory> peer_memory, bool by_peer,
                         std::uint64_t pixels, int pixel_bytes, Wish wish)
    : process_(process), peer_(std::move(peer)), flow_(peer_->stage().flow(flow)), device_(std::move(device)),
      peer_memory_(std::move(peer_memory)), pixels_(pixels), pixel_bytes_(pixel_bytes), wish_(std::move(wish)) {
    flow_.like_receiver = wish_.strips ? wish_.strips->likeness : 0;
    flow_.wish_pixels = wish_.band_pixels;
    if (peer_memory_ && by_peer) {
        flow_.gpu = device_->gpu().hash();
        flow_.device = peer_memory_->number;
        flow_.landing = peer_memory_->certain_landing(process_.options.peer_bytes);
    }
    flow_.matched.store(1, std::memory_order_release);
}

ShmReceiver::~ShmReceiver() {
    if (comes_by_itself() && !flow_.given_up.load(std::memory_order_acquire))
        peer_memory_->rest(std::move(ground_)); // the sender has ended
}

Status ShmReceiver::advance(bool &moved) {
    const std::uint32_t opened = stage_ ? 0 : flow_.opened.load(std::memory_order_acquire);
    if (!opened && !stage_ && peer_memory_)
        process_.descriptors.look_at_times();
    if (opened && device_->usable()) {
        if (opened == Flow::lane_here || opened == Flow::lane_there) {
            const Status error = open(opened == Flow::lane_here);
            moved = moved || stage_;
            return error;
        }
        if (flow_.reached.load(std::memory_order_relaxed) == 0)
            answer(opened == Flow::asks_reach, moved);
    }
    if (landing_)
        return landing_->advance(flow_, moved);
    return stage_ && stage_->marks ? check_sender(0) : PIXMPI_SUCCESS;
}

void ShmReceiver::answer(bool to_reach, bool &moved) {
    const std::size_t bytes = process_.options.peer_bytes;
    bool yes = peer_memory_ && peer_memory_->open(bytes);
    if (yes && to_reach) {
        yes = peer_memory_->reach(process_, peer_, once(flow_.memory)) != nullptr;
    } else if (yes) {
        const Descriptors::Sent sent =
            peer_memory_->offer(process_.descriptors, process_.card.id, *peer_, once(flow_.memory));
        if (sent == Descriptors::Sent::later)
            return;
        yes = sent == Descriptors::Sent::yes;
        flow_.landing = peer_memory_->certain_landing(bytes); // more is certain now
    }
    moved = true;
    flow_.reached.store(yes ? 1 : 2, std::memory_order_release);
}

Status ShmReceiver::open(bool here) {
    slot_bytes_ = once(flow_.slot_bytes);
    slots_ = once(flow_.slots);
    const bool together = !here && slots_ == 0;
    bands_ = {pixels_, once(flow_.band_pixels), once(flow_.steps), together};
    if (together)
        slots_ = 1;
    lane_ = once(flow_.lane);
    if (!here)
        return open_ground();
    if (const std::uint32_t memory = once(flow_.memory))
        return open_in(peer_memory_ ? peer_memory_->find(*peer_, memory) : nullptr);
    return open_in(peer_->stage());
}

/// Whether the lane that the sender names is one, within `bytes`.
Status ShmReceiver::check_lane(std::size_t bytes) const {
    if (slots_ == 0 || slot_pixels() == 0 || (!by_strips() && !bands_.valid()) ||
        (bands_.together ? pixels_ : slot_pixels()) > slot_bytes_ / static_cast<std::size_t>(pixel_bytes_) ||
        slot_bytes_ > bytes / slots_ || lane_ > bytes - slot_bytes_ * slots_)
        return fail(PIXMPI_ERR_PEER, "the sender's stage memory holds no valid lane");
    return PIXMPI_SUCCESS;
}

Status ShmReceiver::open_in(const StageMap &map) {
    if (const Status error = check_lane(map.bytes))
        return error;
    const std::uint64_t marks = once(flow_.marks);
    if (marks &&
        (slots_ != 1 || bands_.most < pixels_ || marks > map.bytes || Marks::count(bands_.most) > map.bytes - marks))
        return fail(PIXMPI_ERR_PEER, "the sender's stage memory holds no valid marks");
    const std::uint64_t bytes = pixels_ * static_cast<std::uint64_t>(pixel_bytes_);
    // The sender does not know how much may land here.
    if (peer_memory_ && !marks && !by_strips() && PeerMemory::hops(*device_, bytes) &&
        peer_memory_->open(process_.options.peer_bytes) &&
        slot_bytes_ * slots_ <= peer_memory_->room(PeerMemory::Half::landing)) {
        CudaStream *const stream = peer_memory_->host_stream(Direction::unpack);
        if (const std::uint64_t base = stream ? peer_memory_->address_of(map, peer_) : 0)
            return land(*stream, base + lane_);
    }
    if (const Status error = device_->make_stage(StageKind::shared, map.base + lane_, slot_bytes_ * slots_, stage_))
        return error;
    if (marks)
        stage_->marks = Marks(map.base + marks, bands_.most);
    return PIXMPI_SUCCESS;
}

Status ShmReceiver::open_in(std::shared_ptr<RemoteMemory> memory) {
    if (!memory || !memory->memory || by_strips())
        return fail(PIXMPI_ERR_PEER, "the sender names GPU memory that this rank does not reach");
    if (const Status error = check_lane(memory->bytes))
        return error;
    remote_ = memory;
    return memory->memory->make_stage(lane_, slot_bytes_ * slots_, stage_);
}

// Copies from a GPU are faster than copies to one, and begin sooner, so that the sender makes them.
Status ShmReceiver::open_ground() {
    if (!peer_memory_ || !peer_memory_->open(process_.options.peer_bytes) || by_strips())
        return fail(PIXMPI_ERR_PEER, "the sender wants GPU memory that this rank does not have");
    if (const Status error = check_lane(peer_memory_->room(PeerMemory::Half::landing)))
        return error;
    auto ground = std::make_unique<PeerMemory::Lane>();
    if (!ground->take(*peer_memory_, PeerMemory::Half::landing, slot_bytes_ * slots_))
        return PIXMPI_SUCCESS; // and again, when others have given memory back
    ground_ = std::move(ground);
    if (const Status error = peer_memory_->memory().make_stage(ground_->offset(), slot_bytes_ * slots_, stage_))
        return error;
    flow_.ground.store(1 + ground_->offset(), std::memory_order_release);
    return PIXMPI_SUCCESS;
}

Status ShmReceiver::land(CudaStream &stream, std::uint64_t from) {
    auto landing = std::make_unique<Landing>(peer_memory_, Landing::Slots{slot_bytes_, slots_, bands_, pixel_bytes_});
    bool yes = false;
    if (const Status error = landing->open(stream, from, stage_, yes); error || !yes)
        return error; // and again, when others have given memory back
    landing_ = std::move(landing);
    return PIXMPI_SUCCESS;
}

Status ShmReceiver::ready(std::uint64_t k, Slot &slot, bool &yes) {
    const bool whole = stage_ && k < there();
    if (!whole)
        if (const Status error = check_sender(k))
            return error;
    yes = whole || (stage_ && stage_->marks);
    if (stage_)
        slot = {stage_.get(), bands_.place(k, slot_bytes_, slots_, static_cast<std::size_t>(pixel_bytes_)),
                stage_->marks && !whole};
    return PIXMPI_SUCCESS;
}

/// An error when band `k` will never come.
Status ShmReceiver::check_sender(std::uint64_t k) {
    if (k < flow_.packed.load(std::memory_order_acquire))
        return PIXMPI_SUCCESS;
    if (flow_.given_up.load(std::memory_order_acquire))
        return fail(PIXMPI_ERR_PEER, "the sender gave the message up");
    // What it packed before it ended is there for good, so look again after it has ended.
    if (watch_.ended(*peer_) && k >= flow_.packed.load(std::memory_order_acquire))
        return fail(PIXMPI_ERR_PEER, "the sender, process %d, has ended", peer_->card.pid);
    return PIXMPI_SUCCESS;
}

Status ShmReceiver::pass(std::uint64_t k, std::size_t) {
    taken_all_ = k + 1 == (by_strips() ? strips() : bands_.count());
    if (landing_)
        landing_->free(k); // the sender's slot has been free since its copy
    else
        flow_.taken.store(k + 1, std::memory_order_release);
    return PIXMPI_SUCCESS;
}

Status ShmReceiver::over(bool &yes) {
    yes = true;
    return PIXMPI_SUCCESS;
}

void ShmReceiver::give_up() {
    if (landing_ ? !landing_->all() : !taken_all_)
        flow_.refused.store(1, std::memory_order_release);
}

} // namespace pixmpi
