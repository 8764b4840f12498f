// The compute shaders of the folder `shaders`, and how a batch runs them.
#pragma once

#include "combine/for_shader.h"
#include "context/vk.h"
#include "device/passes.h"
#include "plan/plans.h"
#include "region/combining_band.h"
#include "shader/vk_work_lists.h"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>

namespace vkmpi {

class VulkanDevice;
struct Batch;

/// Part of a buffer.
struct Span {
    bool operator==(const Span &) const = default;
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceSize offset = 0, bytes = 0;
};

/// Depths and stencils apart, and the pixels that they make together; whole multiples of four pixels.
struct DepthStencil {
    int mode; ///< of shaders/depth_stencil.comp
    Span depths, stencils, pixels;
    std::uint64_t count; ///< pixels
};

/// How a shader gets at an image's pixels; `depths`: fetches them as such. None: at those of a buffer.
enum class Access { none, storage, fetch, depths };

/// A band of a surface, for the shader.
struct Pixels {
    VkImageView view; ///< of the format integer_view(pixel_bytes), or of depths, in the layout GENERAL; of buffers none
    Access access;
    int pixel_bytes;
    pixmpi::ShaderCombination how{};   ///< unpacking: with the pixels that are there; no operation: replaces them
    Span rows{};                       ///< of a buffer, in the place of an image, or with `laid`
    std::uint32_t row_bytes = 0;       ///< from row to row there
    VkImageView base = VK_NULL_HANDLE; ///< combining: of an image whose pixels stand for those of `view`; or null
    std::optional<VkOffset2D> copied{}; ///< unpacking: from `base`, so far from their place; there is no band
    /// Between an image and `rows`, in either direction, and there is no band: how far pixels of the image lie from
    /// those of the rows.
    std::optional<VkOffset2D> laid{};
};

class Shaders {
  public:
    explicit Shaders(VulkanDevice &device) : device_(device), lists_(device) {}
    void destroy();

    /// Whether copy_links() can do these: offsets of 32 bits, buffers within the device's limits.
    bool can_copy(std::span<const Link> links, const Span &surface, const Span &packed) const;
    /// Packs from `surface` to `packed` or unpacks. The links' offsets count from the spans' beginnings.
    Status copy_links(Batch &batch, Direction direction, std::span<const Link> links, const Span &surface,
                      const Span &packed);
    /// Whether what is bound for these bytes begins with them, and not before.
    bool is_bound_alone(const Span &span) const { return bind(span).rest == 0; }
    /// Whether move_pixels() can reach these bytes.
    bool can_move(const Span &packed, int pixel_bytes) const;
    /// The same for rows of pixels in a buffer.
    bool can_move_rows(const Span &rows, std::uint64_t row_bytes, const Span &packed, int pixel_bytes) const;
    /// Moves the packed pixels [first, first + count) of a region between a surface and `packed`. Nothing has been
    /// recorded when `moved` is false.
    Status move_pixels(Batch &batch, Direction direction, const Pixels &pixels,
                       const std::shared_ptr<const pixmpi::Region> &region, std::uint64_t first, std::uint64_t count,
                       const Span &packed, bool &moved);
    /// Compiles a user's operation for such pixels, if it has not been yet; `possible` is false where there is no
    /// compiler. PIXMPI_ERR_ARGUMENT: its GLSL is wrong.
    Status compile_user(const Pixels &pixels, const std::shared_ptr<const pixmpi::UserOperation> &user, bool &possible);
    /// Plain integers of that many bytes; VK_FORMAT_UNDEFINED when the shader has none.
    static VkFormat integer_view(int pixel_bytes);
    /// A pass other than a copy; its stages are of this device.
    Status run(Batch &batch, const pixmpi::Pass &pass);
    /// Work lists that the batch was to write, which is not submitted.
    void forget_lists(const Batch &batch) { lists_.forget(batch); }
    /// Those that are kept: for want of memory.
    void drop_lists() { lists_.clear(); }
    /// pack: joins depths and stencils; unpack: takes pixels apart.
    Status depth_stencil(Batch &batch, Direction direction, const DepthStencil &parts);
    /// Whether combine() can reach these.
    bool can_combine(const pixmpi::CombiningBand &band) const;
    /// Combines a band in `incoming` with pixels and, if it has them, depths in buffers.
    Status combine(Batch &batch, const pixmpi::CombiningBand &band, const Span &pixels, const Span &depths,
                   const Span &incoming);
    /// A dispatch that waits for answers: shaders/running.comp.
    Status run_waiting(Batch &batch, std::span<const Span, 3> buffers, std::uint32_t turns, std::uint32_t looks);

  private:
    /// A shader and its constants.
    struct Kind {
        int code; ///< of shader_codes.h
        std::array<std::uint32_t, 4> constants{};
        std::uint64_t user = 0; ///< the number of the user's operation that it is for
        int pixel_bytes = 0;    ///< of such a one in buffers
        auto operator<=>(const Kind &) const = default;
    };
    struct Bound {
        VkDescriptorBufferInfo info;
        std::uint32_t rest; ///< bytes from the bound beginning to the span's
    };
    Status make_layout();
    static Kind image_kind(Direction direction, const Pixels &pixels);
    static Kind buffer_kind(const pixmpi::ShaderCombination &how, int pixel_bytes);
    Status pipeline(const Kind &kind, VkPipeline &pipeline);
    Status make_pipeline(const Kind &kind, std::span<const std::uint32_t> code, VkPipeline &made);
    /// Those of users' operations that are no more.
    void drop_pipelines();
    Bound bind(const Span &span) const;
    /// A buffer that is never read.
    Status bind_nothing(VkDescriptorBufferInfo &info);
    Status upload(Batch &batch, const pixmpi::CombiningList &list, VkDescriptorBufferInfo &uploaded);
    struct Use {
        Kind kind;
        const VkDescriptorBufferInfo *buffers;
        std::uint32_t buffer_count;
        VkImageView view; ///< or null
        Access access;
        std::uint32_t groups;
        VkImageView base = VK_NULL_HANDLE; ///< or null
    };
    Status bind_set(Batch &batch, const Use &use);
    Status launch(Batch &batch, const Use &use, const void *sizes, std::size_t bytes, std::uint32_t across,
                  std::uint32_t down);
    /// `row` is part of `sizes`: the workgroups in a row, times `in_group`.
    Status dispatch(Batch &batch, const Use &use, void *sizes, std::size_t bytes, std::uint32_t &row,
                    std::uint32_t in_group);

    VulkanDevice &device_;
    WorkLists lists_;
    std::unique_ptr<Buffer> nothing_; ///< in the place of a list or depths, where there are none
    VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
    VkPipelineLayout layout_ = VK_NULL_HANDLE;
    std::map<Kind, VkPipeline> pipelines_;
    std::map<std::uint64_t, std::weak_ptr<const pixmpi::UserOperation>> users_; ///< by number, that have pipelines
};

} // namespace vkmpi
