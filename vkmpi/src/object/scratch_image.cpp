#include "object/scratch_image.h"

#include "device/vulkan_device.h"

#include <bit>

namespace vkmpi {

using namespace pixmpi;

namespace {

// Of formats that every device can copy.
VkFormat format_of(unsigned unit) {
    constexpr VkFormat formats[] = {VK_FORMAT_R8_UINT, VK_FORMAT_R16_UINT, VK_FORMAT_R32_UINT, VK_FORMAT_R32G32_UINT,
                                    VK_FORMAT_R32G32B32A32_UINT};
    return formats[std::countr_zero(unit)];
}

} // namespace

Status ScratchImage::make(VulkanDevice &device, unsigned unit, const Size &size, std::unique_ptr<ScratchImage> &image,
                          bool least) {
    std::unique_ptr<ScratchImage> made(new ScratchImage(device, unit, size));
    if (const Status status = made->create(least))
        return status;
    image = std::move(made);
    return PIXMPI_SUCCESS;
}

Status ScratchImage::create(bool least) {
    const Vk &vk = device_.vk;
    const VkDevice device = device_.info.device;
    VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = format_of(unit_);
    info.extent = {size_.width, size_.height, 1};
    info.mipLevels = 1;
    info.arrayLayers = size_.layers;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    if (const Status status = device_.check(vk.CreateImage(device, &info, nullptr, &image_), "vkCreateImage"))
        return status;
    VkMemoryRequirements needs;
    vk.GetImageMemoryRequirements(device, image_, &needs);
    if (!core().reserve_stage(needs.size, least))
        return fail(PIXMPI_ERR_MEMORY, "stage memory: used up, expected %llu bytes for the library's own image",
                    static_cast<unsigned long long>(needs.size));
    counted_ = needs.size;
    VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    allocate.allocationSize = needs.size;
    allocate.memoryTypeIndex = static_cast<std::uint32_t>(std::countr_zero(needs.memoryTypeBits));
    if (const Status status =
            device_.check(vk.AllocateMemory(device, &allocate, nullptr, &memory_), "vkAllocateMemory"))
        return status;
    return device_.check(vk.BindImageMemory(device, image_, memory_, 0), "vkBindImageMemory");
}

ScratchImage::~ScratchImage() {
    device_.vk.DestroyImage(device_.info.device, image_, nullptr);
    device_.vk.FreeMemory(device_.info.device, memory_, nullptr);
    core().release_stage(counted_);
}

void ScratchImage::clear(VkCommandBuffer commands) const {
    VkImageMemoryBarrier one{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
    one.srcAccessMask = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
    one.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    one.oldLayout = VK_IMAGE_LAYOUT_UNDEFINED;
    one.newLayout = VK_IMAGE_LAYOUT_GENERAL;
    one.srcQueueFamilyIndex = one.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    one.image = image_;
    one.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, size_.layers};
    device_.vk.CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0,
                                  nullptr, 0, nullptr, 1, &one);
}

} // namespace vkmpi
