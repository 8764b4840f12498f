// Images and buffers of a test, filled and read by copy commands of the test.
#pragma once

#include "vk_rig_device.h"

namespace vk_rig {

struct Image {
    VkImage name = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    VkImageCreateInfo info{};
};

/// Which part of an image.
struct Place {
    std::uint32_t level = 0, layer = 0, slice = 0;
};

/// Of one level, layer and sample, optimal tiling, to be copied from and to.
VkImageCreateInfo image_2d(VkFormat format, int width, int height);
/// Whether the device has images like that.
bool exists(const Device &device, const VkImageCreateInfo &info);

Image make_image(Device &device, const VkImageCreateInfo &info);
Buffer make_buffer(Device &device, VkDeviceSize bytes, VkBufferUsageFlags usage, bool mapped);
void destroy(Device &device, Image &image);
void destroy(Device &device, Buffer &buffer);

VkImageSubresourceRange range_of(const Image &image, const Place &place);

/// Pixels as they travel in messages, rows without gaps, from pixel (0, 0) on. `aspect` as in vkMPI_Surface: what is
/// not in it keeps its bits when `before` is a layout that keeps them. The image is in `after` then.
void write(Device &device, const Image &image, const Place &place, pixMPI_Format format, VkImageAspectFlags aspect,
           int width, int height, const void *pixels, VkImageLayout before, VkImageLayout after);
/// The image is, and stays, in `layout`.
void read(Device &device, const Image &image, const Place &place, pixMPI_Format format, VkImageAspectFlags aspect,
          int width, int height, void *pixels, VkImageLayout layout);
void write(Device &device, const Buffer &buffer, const void *content);
void read(Device &device, const Buffer &buffer, void *content);

} // namespace vk_rig
