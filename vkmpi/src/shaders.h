// The compute shaders of the folder `shaders`, and how a batch runs them.
#pragma once

#include "plans.h"
#include "vk.h"

#include <cstddef>
#include <span>

namespace vkmpi {

class VulkanDevice;
struct Batch;

/// Part of a buffer.
struct Span {
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceSize offset = 0, bytes = 0;
};

/// Depths and stencils apart, and the pixels that they make together; whole multiples of four pixels.
struct DepthStencil {
    int mode; ///< of shaders/depth_stencil.comp
    Span depths, stencils, pixels;
    std::uint64_t count; ///< pixels
};

class Shaders {
  public:
    explicit Shaders(VulkanDevice &device) : device_(device) {}
    void destroy();

    /// Whether copy_links() can do these: offsets of 32 bits, buffers within the device's limits.
    bool can_copy(std::span<const Link> links, const Span &surface, const Span &packed) const;
    /// Packs from `surface` to `packed` or unpacks. The links' offsets count from the spans' beginnings.
    Status copy_links(Batch &batch, Direction direction, std::span<const Link> links, const Span &surface,
                      const Span &packed);
    /// pack: joins depths and stencils; unpack: takes pixels apart.
    Status depth_stencil(Batch &batch, Direction direction, const DepthStencil &parts);

  private:
    static constexpr int kinds = 4; ///< copy_segments, depth_stencil in its three modes
    struct Bound {
        VkDescriptorBufferInfo info;
        std::uint32_t rest; ///< bytes from the bound beginning to the span's
    };
    Status make_layout();
    Status pipeline(int kind, VkPipeline &pipeline);
    Bound bind(const Span &span) const;
    Status dispatch(Batch &batch, int kind, const VkDescriptorBufferInfo (&buffers)[3], std::uint32_t invocations,
                    void *sizes, std::size_t bytes, std::uint32_t &row);

    VulkanDevice &device_;
    VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
    VkPipelineLayout layout_ = VK_NULL_HANDLE;
    VkPipeline pipelines_[kinds] = {};
};

} // namespace vkmpi
