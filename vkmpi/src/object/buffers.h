// The library's own buffers: scratch memory of the device, and memory that both the device and the CPU see.
#pragma once

#include "context/vk.h"

#include <cstddef>
#include <memory>

namespace pixmpi {
class CardMemory;
} // namespace pixmpi

namespace vkmpi {

class VulkanDevice;

enum class Place {
    device, ///< as near to the GPU as can be
    host,   ///< mapped; cached by the CPU where there is such memory, coherent in any case
    near    ///< mapped, for the CPU to write only: of the device where it has such memory, coherent
};
constexpr std::size_t places = 3;

/// Counted as stage memory as long as it lives.
class Buffer {
  public:
    static constexpr VkBufferUsageFlags usage =
        VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    /// PIXMPI_ERR_MEMORY when the stage memory or Vulkan's is used up; `least`: see StageMemory::reserve().
    static Status make(VulkanDevice &device, Place place, std::size_t bytes, std::unique_ptr<Buffer> &buffer,
                       bool least = false);
    /// The same, not counted: memory of the device for surfaces, or what the program asked for.
    static Status make_scratch(VulkanDevice &device, std::size_t bytes, std::unique_ptr<Buffer> &buffer,
                               Place place = Place::device, VkBufferUsageFlags more_usage = 0);
    /// A window: where the device has a message queue its own memory, for both of its queues; else the host's. Where
    /// the CPU need not see it and CUDA is there, CUDA's (card()). Its bytes are not set.
    static Status make_window(VulkanDevice &device, std::size_t bytes, bool seen, std::unique_ptr<Buffer> &buffer);
    /// Stage memory of this process or another, as a buffer. `memory` is page aligned and stays until the buffer is
    /// gone (`owner` may keep it); it is not counted again.
    static Status import(VulkanDevice &device, std::byte *memory, std::size_t bytes, std::unique_ptr<Buffer> &buffer,
                         std::shared_ptr<const void> owner = nullptr);
    /// Memory of the device that other processes import; `descriptor` is the caller's.
    static Status make_exported(VulkanDevice &device, std::size_t bytes, std::unique_ptr<Buffer> &buffer,
                                int &descriptor);
    /// Memory that make_exported(), in any process, or CUDA has made. `descriptor` stays the caller's.
    static Status import(VulkanDevice &device, int descriptor, std::size_t bytes, std::unique_ptr<Buffer> &buffer);
    ~Buffer();
    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;

    VkBuffer name() const { return buffer_; }
    std::size_t bytes() const { return bytes_; }
    std::byte *mapped() const { return mapped_; }
    /// In memory of the device, which the CPU does not read.
    bool near() const { return near_; }
    /// What GPUs of other processes reach it by, or null.
    const std::shared_ptr<pixmpi::CardMemory> &card() const { return card_; }

  private:
    Buffer(VulkanDevice &device, std::size_t bytes) : device_(device), bytes_(bytes) {}
    static Status make(std::unique_ptr<Buffer> made, Place place, std::unique_ptr<Buffer> &buffer);
    static bool make_card_window(VulkanDevice &device, std::size_t bytes, std::unique_ptr<Buffer> &buffer);
    Status import(int descriptor);
    Status create(const void *next, VkMemoryRequirements &needs);
    Status allocate(const VkMemoryRequirements &needs, Place place, const void *next = nullptr);

    VulkanDevice &device_;
    const std::size_t bytes_;
    VkBufferUsageFlags usage_ = usage;
    bool counted_ = false, shared_ = false, near_ = false; ///< shared: by the device's two queues
    VkBuffer buffer_ = VK_NULL_HANDLE;
    VkDeviceMemory memory_ = VK_NULL_HANDLE;
    std::byte *mapped_ = nullptr;
    std::shared_ptr<pixmpi::CardMemory> card_;
    std::shared_ptr<const void> owner_; ///< of imported memory
};
/// Shaders work in words, and in the largest group of them that a device asks for.
constexpr std::size_t whole_groups(std::size_t bytes) { return (bytes + 255) / 256 * 256; }
inline std::size_t bytes_of(const std::unique_ptr<Buffer> &buffer) { return buffer->bytes(); }

} // namespace vkmpi
