// Unpacking that is submitted before the pixels are there, by a call that waits for them: the queue waits for a
// semaphore, and goes on as soon as the CPU has seen the pixels. That saves a submission's way to the GPU. Nothing else
// comes through the queue meanwhile: its thread is in the call, and what the library itself submits lets the batch go
// on before, with nothing to do.

#include "transfer/transfer.h"

#include <cstring>

namespace vkmpi {

using namespace pixmpi;

void VulkanTransfer::await() { awaited_ = device_.vain_waits; }

void VulkanTransfer::count_submitting(bool yes) {
    if (yes != submitting_)
        device_.submitting += yes ? 1 : -1;
    submitting_ = yes;
}

// The last message that has something to submit, in one band: with several bands it took longer, and other messages
// would let it go soon. What others have submitted before is in front of it on the queue.
// From the host's memory, copy commands are faster, which cannot be without work. Processes on one GPU take turns there,
// and one whose queue waits has its turn, too: 268 MB took 530 to 657 us ahead, and 494 to 501 otherwise (H200). What the program was promised at the
// end needs a batch that is sure to have the pixels.
bool VulkanTransfer::may_go_ahead(const BandWork &band) const {
    const bool awaited = awaited_ == device_.vain_waits && device_.submitting == (submitting_ ? 1 : 0);
    const bool whole = band.first == 0 && band.count == pixels_;
    return device_.waits_ahead && awaited && whole && !ahead_failed_ && direction_ == Direction::unpack && !band.host &&
           !band.in_host_memory && !band.same_gpu && !device_.batches.waits() && device_.has_queue_alone() &&
           !surface_->has_promises() && surface_->access(direction_) == Access::storage &&
           device_.shaders.can_move(band.packed, surface_->pixel_bytes);
}

void VulkanTransfer::go_ahead(const BandWork &band) {
    Batch &batch = *open_.batch;
    surface_->leave(batch);
    if (batch.dispatches.empty() || device_.batches.submit_ahead(batch, *this)) {
        ahead_failed_ = true;
        drop();
        return;
    }
    last_ = batch.number;
    ahead_ = {&batch, band};
    open_ = {};
}

// The band is there.
Status VulkanTransfer::adopt_ahead(Ticket &ticket) {
    Batch &batch = *ahead_.batch;
    std::memcpy(batch.sizes->mapped(), batch.dispatches.data(),
                batch.dispatches.size() * sizeof(VkDispatchIndirectCommand));
    if (const Status status = device_.batches.go_on())
        return status;
    ahead_ = {};
    closed_ = surface_->last_use();
    count_submitting(false);
    Pending adopted;
    adopted.batch = &batch;
    adopted.ticket = ticket = ++bands_;
    pending_.push_back(adopted);
    return PIXMPI_SUCCESS;
}

// It does nothing, and the band needs another batch. Where the semaphore cannot be signalled, this is tried again.
void VulkanTransfer::let_go() {
    if (!ahead_.batch)
        return;
    ahead_failed_ = true;
    std::memset(ahead_.batch->sizes->mapped(), 0, ahead_.batch->sizes->bytes());
    if (device_.batches.go_on())
        return;
    Pending gone;
    gone.batch = std::exchange(ahead_, {}).batch;
    gone.ticket = bands_;
    pending_.push_back(gone);
}

} // namespace vkmpi
