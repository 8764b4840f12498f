// One message's pixels between a Vulkan surface and stages: a batch of commands for each band.
#pragma once

#include "host/straight_copy.h"
#include "surface/surface.h"
#include "transfer/stages.h"

#include <chrono>
#include <deque>
#include <optional>

namespace vkmpi {

/// Between two images of a context (image_copy.cpp).
Status make_image_copy(std::span<const pixmpi::CopiesStraight::Ends> planes,
                       std::unique_ptr<pixmpi::StraightCopy> &copy);
/// Between the steps of one band.
void order_steps(const Vk &vk, VkCommandBuffer commands, bool shaders);

class VulkanTransfer final : public pixmpi::Transfer, AheadOwner {
  public:
    VulkanTransfer(Direction direction, std::shared_ptr<VulkanSurface> surface,
                   std::shared_ptr<const pixmpi::Region> region);
    ~VulkanTransfer() override;
    void start() override;
    void await() override;
    Status begin(std::uint64_t pixels) override;
    Status copy(std::uint64_t first, std::uint64_t count, pixmpi::Stage &stage, std::size_t offset,
                pixmpi::Ticket &ticket) override;
    Status combine(const pixmpi::Combination &how, pixmpi::Surface *depths, std::uint64_t first, std::uint64_t count,
                   pixmpi::Stage &stage, std::size_t offset, pixmpi::Ticket &ticket, bool &accepted) override;
    Status copy_both(pixmpi::Transfer &other, std::uint64_t first, std::uint64_t count, pixmpi::Stage &stage,
                     std::size_t offset, std::size_t others, pixmpi::Ticket &ticket, bool &accepted) override;
    void prepare(std::uint64_t first, std::uint64_t count, pixmpi::Stage &stage, std::size_t offset) override {
        prepare(band_of(first, count, stage, offset));
    }
    bool prepare_both(pixmpi::Transfer &other, std::uint64_t first, std::uint64_t count, pixmpi::Stage &stage,
                      std::size_t offset, std::size_t others) override;
    void prepare_combining(const pixmpi::Combination &how, std::uint64_t first, std::uint64_t count,
                           pixmpi::Stage &stage, std::size_t offset) override;
    Status poll(pixmpi::Ticket ticket, bool &over) override;
    Status end() override;
    void give_up() override;
    bool settled() override;

  private:
    struct BandWork {
        bool operator==(const BandWork &) const = default;
        std::uint64_t first = 0, count = 0;
        std::size_t bytes = 0;
        std::byte *host = nullptr; ///< where the CPU copies from or to; null: the stage is a buffer
        Span packed{};             ///< that buffer, or the batch's
        bool foreign = false;      ///< which other processes' queues use, too
        bool in_host_memory = true;
        bool same_gpu = false;           ///< another process fills it on this GPU
        pixmpi::ShaderCombination how{}; ///< without an operation: it replaces what is there
        VulkanSurface *depths = nullptr; ///< colours by depth: the other plane
    };
    struct Pending {
        Batch *batch = nullptr;
        pixmpi::Ticket ticket = 0; ///< of its last band
        std::byte *to = nullptr;   ///< pack: where the CPU copies the batch's pixels to, or null
        std::size_t bytes = 0;
    };
    /// A batch that has not been submitted.
    struct Open : Pending {
        VulkanSurface::State before, base_before; ///< of the surface, and of what it combines, if the batch is dropped
        VulkanSurface *second = nullptr;          ///< the other plane, and its state before
        VulkanSurface::State second_before;
        VulkanTransfer *joined = nullptr; ///< its transfer, where its bands are in the batch as well
        bool closes = false;              ///< the message's last band is in it
        pixmpi::Ticket since = 0;         ///< the last band before it
        std::optional<BandWork> prepared; ///< it holds this band, which nobody has asked for yet, and no other
    };

