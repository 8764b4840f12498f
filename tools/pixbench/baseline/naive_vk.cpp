// The Vulkan part of pixels sent by hand: command buffers and staging memory, which the host has mapped and reads from
// its cache, are made beforehand. Pixels go between the object and that memory by copy commands. There is one
// submission for all rectangles that are wanted together, and its fence is waited for. MPI sends from the same memory
// and receives into it. Commands are recorded anew only when other rectangles are wanted than the last time. See
// naive.cpp for the MPI part.

#include "object/vk_object.h"

#include <algorithm>
#include <cstring>

using demo::check_vk;

void VkObject::read_all(std::span<const pixMPI_Rect> rects, std::byte *memory) {
    const bool in_place = is_staging(memory);
    record(reading_, Way::out, rects, in_place ? static_cast<std::size_t>(memory - staging()) : 0);
    submit_and_wait(reading_.commands);
    if (!in_place)
        for (std::size_t i = 0, at = 0; i < rects.size(); at += bytes_of(rects[i++]))
            std::memcpy(memory + at, staging() + at, bytes_of(rects[i]));
}

void VkObject::write_all(std::span<const pixMPI_Rect> rects, const std::byte *memory) {
    const bool in_place = is_staging(memory);
    if (!in_place)
        for (std::size_t i = 0, at = 0; i < rects.size(); at += bytes_of(rects[i++]))
            std::memcpy(staging() + at, memory + at, bytes_of(rects[i]));
    record(writing_, Way::in, rects, in_place ? static_cast<std::size_t>(memory - staging()) : 0);
    submit_and_wait(writing_.commands);
}

bool VkObject::is_staging(const std::byte *memory) const {
    const auto *begin = static_cast<const std::byte *>(staging_->data());
    return memory >= begin && memory < begin + staging_->bytes();
}

void VkObject::record(Recording &recording, Way way, std::span<const pixMPI_Rect> rects, std::size_t at) {
    const auto same = [](const pixMPI_Rect &a, const pixMPI_Rect &b) {
        return a.x == b.x && a.y == b.y && a.width == b.width && a.height == b.height;
    };
    if (recording.at == at && std::ranges::equal(recording.rects, rects, same))
        return;
    recording.at = at;
    recording.rects.assign(rects.begin(), rects.end());
    const VkCommandBufferBeginInfo begin{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    check_vk(vkBeginCommandBuffer(recording.commands, &begin), "beginning commands");
    demo::barrier(recording.commands); // what was drawn before is there
    copy(recording.commands, way, rects, staging_->buffer(), at);
    if (way == Way::out) {
        const VkMemoryBarrier for_host{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                       .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                       .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
        vkCmdPipelineBarrier(recording.commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                             &for_host, 0, nullptr, 0, nullptr);
    }
    check_vk(vkEndCommandBuffer(recording.commands), "ending commands");
}

/// One command for all rectangles, which lie one after the other in `memory`.
void VkObject::copy(VkCommandBuffer commands, Way way, std::span<const pixMPI_Rect> rects, VkBuffer memory,
                    std::size_t at) {
    image_copies_.clear();
    buffer_copies_.clear();
    for (const pixMPI_Rect &rect : rects) {
        if (image_)
            image_copies_.push_back(
                {.bufferOffset = at,
                 .imageSubresource = {surface_.aspect, 0, 0, 1},
                 .imageOffset = {rect.x, rect.y, 0},
                 .imageExtent = {static_cast<std::uint32_t>(rect.width), static_cast<std::uint32_t>(rect.height), 1}});
        else
            for_each_row(rect, [&](std::size_t in_object, std::size_t packed, std::size_t length) {
                buffer_copies_.push_back(
                    {way == Way::out ? in_object : at + packed, way == Way::out ? at + packed : in_object, length});
            });
        at += bytes_of(rect);
    }
    const auto count = static_cast<std::uint32_t>(image_ ? image_copies_.size() : buffer_copies_.size());
    if (!image_)
        vkCmdCopyBuffer(commands, way == Way::out ? buffer_->buffer() : memory,
                        way == Way::out ? memory : buffer_->buffer(), count, buffer_copies_.data());
    else if (way == Way::out)
        vkCmdCopyImageToBuffer(commands, image_, VK_IMAGE_LAYOUT_GENERAL, memory, count, image_copies_.data());
    else
        vkCmdCopyBufferToImage(commands, memory, image_, VK_IMAGE_LAYOUT_GENERAL, count, image_copies_.data());
}

void VkObject::submit_and_wait(VkCommandBuffer commands) const {
    const VkSubmitInfo info{
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    check_vk(vkQueueSubmit(gpu_.queue, 1, &info, done_), "submitting commands");
    check_vk(vkWaitForFences(gpu_.device, 1, &done_, VK_TRUE, UINT64_MAX), "waiting for commands");
    check_vk(vkResetFences(gpu_.device, 1, &done_), "resetting a fence");
}
