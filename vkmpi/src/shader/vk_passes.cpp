#include "shader/vk_passes.h"

#include "device/vulkan_device.h"
#include "transfer/stages.h"

#include <algorithm>

namespace vkmpi {

using namespace pixmpi;

VulkanPasses::~VulkanPasses() {
    constexpr double patience = 2;
    if (pending_.empty())
        return;
    device_->batches.wait(pending_.back()->number, patience);
    give_back(pending_.back()->number);
}

std::size_t VulkanPasses::most_bytes() const {
    return std::min<std::size_t>(device_->properties.limits.maxStorageBufferRange, std::size_t{1} << 31) - 512;
}

Status VulkanPasses::record(Batch &batch, const Pass &pass) {
    if (pass.kind != PassKind::copy)
        return device_->shaders.run(batch, pass);
    const auto &from = static_cast<const VulkanStage &>(*pass.stages[0]);
    const auto &to = static_cast<const VulkanStage &>(*pass.stages[1]);
    const VkBufferCopy part{from.base + pass.sizes[0], to.base + pass.sizes[1], pass.sizes[2]};
    device_->vk.CmdCopyBuffer(batch.commands, from.buffer, to.buffer, 1, &part);
    return PIXMPI_SUCCESS;
}

Status VulkanPasses::run(std::span<const Pass> passes, Ticket &ticket, bool &accepted) {
    Batch *batch = nullptr;
    if (const Status status = device_->batches.acquire(batch))
        return status;
    // All that a pass has written is seen by what follows: the next pass, another batch, the CPU.
    constexpr VkPipelineStageFlags works = VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_SHADER_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_SHADER_READ_BIT |
                            VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_HOST_READ_BIT;
    Status status = PIXMPI_SUCCESS;
    for (const Pass &pass : passes) {
        status = record(*batch, pass);
        if (status)
            break;
        device_->vk.CmdPipelineBarrier(batch->commands, works, works | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0,
                                       nullptr, 0, nullptr);
    }
    Semaphores waits, signals; // none
    if (status == PIXMPI_SUCCESS)
        status = device_->batches.submit(*batch, waits, signals);
    if (status) {
        device_->batches.release(*batch);
        return status;
    }
    pending_.push_back(batch);
    ticket = batch->number;
    accepted = true;
    return PIXMPI_SUCCESS;
}

Status VulkanPasses::poll(Ticket ticket, bool &over) {
    std::uint64_t reached = 0;
    if (const Status status = device_->batches.progress(reached))
        return status;
    give_back(reached);
    over = ticket <= reached;
    return PIXMPI_SUCCESS;
}

void VulkanPasses::give_back(std::uint64_t reached) {
    for (; !pending_.empty() && pending_.front()->number <= reached; pending_.pop_front())
        device_->batches.release(*pending_.front());
}

} // namespace vkmpi
