#include "vk_rig_memory.h"

#include <bit>
#include <cstddef>
#include <cstring>

namespace vk_rig {
namespace {

/// What one copy command moves: pixels of one aspect, as Vulkan lays them out in buffers.
struct Part {
    VkImageAspectFlagBits aspect;
    std::size_t pixel_bytes;
    std::size_t offset = 0; ///< in the buffer that holds all of them
};

std::vector<Part> parts_of(pixMPI_Format format, VkImageAspectFlags aspect, std::size_t count) {
    std::vector<Part> parts;
    if (aspect & VK_IMAGE_ASPECT_DEPTH_BIT)
        parts.push_back({VK_IMAGE_ASPECT_DEPTH_BIT, format == PIXMPI_DEPTH16 ? 2u : 4u});
    if (aspect & VK_IMAGE_ASPECT_STENCIL_BIT)
        parts.push_back({VK_IMAGE_ASPECT_STENCIL_BIT, 1});
    if (parts.empty())
        parts.push_back({VK_IMAGE_ASPECT_COLOR_BIT, static_cast<std::size_t>(pixMPI_Format_bytes(format))});
    std::size_t at = 0;
    for (Part &part : parts) {
        part.offset = at;
        at += (part.pixel_bytes * count + 63) / 64 * 64;
    }
    return parts;
}

std::size_t bytes_of(const std::vector<Part> &parts, std::size_t count) {
    return parts.back().offset + (parts.back().pixel_bytes * count + 63) / 64 * 64;
}

/// 24-bit depths are the upper bits of a word in messages and the lower ones in Vulkan's buffers.
bool moves_bits(pixMPI_Format format) { return format == PIXMPI_DEPTH24 || format == PIXMPI_DEPTH24_STENCIL8; }

/// Vulkan's buffers have them as messages do.
bool are_alike(pixMPI_Format format, const std::vector<Part> &parts, std::size_t size) {
    return parts.size() == 1 && parts.front().pixel_bytes == size && !moves_bits(format);
}

void take_apart(pixMPI_Format format, const std::vector<Part> &parts, std::size_t count, const std::byte *pixels,
                std::byte *buffer) {
    const auto size = static_cast<std::size_t>(pixMPI_Format_bytes(format));
    if (are_alike(format, parts, size)) {
        std::memcpy(buffer, pixels, count * size);
        return;
    }
    for (const Part &part : parts)
        for (std::size_t i = 0; i < count; ++i) {
            std::byte *to = buffer + part.offset + i * part.pixel_bytes;
            const std::byte *from = pixels + i * size;
            if (part.aspect == VK_IMAGE_ASPECT_STENCIL_BIT) {
                *to = format == PIXMPI_DEPTH32F_STENCIL8 ? from[4] : from[0];
            } else if (moves_bits(format)) {
                std::uint32_t word;
                std::memcpy(&word, from, 4);
                word >>= 8;
                std::memcpy(to, &word, 4);
            } else {
                std::memcpy(to, from, part.pixel_bytes);
            }
        }
}

void join(pixMPI_Format format, const std::vector<Part> &parts, std::size_t count, const std::byte *buffer,
          std::byte *pixels) {
    const auto size = static_cast<std::size_t>(pixMPI_Format_bytes(format));
    if (are_alike(format, parts, size)) {
        std::memcpy(pixels, buffer, count * size);
        return;
    }
    std::memset(pixels, 0, count * size);
    for (const Part &part : parts)
        for (std::size_t i = 0; i < count; ++i) {
            const std::byte *from = buffer + part.offset + i * part.pixel_bytes;
            std::byte *to = pixels + i * size;
            if (part.aspect == VK_IMAGE_ASPECT_STENCIL_BIT) {
                std::byte &stencil = format == PIXMPI_DEPTH32F_STENCIL8 ? to[4] : to[0];
                stencil = stencil | *from;
            } else if (moves_bits(format)) {
                std::uint32_t word;
                std::memcpy(&word, from, 4);
                word <<= 8;
                std::memcpy(to, &word, 4);
            } else {
                std::memcpy(to, from, part.pixel_bytes);
            }
        }
}

std::vector<VkBufferImageCopy> copies(const std::vector<Part> &parts, const Place &place, int width, int height) {
    std::vector<VkBufferImageCopy> all;
    for (const Part &part : parts) {
        VkBufferImageCopy one{};
        one.bufferOffset = part.offset;
        one.imageSubresource = {static_cast<VkImageAspectFlags>(part.aspect), place.level, place.layer, 1};
        one.imageOffset.z = static_cast<std::int32_t>(place.slice);
        one.imageExtent = {static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height), 1};
        all.push_back(one);
    }
    return all;
}

} // namespace

