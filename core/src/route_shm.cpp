#include "route_shm.h"

namespace pixmpi {

ShmSender::ShmSender(StageMemory &memory, std::uint32_t flow, std::shared_ptr<Peer> peer,
                     std::shared_ptr<Device> device, LanePlan plan, std::uint64_t bands)
    : memory_(memory), index_(flow), flow_(memory.map().flow(flow)), peer_(std::move(peer)), device_(std::move(device)),
      plan_(plan), bands_(bands) {}

ShmSender::~ShmSender() { memory_.give_flow(index_); }

Status ShmSender::advance(bool &moved) {
    if (lane_ || !device_)
        return PIXMPI_SUCCESS;
    const bool matched = flow_.matched.load(std::memory_order_acquire) != 0;
    if (!lane_.take(memory_, plan_.bytes(), matched ? Claim::wanted : Claim::speculative))
        return PIXMPI_SUCCESS;
    moved = true;
    flow_.lane = lane_.offset();
    flow_.band_pixels = plan_.band_pixels;
    flow_.slot_bytes = plan_.slot_bytes;
    flow_.slots = plan_.slots;
    return device_->make_stage(StageKind::shared, lane_.base(), lane_.bytes(), stage_);
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
    if (stage_ || flow_.packed.load(std::memory_order_acquire) == 0)
        return PIXMPI_SUCCESS;
    moved = true;
    return open();
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
    return device_->make_stage(StageKind::shared, map.base + lane, slot_bytes_ * slots_, stage_);
}

Status ShmReceiver::ready(std::uint64_t k, Slot &slot, bool &yes) {
    yes = stage_ && k < flow_.packed.load(std::memory_order_acquire);
    if (yes) {
        slot = {stage_.get(), k % slots_ * slot_bytes_};
        return PIXMPI_SUCCESS;
    }
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
