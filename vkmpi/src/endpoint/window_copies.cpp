#include "endpoint/window_copies.h"

#include <algorithm>

namespace vkmpi {

using namespace pixmpi;

namespace {

bool overlap(const Span &a, const Span &b) {
    return a.buffer == b.buffer && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}
bool overlaps_one(const std::vector<Span> &all, const Span &one) {
    return std::any_of(all.begin(), all.end(), [&](const Span &other) { return overlap(other, one); });
}

void wait_for_copies(const VulkanDevice &device, VkCommandBuffer commands) {
    VkMemoryBarrier all{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    all.srcAccessMask = all.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    device.vk.CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1,
                                 &all, 0, nullptr, 0, nullptr);
}

} // namespace

WindowCopies::~WindowCopies() {
    constexpr double patience = 10;
    if (open_)
        device_->batches.release(*open_);
    if (!flying_.empty())
        device_->batches.wait(flying_.back().batch->number, patience);
    for (const Flying &one : flying_) // it is used again when it is over
        device_->batches.release(*one.batch);
}

// Copies of one submission overlap in time, unless a barrier stands between them.
void WindowCopies::order(const Span &from, const Span &to) {
    if (overlaps_one(written_, from) || overlaps_one(written_, to) || overlaps_one(read_, to)) {
        wait_for_copies(*device_, open_->commands);
        read_.clear();
        written_.clear();
    }
    read_.push_back(from);
    written_.push_back(to);
}

Status WindowCopies::add(const Span &from, const Span &to, Ticket &ticket) {
    constexpr std::size_t many = 64; // each is compared with all others
    if (open_ && written_.size() >= many)
        if (const Status status = submit())
            return status;
    if (!open_) {
        if (const Status status = device_->batches.acquire(open_))
            return status;
        wait_for_copies(*device_, open_->commands); // of the submission before
    }
    order(from, to);
    const VkBufferCopy part{from.offset, to.offset, from.bytes};
    device_->vk.CmdCopyBuffer(open_->commands, from.buffer, to.buffer, 1, &part);
    ticket = ++last_;
    return PIXMPI_SUCCESS;
}

Status WindowCopies::submit() {
    wait_for_copies(*device_, open_->commands);
    Semaphores waits, signals; // none
    Batch *const batch = std::exchange(open_, nullptr);
    read_.clear();
    written_.clear();
    if (const Status status = device_->batches.submit(*batch, waits, signals)) {
        device_->batches.release(*batch);
        return status;
    }
    flying_.push_back({batch, last_});
    return PIXMPI_SUCCESS;
}

Status WindowCopies::look(Ticket &over) {
    if (open_)
        if (const Status status = submit())
            return status;
    if (!flying_.empty()) {
        std::uint64_t reached = 0;
        if (const Status status = device_->batches.progress(reached))
            return status;
        while (!flying_.empty() && flying_.front().batch->number <= reached) {
            over_ = flying_.front().last;
            device_->batches.release(*flying_.front().batch);
            flying_.pop_front();
        }
    }
    over = over_;
    return PIXMPI_SUCCESS;
}

} // namespace vkmpi
