// Views of images as plain integers, or as depths, for the packing shaders. A GPU begins a submission 12 microseconds
// later where a view is new, so views are kept from message to message. Nobody says when the program destroys an image,
// and the next one may get its handle: so a number is attached to each image as private data, which goes with it. Where
// the program has not enabled that feature, each surface has a view of its own.
#pragma once

#include "context/vk.h"
#include "vkmpi.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace vkmpi {

class VulkanDevice;

/// Destroyed when nobody has it, and when the batches that use it are over.
class ImageView {
  public:
    explicit ImageView(VulkanDevice &device) : device_(device) {}
    ~ImageView();
    ImageView(const ImageView &) = delete;
    ImageView &operator=(const ImageView &) = delete;
    VkImageView name() const { return name_; }

  private:
    friend class ImageViews;
    VulkanDevice &device_;
    VkImageView name_ = VK_NULL_HANDLE;
};

class ImageViews {
  public:
    explicit ImageViews(VulkanDevice &device) : device_(device) {}
    Status open();
    void destroy();
    /// Of a level and layer of the surface's image.
    Status get(const vkMPI_Surface &surface, VkFormat format, VkImageUsageFlags usage,
               std::shared_ptr<const ImageView> &view);

  private:
    static constexpr std::size_t most = 128;
    struct What {
        std::uint64_t image; ///< its number
        std::uint32_t level, layer;
        VkImageAspectFlags aspect;
        VkFormat format;
        VkImageUsageFlags usage;
        bool operator==(const What &) const = default;
    };
    struct Kept {
        What what;
        std::shared_ptr<const ImageView> view;
        std::uint64_t used; ///< when, counted in uses
    };
    std::uint64_t number_of(VkImage image);
    void keep(const What &what, const std::shared_ptr<const ImageView> &view);

    VulkanDevice &device_;
    VkPrivateDataSlotEXT slot_ = VK_NULL_HANDLE;
    std::uint64_t images_ = 0, uses_ = 0;
    std::vector<Kept> kept_;
};

} // namespace vkmpi