VkDeviceMemory Device::allocate(const VkMemoryRequirements &needs, VkMemoryPropertyFlags wanted,
                                VkMemoryPropertyFlags better) {
    VkMemoryAllocateInfo made{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    made.allocationSize = std::bit_ceil(needs.size);
    made.memoryTypeIndex = memory_type(needs.memoryTypeBits, wanted, better);
    const std::lock_guard lock(memory_mutex_);
    Allocations &idle = idle_memory_[made.memoryTypeIndex];
    const auto found = idle.find(made.allocationSize);
    VkDeviceMemory memory = VK_NULL_HANDLE;
    if (found != idle.end()) {
        memory = found->second;
        idle.erase(found);
    } else {
        VK_NEED(vkAllocateMemory(info.device, &made, nullptr, &memory));
    }
    used_memory_[memory] = {made.memoryTypeIndex, made.allocationSize};
    return memory;
}

void Device::free(VkDeviceMemory memory) {
    constexpr VkDeviceSize largest = 16 << 20;
    constexpr std::size_t most = 64;
    const std::lock_guard lock(memory_mutex_);
    const auto used = used_memory_.find(memory);
    if (used == used_memory_.end()) // none
        return;
    const auto [type, bytes] = used->second;
    used_memory_.erase(used);
    Allocations &idle = idle_memory_[type];
    if (bytes <= largest && idle.size() < most)
        idle.emplace(bytes, memory);
    else
        vkFreeMemory(info.device, memory, nullptr);
}

void Device::free_all_memory() {
    vk_rig::destroy(*this, stage_);
    for (const auto &[type, idle] : std::exchange(idle_memory_, {}))
        for (const auto &[bytes, memory] : idle)
            vkFreeMemory(info.device, memory, nullptr);
}

VkImageCreateInfo image_2d(VkFormat format, int width, int height) {
    VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = format;
    info.extent = {static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height), 1};
    info.mipLevels = info.arrayLayers = 1;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.tiling = VK_IMAGE_TILING_OPTIMAL;
    info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    info.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
    info.initialLayout = VK_IMAGE_LAYOUT_UNDEFINED;
    return info;
}

bool exists(const Device &device, const VkImageCreateInfo &info) {
    VkImageFormatProperties properties{};
    return info.format != VK_FORMAT_UNDEFINED &&
           vkGetPhysicalDeviceImageFormatProperties(device.info.physical_device, info.format, info.imageType,
                                                    info.tiling, info.usage, info.flags, &properties) == VK_SUCCESS &&
           properties.maxArrayLayers >= info.arrayLayers && properties.maxMipLevels >= info.mipLevels &&
           (properties.sampleCounts & static_cast<VkSampleCountFlags>(info.samples));
}

