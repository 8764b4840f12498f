// Vulkan images and buffers as surfaces: what the program said of them, the semaphores of the message that is under
// way, and the layout that the image has now.
#pragma once

#include "device/vulkan_device.h"

#include <array>

namespace vkmpi {

/// The program's vkMPI_Sync, kept.
struct Sync {
    Semaphores waits, signals;
    /// Replaces what was there. Null: nothing. PIXMPI_ERR_ARGUMENT for counts without arrays.
    static Status read(const vkMPI_Sync *given, Sync &sync);
    void clear() {
        waits.clear();
        signals.clear();
    }
};

/// Whether depths and stencils have separate layouts and owners.
inline bool has_separate_stencil(const vkMPI_Surface &image) {
    constexpr VkImageAspectFlags both = VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
    return image.separate_stencil && vkMPI_Aspects_of(image.format) == both;
}

/// Those of an image: of all its aspects, or of the depths and of the stencils.
struct Layouts {
    VkImageLayout all = VK_IMAGE_LAYOUT_UNDEFINED, stencil = VK_IMAGE_LAYOUT_UNDEFINED;
};

class VulkanSurface final : public pixmpi::Surface, pixmpi::Promises {
  public:
    VulkanSurface(std::shared_ptr<VulkanDevice> device, const vkMPI_Surface &named, pixMPI_Format format,
                  pixmpi::Extent extent);
    ~VulkanSurface() override;
    /// A separate buffer.
    static Status make(std::shared_ptr<VulkanDevice> device, pixMPI_Format format, pixmpi::Extent extent,
                       std::shared_ptr<pixmpi::Surface> &surface);

    VulkanDevice &vulkan() const { return static_cast<VulkanDevice &>(*device); }
    bool is_image() const { return named.kind == VKMPI_IMAGE; }
    /// Depths and stencils that have to be joined, or depths that have to be shifted: the mode of
    /// shaders/depth_stencil.comp, or -1.
    int depth_stencil_mode() const;
    /// Bytes of a pixel in a copy command of one aspect.
    int aspect_bytes(VkImageAspectFlagBits aspect) const;
    /// What the copy commands move: (0, 0) is the surface's.
    VkBufferImageCopy image_copy(const pixMPI_Rect &rect, VkDeviceSize offset, VkImageAspectFlags aspect) const;
    /// Of a buffer, from pixel (0, 0) to the end of the last.
    Span span() const;
    /// Of a buffer: whether shaders may access all words of it.
    bool shaders_may() const;
    /// Of an image: how shaders can access its pixels as plain integers, or depths as they are stored.
    Access access(Direction direction) const;
    /// A view for that, made on first use; it lives as long as the surface.
    Status integer_view(Access access, VkImageView &view);

    std::shared_ptr<pixmpi::Surface> again() const override;
    void make_frame(std::shared_ptr<pixmpi::Surface> &opening,
                    std::shared_ptr<pixmpi::Surface> &closing) const override;
    void hand_over(pixmpi::Surface &opening, pixmpi::Surface &closing) override;
    bool has_promises() const override;
    void drop_promises() override { expect({}, 1); }

    /// The next message is `uses` ends of messages: 2 for one that replaces what it sends.
    void expect(Sync sync, int uses);
    /// An end of a message starts; without expect() before, one that has no semaphores.
    void start();
    /// What changes from band to band, for a band that could not be submitted, or a start that has failed.
    struct State {
        Sync sync;
        int uses = 1, starts = 0;
        bool entered = false;
        VkAccessFlags last_access = 0;
        Layouts layouts;
        bool written = false; ///< by copies, or by shaders
    };
    State save() const { return state_; }
    /// What expect() said is still to come.
    bool awaits_start() const { return state_.starts > 0; }
    void restore(State state) { state_ = std::move(state); }
    /// Records what makes the surface ready for copies in that direction, whatever was done to it before. `exclusive`:
    /// it reads what earlier copies of this message have written, or the other way round.
    void enter(Batch &batch, VkAccessFlags access, bool exclusive);
    /// The layout that enter() left the image in.
    VkImageLayout layout() const { return state_.layouts.all; }
    /// Whether the other end of a message that replaces what it sends may also record commands, which are submitted in
    /// between.
    bool is_shared() const { return state_.uses > 1; }
    /// One end is over. True for the last one: leave() has to be recorded, in a batch that signals signals().
    bool last_use() { return --state_.uses <= 0; }
    void leave(Batch &batch);
    /// No copy has entered it, or nobody but the library looks at it, and the program expects nothing of a batch: none
    /// is needed.
    bool has_nothing_to_leave() const { return (!state_.entered || is_scratch) && !is_shared() && !has_promises(); }
    /// To be waited for by the first batch, which claims them; to be signalled by the last one.
    Semaphores claim_waits();
    Semaphores claim_signals();

    const vkMPI_Surface named;
    bool is_scratch = false; ///< memory of the library's own, which no program and no other device sees
    const pixmpi::Extent full; ///< of the object, whatever rectangle of it the surface is
    /// Of combine_onto(): the image whose pixels are combined with what arrives; null: this one.
    std::shared_ptr<VulkanSurface> base;

  private:
    void acquire(Batch &batch);
    Layouts before() const { return {named.layout, named.stencil_layout}; }
    Layouts after() const { return {named.layout_after, named.stencil_layout_after}; }
    /// The layout of what a message moves.
    VkImageLayout of_moved(const Layouts &layouts) const;
    bool changes_layout() const;
    bool needs_only_showing() const;
    void barrier(Batch &batch, VkPipelineStageFlags from_stage, VkAccessFlags from_access,
                 VkPipelineStageFlags to_stage, VkAccessFlags to_access, const Layouts &from, const Layouts &to,
                 std::uint32_t from_family, std::uint32_t to_family) const;

    State state_;
    std::unique_ptr<Buffer> own_; ///< of scratch memory
    using Views = std::array<std::shared_ptr<const ImageView>, 2>; ///< to sample from, and to store to
    std::shared_ptr<Views> views_ = std::make_shared<Views>(); ///< those of the surface that it is again, or its own
};

/// Checks what the program named, for a message in that direction (of both, when it is replaced: call it twice).
Status resolve(const vkMPI_Surface &named, Direction direction, std::shared_ptr<pixmpi::Surface> &surface);
/// The same where the context may belong to another thread: the surface is used in the calls of that one.
Status resolve_anywhere(const vkMPI_Surface &named, Direction direction, std::shared_ptr<pixmpi::Surface> &surface);

} // namespace vkmpi
