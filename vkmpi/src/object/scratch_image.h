// An image for copies only. Copies between buffers and images know rows with gaps, copies between buffers know bytes
// only. So a rectangle of a buffer passes through this image where a copy for each of its rows would be dear.
#pragma once

#include "context/vk.h"

#include <algorithm>
#include <cstdint>
#include <memory>

namespace vkmpi {

class VulkanDevice;

class ScratchImage {
  public:
    struct Size {
        std::uint32_t width = 0, height = 0, layers = 0;
        bool holds(const Size &other) const {
            return other.width <= width && other.height <= height && other.layers <= layers;
        }
        std::uint64_t pixels() const { return std::uint64_t{width} * height * layers; }
    };
    /// Counted as stage memory as long as it lives. `unit`: bytes of a pixel, 1, 2, 4, 8 or 16; `least`: see
    /// StageMemory::reserve().
    static Status make(VulkanDevice &device, unsigned unit, const Size &size, std::unique_ptr<ScratchImage> &image,
                       bool least = false);
    ~ScratchImage();
    ScratchImage(const ScratchImage &) = delete;
    ScratchImage &operator=(const ScratchImage &) = delete;

    bool suits(unsigned unit, const Size &size) const { return unit == unit_ && size_.holds(size); }
    /// A size for both, or the other one alone where that is much less.
    Size grown(unsigned unit, const Size &other) const {
        const Size both{std::max(size_.width, other.width), std::max(size_.height, other.height),
                        std::max(size_.layers, other.layers)};
        return unit == unit_ && both.pixels() <= 2 * other.pixels() ? both : other;
    }
    /// Makes it ready to be written, with its content undefined, whatever was done to it before.
    void clear(VkCommandBuffer commands) const;
    VkImage name() const { return image_; }

  private:
    ScratchImage(VulkanDevice &device, unsigned unit, const Size &size) : device_(device), unit_(unit), size_(size) {}
    Status create(bool least);

    VulkanDevice &device_;
    const unsigned unit_;
    const Size size_;
    std::size_t counted_ = 0;
    VkImage image_ = VK_NULL_HANDLE;
    VkDeviceMemory memory_ = VK_NULL_HANDLE;
};

} // namespace vkmpi
