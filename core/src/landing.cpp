#include "landing.h"

#include <algorithm>

namespace pixmpi {

Landing::Landing(std::shared_ptr<PeerMemory> memory, RemoteMemory &from, std::uint64_t lane, std::size_t slot_bytes,
                 std::uint32_t slots, std::uint64_t band_bytes, std::uint64_t bytes)
    : memory_(std::move(memory)), from_(from), lane_(lane), slot_bytes_(slot_bytes), slots_(slots),
      band_bytes_(band_bytes), bytes_(bytes), copies_(slots) {}

// What still flies has to come down before the memory is another message's.
Landing::~Landing() {
    std::uint64_t over = 0;
    while (landed_ < started_) {
        if (from_.stream->progress(over) != PIXMPI_SUCCESS)
            return;
        while (landed_ < started_ && copies_[landed_ % slots_] <= over)
            ++landed_;
    }
}

std::size_t Landing::room(const PeerMemory &memory, std::size_t peer_bytes) {
    constexpr std::size_t messages = 2; // at least so many land at once
    if (memory.device().near_host() || !CudaGpu::possible())
        return 0;
    return PeerMemory::planned(memory.device(), peer_bytes) / 2 / messages;
}

Status Landing::open(std::unique_ptr<Stage> &stage, bool &yes) {
    yes = own_.take(*memory_, PeerMemory::Half::landing, slot_bytes_ * slots_);
    return yes ? memory_->memory().make_stage(own_.offset(), slot_bytes_ * slots_, stage) : PIXMPI_SUCCESS;
}

Status Landing::advance(Flow &flow, bool &moved) {
    const std::uint64_t packed = flow.packed.load(std::memory_order_acquire);
    while (started_ < packed && started_ < freed_ + slots_) {
        const std::uint64_t first = started_ * band_bytes_;
        if (first >= bytes_)
            return fail(PIXMPI_ERR_PEER, "the sender has packed more than it announced");
        if (const Status error = from_.stream->copy(memory_->address() + own_.offset() + slot(started_),
                                                    from_.mapped->address() + lane_ + slot(started_),
                                                    std::min(band_bytes_, bytes_ - first), copies_[started_ % slots_]))
            return error;
        ++started_;
        moved = true;
    }
    if (landed_ == started_)
        return PIXMPI_SUCCESS;
    std::uint64_t over = 0;
    if (const Status error = from_.stream->progress(over))
        return error;
    const std::uint64_t before = landed_;
    while (landed_ < started_ && copies_[landed_ % slots_] <= over)
        ++landed_;
    if (landed_ != before) {
        flow.taken.store(landed_, std::memory_order_release);
        moved = true;
    }
    return PIXMPI_SUCCESS;
}

} // namespace pixmpi
