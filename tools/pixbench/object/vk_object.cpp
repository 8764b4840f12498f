#include "object/vk_object.h"

#include <algorithm>
#include <cstring>

using demo::check_vk;

namespace {

constexpr int brush_side = 16;
constexpr std::size_t brushes = 64;

/// Copies of depths take it.
bool queue_has_graphics(const demo::Gpu &gpu) {
    vkMPI_Context_info info = VKMPI_CONTEXT_INFO_INIT;
    check(vkMPI_Context_get_info(gpu.context, &info));
    std::uint32_t count = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(gpu.physical_device, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    vkGetPhysicalDeviceQueueFamilyProperties(gpu.physical_device, &count, families.data());
    return families[info.queue_family].queueFlags & VK_QUEUE_GRAPHICS_BIT;
}

} // namespace

VkObject::VkObject(const demo::Gpu &gpu, const Shape2D &shape) : Object(shape), gpu_(gpu) {}

VkObject::~VkObject() {
    vkQueueWaitIdle(gpu_.queue);
    for (VkCommandBuffer commands : {reading_.commands, writing_.commands})
        if (commands)
            vkFreeCommandBuffers(gpu_.device, gpu_.pool, 1, &commands);
    vkDestroyFence(gpu_.device, done_, nullptr);
    vkDestroyImage(gpu_.device, image_, nullptr);
    vkFreeMemory(gpu_.device, image_memory_, nullptr);
}

std::string VkObject::make(bool buffer) {
    if (buffer) {
        buffer_.emplace(gpu_, bytes());
        surface_ = buffer_->surface(format, width, height);
    } else if (std::string problem = make_image(); !problem.empty()) {
        return problem;
    }
    staging_.emplace(gpu_, bytes(), true);
    make_commands();
    return "";
}

std::string VkObject::make_image() {
    const std::string wish = std::string("--format: ") + pixMPI_Format_name(format);
    VkImageCreateInfo info{.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                           .imageType = VK_IMAGE_TYPE_2D,
                           .format = vkMPI_Format_to_vulkan(format),
                           .extent = {static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height), 1},
                           .mipLevels = 1,
                           .arrayLayers = 1,
                           .samples = VK_SAMPLE_COUNT_1_BIT,
                           .tiling = VK_IMAGE_TILING_OPTIMAL,
                           .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT};
    VkFormatProperties able{};
    VkImageFormatProperties limits{};
    vkGetPhysicalDeviceFormatProperties(gpu_.physical_device, info.format, &able);
    if (able.optimalTilingFeatures & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT)
        info.usage |= VK_IMAGE_USAGE_SAMPLED_BIT;
    if (able.optimalTilingFeatures & VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT) { // as what shaders draw to
        info.usage |= VK_IMAGE_USAGE_STORAGE_BIT;
        info.flags |= VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT;
    }
    if (vkGetPhysicalDeviceImageFormatProperties(gpu_.physical_device, info.format, info.imageType, info.tiling,
                                                 info.usage, info.flags, &limits) != VK_SUCCESS)
        return wish + " is no format of this device's images";
    if (info.extent.width > limits.maxExtent.width || info.extent.height > limits.maxExtent.height)
        return "--size: this device's images have at most " + std::to_string(limits.maxExtent.width) + "x" +
               std::to_string(limits.maxExtent.height) + " pixels";
    if (vkMPI_Image(gpu_.context, {}, &info, {}).aspect != VK_IMAGE_ASPECT_COLOR_BIT && format != PIXMPI_DEPTH32F)
        return wish + " takes more than a copy command by hand, expected a colour or DEPTH32F";
    if (format == PIXMPI_DEPTH32F && !queue_has_graphics(gpu_))
        return wish + " takes a queue with graphics, see PIXMPI_VK_QUEUE";

    check_vk(vkCreateImage(gpu_.device, &info, nullptr, &image_), "making an image");
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(gpu_.device, image_, &needs);
    image_memory_ = gpu_.allocate(needs, false);
    check_vk(vkBindImageMemory(gpu_.device, image_, image_memory_, 0), "giving memory to an image");
    surface_ = vkMPI_Image(gpu_.context, image_, &info, VK_IMAGE_LAYOUT_GENERAL);
    gpu_.run([&](VkCommandBuffer commands) {
        const VkImageMemoryBarrier begin{.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                         .dstAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                         .newLayout = VK_IMAGE_LAYOUT_GENERAL,
                                         .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                         .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                         .image = image_,
                                         .subresourceRange = {surface_.aspect, 0, 1, 0, 1}};
        vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0,
                             nullptr, 0, nullptr, 1, &begin);
    });
    return "";
}

void VkObject::make_commands() {
    VkCommandBufferAllocateInfo one{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                    .commandPool = gpu_.pool,
                                    .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                    .commandBufferCount = 1};
    for (Recording *recording : {&reading_, &writing_})
        check_vk(vkAllocateCommandBuffers(gpu_.device, &one, &recording->commands), "making a command buffer");
    const VkFenceCreateInfo fence{.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    check_vk(vkCreateFence(gpu_.device, &fence, nullptr, &done_), "making a fence");
    touching_.emplace(gpu_, false);
    brush_.emplace(gpu_, brushes * brush_bytes(), true);
    for (std::size_t i = 0; i < brushes; ++i)
        std::memset(static_cast<std::byte *>(brush_->data()) + i * brush_bytes(), static_cast<int>(i), brush_bytes());
}

End VkObject::end() { return End(vkMPI_Any(&surface_, nullptr)); }

bool VkObject::make_own_memory(std::size_t size) {
    own_.emplace(gpu_, size, true);
    own_commands_.emplace(gpu_);
    return true;
}

void VkObject::to_or_from_own(Way way, pixMPI_Rect rect, std::size_t at) {
    if (!open_)
        open_ = own_commands_->begin();
    copy(open_, way, {&rect, 1}, own_->buffer(), at);
}

void VkObject::finish() {
    if (open_)
        own_commands_->submit();
    open_ = {};
    check_vk(vkQueueWaitIdle(gpu_.queue), "waiting for the queue");
}

std::size_t VkObject::brush_bytes() const {
    return std::size_t{brush_side} * brush_side * static_cast<std::size_t>(pixel_bytes);
}

void VkObject::touch(int frame) {
    const int wide = std::min(width, brush_side), high = std::min(height, brush_side);
    const pixMPI_Rect rect = {frame % (width - wide + 1), 0, wide, high};
    const VkCommandBuffer commands = touching_->begin();
    copy(commands, Way::in, {&rect, 1}, brush_->buffer(), static_cast<std::size_t>(frame) % brushes * brush_bytes());
    touching_->submit();
}