Image make_image(Device &device, const VkImageCreateInfo &info) {
    Image image;
    image.info = info;
    VK_NEED(vkCreateImage(device.info.device, &info, nullptr, &image.name));
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(device.info.device, image.name, &needs);
    image.memory = device.allocate(needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    VK_NEED(vkBindImageMemory(device.info.device, image.name, image.memory, 0));
    return image;
}

Buffer make_buffer(Device &device, VkDeviceSize bytes, VkBufferUsageFlags usage, bool mapped) {
    Buffer buffer;
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = buffer.bytes = bytes;
    info.usage = usage;
    VK_NEED(vkCreateBuffer(device.info.device, &info, nullptr, &buffer.name));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device.info.device, buffer.name, &needs);
    // What no cache holds the CPU reads word by word.
    buffer.memory = mapped ? device.allocate(needs,
                                             VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                                             VK_MEMORY_PROPERTY_HOST_CACHED_BIT)
                           : device.allocate(needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    VK_NEED(vkBindBufferMemory(device.info.device, buffer.name, buffer.memory, 0));
    void *address = nullptr;
    if (mapped)
        VK_NEED(vkMapMemory(device.info.device, buffer.memory, 0, VK_WHOLE_SIZE, 0, &address));
    buffer.mapped = static_cast<std::byte *>(address);
    return buffer;
}

void destroy(Device &device, Image &image) {
    vkDestroyImage(device.info.device, image.name, nullptr);
    device.free(image.memory);
    image = {};
}

void destroy(Device &device, Buffer &buffer) {
    vkDestroyBuffer(device.info.device, buffer.name, nullptr);
    if (buffer.mapped)
        vkUnmapMemory(device.info.device, buffer.memory);
    device.free(buffer.memory);
    buffer = {};
}

Buffer &Device::stage(VkDeviceSize bytes) {
    if (stage_.bytes < bytes) {
        vk_rig::destroy(*this, stage_);
        stage_ = make_buffer(*this, std::bit_ceil(bytes),
                             VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, true);
    }
    return stage_;
}

VkImageSubresourceRange range_of(const Image &image, const Place &place) {
    return {vkMPI_Aspects_of(image.info.format), place.level, 1, place.layer, 1};
}

void write(Device &device, const Image &image, const Place &place, pixMPI_Format format, VkImageAspectFlags aspect,
           int width, int height, const void *pixels, VkImageLayout before, VkImageLayout after) {
    const std::size_t count = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    const std::vector<Part> parts = parts_of(format, aspect, count);
    Buffer &from = device.stage(bytes_of(parts, count));
    take_apart(format, parts, count, static_cast<const std::byte *>(pixels), from.mapped);
    const auto all = copies(parts, place, width, height);
    device.run([&](VkCommandBuffer commands) {
        const VkImageSubresourceRange range = range_of(image, place);
        change_layout(commands, image.name, range, before, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
        vkCmdCopyBufferToImage(commands, from.name, image.name, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                               static_cast<std::uint32_t>(all.size()), all.data());
        change_layout(commands, image.name, range, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, after);
    });
}

void read(Device &device, const Image &image, const Place &place, pixMPI_Format format, VkImageAspectFlags aspect,
          int width, int height, void *pixels, VkImageLayout layout) {
    const std::size_t count = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    const std::vector<Part> parts = parts_of(format, aspect, count);
    Buffer &to = device.stage(bytes_of(parts, count));
    const auto all = copies(parts, place, width, height);
    device.run([&](VkCommandBuffer commands) {
        const VkImageSubresourceRange range = range_of(image, place);
        change_layout(commands, image.name, range, layout, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
        vkCmdCopyImageToBuffer(commands, image.name, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, to.name,
                               static_cast<std::uint32_t>(all.size()), all.data());
        change_layout(commands, image.name, range, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, layout);
        order_all(commands);
    });
    join(format, parts, count, to.mapped, static_cast<std::byte *>(pixels));
}

void write(Device &device, const Buffer &buffer, const void *content) {
    Buffer &from = device.stage(buffer.bytes);
    std::memcpy(from.mapped, content, static_cast<std::size_t>(buffer.bytes));
    device.run([&](VkCommandBuffer commands) {
        const VkBufferCopy all{0, 0, buffer.bytes};
        order_all(commands);
        vkCmdCopyBuffer(commands, from.name, buffer.name, 1, &all);
        order_all(commands);
    });
}

void read(Device &device, const Buffer &buffer, void *content) {
    Buffer &to = device.stage(buffer.bytes);
    device.run([&](VkCommandBuffer commands) {
        const VkBufferCopy all{0, 0, buffer.bytes};
        order_all(commands);
        vkCmdCopyBuffer(commands, buffer.name, to.name, 1, &all);
        order_all(commands);
    });
    std::memcpy(content, to.mapped, static_cast<std::size_t>(buffer.bytes));
}

} // namespace vk_rig
