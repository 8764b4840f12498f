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
    /// Moves the pieces' pixels between an image of plain integers, in the layout GENERAL, and `packed`. `words` of a
    /// pixel: 1, 2 or 4; the view has integer_view(words) as its format.
    Status move_pieces(Batch &batch, Direction direction, VkImageView view, int words,
                       std::span<const ImagePiece> pieces, std::uint64_t pixels, const Span &packed);
    static VkFormat integer_view(int words);
    /// pack: joins depths and stencils; unpack: takes pixels apart.
    Status depth_stencil(Batch &batch, Direction direction, const DepthStencil &parts);

  private:
    static constexpr int kinds = 10; ///< copy_segments, depth_stencil in its three modes, pack_image both ways
    struct Bound {
        VkDescriptorBufferInfo info;
        std::uint32_t rest; ///< bytes from the bound beginning to the span's
    };
    Status make_layout();
    Status pipeline(int kind, VkPipeline &pipeline);
    Bound bind(const Span &span) const;
    struct Use {
        int kind;
        const VkDescriptorBufferInfo *buffers;
        std::uint32_t buffer_count;
        VkImageView view; ///< or null
        std::uint32_t invocations;
    };
    Status bind_set(Batch &batch, const Use &use);
    /// `row` is part of `sizes`: the invocations in a row of workgroups.
    Status dispatch(Batch &batch, const Use &use, void *sizes, std::size_t bytes, std::uint32_t &row);

    VulkanDevice &device_;
    VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
    VkPipelineLayout layout_ = VK_NULL_HANDLE;
    VkPipeline pipelines_[kinds] = {};
};

} // namespace vkmpi
