// One message's pixels between a Vulkan surface and stages: a batch of commands for each band.
#pragma once

#include "stages.h"
#include "surface.h"

#include <deque>

namespace vkmpi {

class VulkanTransfer final : public pixmpi::Transfer {
  public:
    VulkanTransfer(Direction direction, std::shared_ptr<VulkanSurface> surface,
                   std::shared_ptr<const pixmpi::Region> region);
    ~VulkanTransfer() override;
    void start() override;
    Status begin(std::uint64_t pixels) override;
    Status copy(std::uint64_t first, std::uint64_t count, pixmpi::Stage &stage, std::size_t offset,
                pixmpi::Ticket &ticket) override;
    Status poll(pixmpi::Ticket ticket, bool &over) override;
    Status end() override;
    void abandon() override;
    bool settled() override;

  private:
    struct Band {
        std::uint64_t first, count;
        std::size_t bytes;
        std::byte *host; ///< where the CPU copies from or to; null: the stage is a buffer
        Span packed;     ///< that buffer, or the batch's
        bool foreign;    ///< which other processes' queues use, too
        bool in_host_memory;
    };
    struct Pending {
        Batch *batch;
        std::byte *to; ///< pack: where the CPU copies the batch's pixels to, or null
        std::size_t bytes;
    };

    Status record(Batch &batch, const Band &band);
    Status record_buffer(Batch &batch, const Band &band);
    Status record_pixels(Batch &batch, const Band &band, bool &recorded);
    Status record_image(Batch &batch, const Band &band, const BandPlan &plan);
    Status link(Batch &batch, const BandPlan &plan, const Span &surface, const Span &packed, bool shaders);
    void copy_pieces(Batch &batch, Direction direction, const BandPlan &plan, VkImageAspectFlagBits aspect,
                     const Span &memory);
    Status move_depth_stencil(Batch &batch, Direction direction, const BandPlan &plan);
    PlanInput image_input(const Span &packed) const;
    std::size_t scratch_bytes(const BandPlan &plan) const;
    Span scratch_pixels(const Batch &batch, const BandPlan &plan) const;
    Status submit(Batch &batch, bool last);
    /// An empty batch that makes what the program was promised: waits, layout, signals.
    Status close();

    const Direction direction_;
    const std::shared_ptr<VulkanSurface> surface_;
    const std::shared_ptr<const pixmpi::Region> region_;
    VulkanDevice &device_;
    std::uint64_t pixels_ = 0;
    bool closed_ = true; ///< this message has made its last use of the surface
    std::uint64_t last_ = 0;
    std::deque<Pending> pending_;
    std::vector<VkBufferImageCopy> image_copies_;
    std::vector<VkBufferCopy> buffer_copies_;
};

} // namespace vkmpi
