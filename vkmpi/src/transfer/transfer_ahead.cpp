// Unpacking that is submitted before the pixels are there, by a call that waits for them: the queue waits for a
// semaphore, and goes on as soon as the CPU has seen the pixels. That saves a submission's way to the GPU. Nothing else
// comes through the queue meanwhile: its thread is in the call, and what the library itself submits lets the batch go
// on before, with nothing to do.

#include "transfer/transfer.h"

#include <cstring>

namespace vkmpi {

using namespace pixmpi;

void VulkanTransfer::await() { awaited_ = device_.vain_waits; }

void VulkanTransfer::count_active(bool active) {
    if (active != active_)
        device_.transfers += active ? 1 : -1;
    active_ = active;
}

// Beside other messages of the context it would be let go soon. The last batch of a message with promises is not known
// to come.
bool VulkanTransfer::may_go_ahead(const Band &band) const {
    return device_.waits_ahead && awaited_ == device_.vain_waits && !ahead_failed_ && device_.transfers == 1 &&
           direction_ == Direction::unpack && !band.host && !device_.batches.waits() && device_.has_queue_alone() &&
           !surface_->has_promises() && surface_->access(direction_) == Access::storage &&
           device_.shaders.can_move(band.packed, surface_->pixel_bytes);
}

void VulkanTransfer::go_ahead(const Band &band) {
    Batch &batch = *open_.batch;
    const bool closes = band.first + band.count == pixels_;
    if (closes)
        surface_->leave(batch.commands);
    if (batch.dispatches.empty() || device_.batches.submit_ahead(batch, *this)) {
        ahead_failed_ = true;
        drop();
        return;
    }
    last_ = batch.number;
    ahead_ = {&batch, band, closes};
    open_ = {};
}

// The band is there.
Status VulkanTransfer::take_ahead(Ticket &ticket) {
    Batch &batch = *ahead_.batch;
    std::memcpy(batch.sizes->mapped(), batch.dispatches.data(),
                batch.dispatches.size() * sizeof(VkDispatchIndirectCommand));
    if (const Status status = device_.batches.go_on())
        return status;
    if (std::exchange(ahead_, {}).closes) {
        closed_ = true;
        (void)surface_->last_use();
    }
    Pending taken;
    taken.batch = &batch;
    taken.ticket = ticket = ++bands_;
    pending_.push_back(taken);
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
