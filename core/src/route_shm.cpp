#include "route_shm.h"

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

ShmSender::ShmSender(StageMemory &memory, std::uint32_t flow, std::shared_ptr<Peer> peer,
                     std::shared_ptr<Device> device, LanePlan plan, std::uint64_t bands)
    : memory_(memory), index_(flow), flow_(memory.map().flow(flow)), peer_(std::move(peer)), device_(std::move(device)),
      plan_(plan), marks_bytes_(marks_bytes(memory, plan, bands)), bands_(bands) {}

ShmSender::~ShmSender() { memory_.give_flow(index_); }

Status ShmSender::advance(bool &moved) {
    if (lane_ || !device_)
        return PIXMPI_SUCCESS;
    const bool matched = flow_.matched.load(std::memory_order_acquire) != 0;
    if (!lane_.take(memory_, plan_.bytes() + marks_bytes_, matched ? Claim::wanted : Claim::speculative))
        return PIXMPI_SUCCESS;
    moved = true;
    flow_.lane = lane_.offset();
    flow_.band_pixels = plan_.band_pixels;
    flow_.slot_bytes = plan_.slot_bytes;
    flow_.slots = plan_.slots;
    if (const Status error = device_->make_stage(StageKind::shared, lane_.base(), plan_.bytes(), stage_))
        return error;
    if (marks_bytes_) {
        flow_.marks = lane_.offset() + plan_.bytes();
        stage_->marks = Marks(memory_.map().base + flow_.marks, plan_.band_pixels);
        stage_->marks.clear_all();
    }
    flow_.opened.store(1, std::memory_order_release);
    return PIXMPI_SUCCESS;
}

Status ShmSender::ready(std::uint64_t k, Slot &slot, bool &yes) {
    yes = stage_ && k < flow_.taken.load(std::memory_order_acquire) + plan_.slots;
    if (yes)
        slot = {stage_.get(), k % plan_.slots * plan_.slot_bytes};
    else if (watch_.ended(*peer_))
        return fail(PIXMPI_ERR_PEER, "the receiver, process %d, has ended", peer_->card.pid);
    return PIXMPI_SUCCESS;
}

Status ShmSender::pass(std::uint64_t k, std::size_t) {
    if (stage_ && stage_->marks)
        stage_->marks.set_all();
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

void ShmSender::give_up() {
    bands_ = 0; // over when the receiver has seen it
    flow_.given_up.store(1, std::memory_order_release);
}

ShmReceiver::ShmReceiver(std::shared_ptr<Peer> peer, std::uint32_t flow, std::shared_ptr<Device> device,
                         std::uint64_t pixels, int pixel_bytes)
    : peer_(std::move(peer)), flow_(peer_->stage().flow(flow)), device_(std::move(device)), pixels_(pixels),
      pixel_bytes_(pixel_bytes) {
    flow_.matched.store(1, std::memory_order_release);
}

Status ShmReceiver::advance(bool &moved) {
    if (!stage_ && flow_.opened.load(std::memory_order_acquire)) {
        moved = true;
        return open();
    }
    return stage_ && stage_->marks ? check_sender(0) : PIXMPI_SUCCESS;
}

Status ShmReceiver::open() {
    const StageMap &map = peer_->stage();
    const std::uint64_t lane = flow_.lane;
    band_pixels_ = flow_.band_pixels;
    slot_bytes_ = flow_.slot_bytes;
    slots_ = flow_.slots;
    if (slots_ == 0 || band_pixels_ == 0 || band_pixels_ > slot_bytes_ / static_cast<std::size_t>(pixel_bytes_) ||
        slot_bytes_ > map.bytes / slots_ || lane > map.bytes - slot_bytes_ * slots_)
        return fail(PIXMPI_ERR_PEER, "the sender's stage memory holds no valid lane");
    const std::uint64_t marks = flow_.marks;
    if (marks &&
        (slots_ != 1 || band_pixels_ < pixels_ || marks > map.bytes || Marks::count(band_pixels_) > map.bytes - marks))
        return fail(PIXMPI_ERR_PEER, "the sender's stage memory holds no valid marks");
    if (const Status error = device_->make_stage(StageKind::shared, map.base + lane, slot_bytes_ * slots_, stage_))
        return error;
    if (marks)
        stage_->marks = Marks(map.base + marks, band_pixels_);
    return PIXMPI_SUCCESS;
}

Status ShmReceiver::ready(std::uint64_t k, Slot &slot, bool &yes) {
    const bool whole = stage_ && k < flow_.packed.load(std::memory_order_acquire);
    if (!whole)
        if (const Status error = check_sender(k))
            return error;
    yes = whole || (stage_ && stage_->marks);
    if (yes)
        slot = {stage_.get(), k % slots_ * slot_bytes_, !whole};
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
    taken_all_ = (k + 1) * band_pixels_ >= pixels_;
    flow_.taken.store(k + 1, std::memory_order_release);
    return PIXMPI_SUCCESS;
}

Status ShmReceiver::over(bool &yes) {
    yes = true;
    return PIXMPI_SUCCESS;
}

void ShmReceiver::give_up() {
    if (!taken_all_)
        flow_.refused.store(1, std::memory_order_release);
}

} // namespace pixmpi