    /// A batch that waits on the queue for its band to come (transfer_ahead.cpp).
    struct Ahead {
        Batch *batch = nullptr; ///< or none
        std::optional<BandWork> band;
    };
    bool may_prepare() const;
    void prepare(const BandWork &band);
    /// Both bands may go into one batch.
    bool joins(VulkanTransfer &other, const BandWork &band, const BandWork &others) const;
    Status join(VulkanTransfer &other);
    Status record_both(const BandWork &band, VulkanTransfer &other, const BandWork &others);
    Status leave_joined();
    // What drivers that draw with the CPU gain by (transfer_software.cpp).
    bool shares_batch(const BandWork &band) const;
    /// Of a buffer: its rectangles go through a scratch image.
    bool is_stacked(const BandWork &band) const;
    /// Bytes of a scratch image's pixels that carry a buffer's rectangles; 0: without.
    unsigned block_unit(const Span &packed) const;
    const BandPlan &stacked_plan(const BandWork &band, unsigned unit) const;
    Status record_stacked(Batch &batch, const BandWork &band, unsigned unit);
    void stack(Batch &batch, const Stacking &plan, unsigned unit, const Span &packed);

    bool may_go_ahead(const BandWork &band) const;
    void go_ahead(const BandWork &band);
    Status adopt_ahead(pixmpi::Ticket &ticket);
    void let_go() override;
    void count_submitting(bool yes);

    Status record(Batch &batch, const BandWork &band);
    Status record_rows(Batch &batch, const BandWork &band, bool &recorded);
    Status record_buffer(Batch &batch, const BandWork &band);
    Status record_pixels(Batch &batch, const BandWork &band, bool &recorded);
    Status record_image(Batch &batch, const BandWork &band, const BandPlan &plan);
    Status link(Batch &batch, const BandPlan &plan, const Span &surface, const Span &packed, bool shaders);
    void copy_pieces(Batch &batch, Direction direction, const BandPlan &plan, VkImageAspectFlagBits aspect,
                     const Span &memory);
    Status move_depth_stencil(Batch &batch, Direction direction, const BandPlan &plan);
    PlanInput buffer_input() const;
    PlanInput image_input(const Span &packed) const;
    std::size_t scratch_bytes(const BandPlan &plan) const;
    Span scratch_pixels(const Batch &batch, const BandPlan &plan) const;
    BandWork band_of(std::uint64_t first, std::uint64_t count, pixmpi::Stage &stage, std::size_t offset) const;
    /// With `others`: the band of the transfer that has joined the open batch.
    Status process(BandWork band, const pixmpi::Stage &stage, pixmpi::Ticket &ticket, VulkanTransfer *other = nullptr,
                   const BandWork *others = nullptr);
    /// Of an image: by commands between it and the stage; by the packing shader.
    bool copied_directly(const BandWork &band) const;
    bool moved_by_shader(const BandWork &band) const;
    bool combined_by_shader(const BandWork &band) const;
    bool combined_in_buffer(const BandWork &band) const;
    bool nearest_by_shader(const BandWork &band) const;
    pixmpi::CombiningBand combining(const BandWork &band) const;
    Status record_combined(Batch &batch, const BandWork &band);
    Status open_batch(bool alone);
    Status carry(const BandWork &band);
    void count_band(const VulkanStage &stage);
    Status submit();
    void drop();
    Status collect();
    bool has_settled();
    bool has_patience();
    /// An empty batch that makes what the program was promised: waits, layout, signals.
    Status close();

    const Direction direction_;
    const std::shared_ptr<VulkanSurface> surface_;
    const std::shared_ptr<const pixmpi::Region> region_;
    VulkanDevice &device_;
    std::uint64_t pixels_ = 0;
    bool closed_ = true; ///< this message has made its last use of the surface
    std::optional<std::chrono::steady_clock::time_point> failing_since_; ///< close(), or the device
    std::uint64_t last_ = 0;                                             ///< number of the last batch
    bool settled_ = true;                                                ///< and whether that one is over
    pixmpi::Ticket bands_ = 0, over_ = 0; ///< of this message: recorded, and over; a band's number is its ticket
    Open open_;
    Status lost_ = PIXMPI_SUCCESS;        ///< why bands never came whose tickets the caller has
    VulkanTransfer *joined_to_ = nullptr; ///< whose open batch has bands of this one
    Ahead ahead_;
    bool ahead_failed_ = false;            ///< of this message, one had to be let go
    bool submitting_ = false;              ///< counted in the device's submitting
    std::optional<std::uint64_t> awaited_; ///< the device's vain_waits when await() was called
    std::deque<Pending> pending_;
    std::vector<VkBufferImageCopy> image_copies_, stack_copies_;
    std::vector<VkBufferCopy> buffer_copies_;
};

} // namespace vkmpi
