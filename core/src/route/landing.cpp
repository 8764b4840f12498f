#include "route/landing.h"

namespace pixmpi {

Status Landing::open(CudaStream &stream, std::uint64_t from, std::unique_ptr<Stage> &stage, bool &yes) {
    const std::size_t bytes = slots_.slot_bytes * slots_.slots;
    yes = own_.take(*memory_, PeerMemory::Half::landing, bytes);
    if (!yes)
        return PIXMPI_SUCCESS;
    hop_.emplace(stream, from, memory_->address() + own_.offset(), slots_.slot_bytes, slots_.slots, slots_.bands,
                 slots_.pixel_bytes);
    return memory_->memory().make_stage(own_.offset(), bytes, stage);
}

Status Landing::advance(Flow &flow, bool &moved) {
    if (all())
        return PIXMPI_SUCCESS;
    const std::uint64_t packed = flow.packed.load(std::memory_order_acquire);
    while (hop_->started() < packed && hop_->started() < freed_ + slots_.slots) {
        if (const Status error = hop_->start())
            return error;
        moved = true;
    }
    std::uint64_t over = 0;
    if (const Status error = hop_->progress(over))
        return error;
    if (over != landed_) {
        landed_ = over;
        flow.taken.store(over, std::memory_order_release);
        moved = true;
    }
    return PIXMPI_SUCCESS;
}

} // namespace pixmpi
