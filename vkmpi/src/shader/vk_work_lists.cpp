#include "shader/vk_work_lists.h"

#include "device/vulkan_device.h"

#include <algorithm>
#include <cstring>

namespace vkmpi {

using namespace pixmpi;

Status WorkLists::get(Batch &batch, const std::shared_ptr<const Region> &region, std::uint64_t first,
                      std::uint64_t count, const Cut &cut, const CachedWork *&found) {
    if ((found = entries_.find(region, cut, first, count))) {
        if (found->buffer)
            batch.work.push_back(found->buffer);
        return PIXMPI_SUCCESS;
    }
    const WorkList list = cut_work(*region, first, count, cut);
    CachedWork made(list);
    if (made.needs_buffer())
        if (const Status status = upload(batch, list, made))
            return status;
    if (made.buffer) {
        const std::size_t bytes = made.buffer->bytes();
        found = &entries_.add(region, cut, first, count, std::move(made), bytes);
    } else {
        single_ = std::move(made);
        found = &single_;
    }
    return PIXMPI_SUCCESS;
}

Status WorkLists::upload(Batch &batch, const WorkList &list, CachedWork &entry) {
    const std::size_t bytes = entry.bytes();
    if (const Status status = device_.batches.need(batch, &Batch::list, Place::host, bytes))
        return status;
    std::memcpy(batch.list->mapped(), list.pieces.data(), entry.pieces_bytes);
    if (!list.owners.empty())
        std::memcpy(batch.list->mapped() + entry.owners_at, list.owners.data(), entry.owners_bytes);
    entries_.make_room(bytes);
    entry.buffer = device_.batches.borrow(Place::device, bytes);
    if (!entry.buffer)
        return PIXMPI_SUCCESS; // slower, from where it is
    batch.work.push_back(entry.buffer);
    batch.uploads.push_back(entry.buffer.get());
    const Vk &vk = device_.vk;
    const VkBufferCopy all{0, 0, bytes};
    vk.CmdCopyBuffer(batch.commands, batch.list->name(), entry.buffer->name(), 1, &all);
    VkMemoryBarrier then{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    then.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    then.dstAccessMask = VK_ACCESS_SHADER_READ_BIT;
    vk.CmdPipelineBarrier(batch.commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1,
                          &then, 0, nullptr, 0, nullptr);
    return PIXMPI_SUCCESS;
}

void WorkLists::forget(const Batch &batch) {
    entries_.erase_if([&](const CachedWork &one) {
        return std::ranges::find(batch.uploads, one.buffer.get()) != batch.uploads.end();
    });
}

// Through the batch's memory that the CPU sees to that of the device, where each workgroup searches it.
Status Shaders::upload(Batch &batch, const CombiningList &list, VkDescriptorBufferInfo &uploaded) {
    const std::size_t bytes = list.bytes();
    if (const Status status = device_.batches.need(batch, &Batch::list, Place::host, bytes))
        return status;
    if (const Status status = device_.batches.need(batch, &Batch::scratch, Place::device, bytes))
        return status;
    std::memcpy(batch.list->mapped(), list.rectangles.data(), bytes);
    const Vk &vk = device_.vk;
    const VkBufferCopy all{0, 0, bytes};
    vk.CmdCopyBuffer(batch.commands, batch.list->name(), batch.scratch->name(), 1, &all);
    VkMemoryBarrier then{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    then.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    then.dstAccessMask = VK_ACCESS_SHADER_READ_BIT;
    vk.CmdPipelineBarrier(batch.commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1,
                          &then, 0, nullptr, 0, nullptr);
    uploaded = {batch.scratch->name(), 0, bytes};
    return PIXMPI_SUCCESS;
}

} // namespace vkmpi
