// Ends in Vulkan.
#pragma once

#include "rig/ends.h"

#include <vk_rig_memory.h>

namespace api {

/// The device and context of this rank: made on first use, kept until the end.
vk_rig::Device &need_vulkan();
/// What the library calls Vulkan by: null, the loader, or the interposer where the ranks pretend to have the GPUs of
/// test_gpus.h, this one its own.
PFN_vkGetInstanceProcAddr vulkan_entry();
/// A device of this rank's, on its card.
vk_rig::Options rig_options();
/// Fails when the validation layers have said anything.
void check_silence(const char *file, int line, vk_rig::Device &device);
#define CHECK_SILENCE(device) api::check_silence(__FILE__, __LINE__, device)

/// A surface of Vulkan, and what it points to, for the time of a call.
struct VulkanAny {
    vkMPI_Surface surface;
    const vkMPI_Sync *sync = nullptr;
    operator pixMPI_Surface() const { return vkMPI_Any(&surface, sync); }
};

/// An image of RGBA8 or another format, with what is needed to name it as a surface. Filled and read without the
/// library.
class VulkanImage {
  public:
    /// `storage`: shaders may load and store its pixels as plain integers.
    VulkanImage(vk_rig::Device &device, pixMPI_Format format, int width, int height,
                VkImageLayout layout = VK_IMAGE_LAYOUT_GENERAL, bool storage = false);
    ~VulkanImage();
    VulkanImage(const VulkanImage &) = delete;

    /// All pixels; the image is in `layout` afterwards, whatever it was before.
    void write(const Bytes &pixels);
    /// The image is in `layout`.
    Bytes read() { return read(layout); }
    Bytes read(VkImageLayout now);
    Bytes fill(std::uint64_t seed);
    /// As a message of a surface that is in `layout`, and stays in it.
    vkMPI_Surface surface() const { return vkMPI_Image(device.context(), image.name, &image.info, layout); }
    /// Commands that clear it to one colour; it is in `layout`.
    void record_clear(VkCommandBuffer commands, std::uint32_t rgba8) const;

    vk_rig::Device &device;
    const pixMPI_Format format;
    const int width, height;
    const VkImageLayout layout;
    vk_rig::Image image;
};

} // namespace api
