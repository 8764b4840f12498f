// What drivers that draw with the CPU gain by: few submissions, and few copies.

#include "transfer/transfer.h"

#include <bit>

namespace vkmpi {

using namespace pixmpi;

// On software devices a submission costs as much as some 300 KB of pixels, most of it for waking threads; so what can
// be copied now goes into one, unless it needs the batch's own memory.
bool VulkanTransfer::shares_batch(const BandWork &band) const {
    if (!device_.software || device_.shader_packs || band.host || band.foreign)
        return false;
    return surface_->is_image() ? copied_directly(band) : !is_stacked(band);
}

bool VulkanTransfer::is_stacked(const BandWork &band) const {
    const unsigned unit = block_unit(band.packed);
    return unit != 0 && !stacked_plan(band, unit).stacking.blocks.empty();
}

// To a CPU a copy of a few bytes is as dear as one of a rectangle; GPUs have shaders.
unsigned VulkanTransfer::block_unit(const Span &packed) const {
    constexpr VkQueueFlags any_offset = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
    const VkExtent3D &grain = device_.granularity;
    if (!device_.software || device_.shader_packs || !(device_.queue_flags & any_offset) || grain.width != 1 ||
        grain.height != 1)
        return 0;
    constexpr std::uint64_t most = 16;
    const std::uint64_t offsets = surface_->named.offset | packed.offset |
                                  static_cast<unsigned>(surface_->pixel_bytes) |
                                  static_cast<std::uint64_t>(surface_->named.row_bytes) | most;
    return 1u << std::countr_zero(offsets);
}

const BandPlan &VulkanTransfer::stacked_plan(const BandWork &band, unsigned unit) const {
    PlanInput input = buffer_input();
    input.stacking = {unit, device_.properties.limits.maxImageDimension2D};
    return device_.plans.get(region_, band.first, band.count, input, plan_stacked);
}

Status VulkanTransfer::record_stacked(Batch &batch, const BandWork &band, unsigned unit) {
    const BandPlan *chosen = &stacked_plan(band, unit);
    if (!chosen->stacking.blocks.empty() && device_.batches.need(batch.image, unit, chosen->stacking.size))
        chosen = &stacked_plan(band, 0); // row by row takes time, but no memory
    const BandPlan &plan = *chosen;
    surface_->enter(batch,
                    direction_ == Direction::pack ? VK_ACCESS_TRANSFER_READ_BIT : VK_ACCESS_TRANSFER_WRITE_BIT, false);
    if (!plan.stacking.blocks.empty())
        stack(batch, plan.stacking, unit, band.packed);
    if (plan.links.empty())
        return PIXMPI_SUCCESS;
    if (!plan.stacking.blocks.empty()) // between the rows of a block others may lie
        order_steps(device_.vk, batch.commands, false);
    return link(batch, plan, surface_->span(), band.packed, false);
}

// Rectangles of a buffer, by way of a scratch image.
void VulkanTransfer::stack(Batch &batch, const Stacking &plan, unsigned unit, const Span &packed) {
    const Vk &vk = device_.vk;
    const auto copy_of = [](const auto &part, std::uint32_t x, VkDeviceSize offset, std::uint32_t row) {
        VkBufferImageCopy copy{};
        copy.bufferOffset = offset;
        copy.bufferRowLength = row;
        copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, part.layer, 1};
        copy.imageOffset = {static_cast<std::int32_t>(x), static_cast<std::int32_t>(part.y), 0};
        copy.imageExtent = {part.width, part.rows, 1};
        return copy;
    };
    const auto row = static_cast<std::uint32_t>(surface_->named.row_bytes / static_cast<int>(unit));
    image_copies_.clear();
    for (const Block &block : plan.blocks)
        image_copies_.push_back(copy_of(block, 0, surface_->named.offset + block.surface, row));
    stack_copies_.clear();
    for (const Stack &one : plan.stacks)
        stack_copies_.push_back(copy_of(one, one.x, packed.offset + one.packed, 0));
    const bool pack = direction_ == Direction::pack;
    const auto &first = pack ? image_copies_ : stack_copies_, &second = pack ? stack_copies_ : image_copies_;
    const VkBuffer from = pack ? surface_->named.buffer : packed.buffer;
    const VkBuffer to = pack ? packed.buffer : surface_->named.buffer;
    const VkImage image = batch.image->name();
    batch.image->clear(batch.commands);
    vk.CmdCopyBufferToImage(batch.commands, from, image, VK_IMAGE_LAYOUT_GENERAL,
                            static_cast<std::uint32_t>(first.size()), first.data());
    order_steps(vk, batch.commands, false);
    vk.CmdCopyImageToBuffer(batch.commands, image, VK_IMAGE_LAYOUT_GENERAL, to,
                            static_cast<std::uint32_t>(second.size()), second.data());
}

} // namespace vkmpi
