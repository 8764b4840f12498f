#include "vk.h"

#include <cstring>
#include <pixmpi.h>

namespace demo {

namespace {

constexpr VkBufferUsageFlags buffer_usage =
    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
constexpr VkImageSubresourceRange whole{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};

/// All that has been written is there for the host.
void barrier_to_host(VkCommandBuffer commands) {
    const VkMemoryBarrier all{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                              .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                              .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &all, 0,
                         nullptr, 0, nullptr);
}

} // namespace

Image::Image(const Gpu &gpu, int width, int height, VkFormat format)
    : gpu_(gpu), info_{.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                       .imageType = VK_IMAGE_TYPE_2D,
                       .format = format,
                       .extent = {static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height), 1},
                       .mipLevels = 1,
                       .arrayLayers = 1,
                       .samples = VK_SAMPLE_COUNT_1_BIT,
                       .tiling = VK_IMAGE_TILING_OPTIMAL,
                       .usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                VK_IMAGE_USAGE_TRANSFER_DST_BIT} {
    check_vk(vkCreateImage(gpu.device, &info_, nullptr, &image_), "making an image");
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(gpu.device, image_, &needs);
    memory_ = gpu.allocate(needs, false);
    check_vk(vkBindImageMemory(gpu.device, image_, memory_, 0), "giving memory to an image");
    const VkImageViewCreateInfo view{.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                     .image = image_,
                                     .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                     .format = format,
                                     .subresourceRange = whole};
    check_vk(vkCreateImageView(gpu.device, &view, nullptr, &view_), "making an image view");
    gpu.run([this](VkCommandBuffer commands) {
        const VkImageMemoryBarrier begin{.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                         .dstAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                         .newLayout = VK_IMAGE_LAYOUT_GENERAL,
                                         .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                         .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                         .image = image_,
                                         .subresourceRange = whole};
        vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0,
                             nullptr, 0, nullptr, 1, &begin);
        const VkClearColorValue zero{};
        vkCmdClearColorImage(commands, image_, VK_IMAGE_LAYOUT_GENERAL, &zero, 1, &whole);
    });
}

Image::~Image() {
    gpu_.finish(); // it may just be shown
    vkDestroyImageView(gpu_.device, view_, nullptr);
    vkDestroyImage(gpu_.device, image_, nullptr);
    vkFreeMemory(gpu_.device, memory_, nullptr);
}

Picture Image::picture() const {
    Picture result(width(), height());
    const Buffer buffer(gpu_, result.rgba.size(), true);
    gpu_.run([&](VkCommandBuffer commands) {
        const VkBufferImageCopy copy{.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                     .imageExtent = info_.extent};
        vkCmdCopyImageToBuffer(commands, image_, VK_IMAGE_LAYOUT_GENERAL, buffer.buffer(), 1, &copy);
        barrier_to_host(commands);
    });
    const std::size_t row = std::size_t{4} * info_.extent.width;
    for (std::size_t y = 0; y < info_.extent.height; ++y)
        std::memcpy(&result.rgba[(info_.extent.height - 1 - y) * row],
                    static_cast<const char *>(buffer.data()) + y * row, row);
    return result;
}

Buffer::Buffer(const Gpu &gpu, std::size_t bytes, bool host) : gpu_(gpu), bytes_(bytes) {
    const VkBufferCreateInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = bytes, .usage = buffer_usage};
    check_vk(vkCreateBuffer(gpu.device, &info, nullptr, &buffer_), "making a buffer");
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(gpu.device, buffer_, &needs);
    memory_ = gpu.allocate(needs, host);
    check_vk(vkBindBufferMemory(gpu.device, buffer_, memory_, 0), "giving memory to a buffer");
    if (host)
        check_vk(vkMapMemory(gpu.device, memory_, 0, VK_WHOLE_SIZE, 0, &data_), "mapping a buffer");
}

Buffer::~Buffer() {
    vkDestroyBuffer(gpu_.device, buffer_, nullptr);
    vkFreeMemory(gpu_.device, memory_, nullptr);
}

vkMPI_Surface Buffer::surface(pixMPI_Format format, int width, int height) const {
    vkMPI_Surface surface = vkMPI_Buffer(gpu_.context, buffer_, format, width, height);
    surface.buffer_usage = buffer_usage;
    surface.buffer_bytes = bytes_;
    return surface;
}

void Buffer::write(const void *from) const {
    const Buffer host(gpu_, bytes_, true);
    std::memcpy(host.data_, from, bytes_);
    gpu_.run([&](VkCommandBuffer commands) {
        const VkBufferCopy copy{0, 0, bytes_};
        vkCmdCopyBuffer(commands, host.buffer_, buffer_, 1, &copy);
    });
}

void Buffer::read(void *to) const {
    const Buffer host(gpu_, bytes_, true);
    gpu_.run([&](VkCommandBuffer commands) {
        const VkBufferCopy copy{0, 0, bytes_};
        vkCmdCopyBuffer(commands, buffer_, host.buffer_, 1, &copy);
        barrier_to_host(commands);
    });
    std::memcpy(to, host.data_, bytes_);
}

} // namespace demo
