// Copies between two images of one context, by a shader that reads one and writes the other: one submission instead of
// two, and the pixels pass the memory twice instead of four times.
#include "transfer/transfer.h"

#include <algorithm>
#include <chrono>
#include <optional>

namespace vkmpi {

using namespace pixmpi;

namespace {

/// How far the rectangles of `from` lie from those of `to`: all as far, else none.
std::optional<VkOffset2D> shift_of(const Region &from, const Region &to) {
    if (to.rects.empty() || from.rects.size() != to.rects.size())
        return {};
    const VkOffset2D shift{from.rects.front().x - to.rects.front().x, from.rects.front().y - to.rects.front().y};
    const auto lies_so = [&](const pixMPI_Rect &there, pixMPI_Rect here) {
        here.x += shift.x;
        here.y += shift.y;
        return same(there, here);
    };
    const bool all = std::equal(from.rects.begin(), from.rects.end(), to.rects.begin(), lies_so);
    return all ? std::optional(shift) : std::nullopt;
}

class ImageCopy final : public StraightCopy {
  public:
    ImageCopy(std::shared_ptr<VulkanSurface> from, std::shared_ptr<VulkanSurface> to)
        : from_(std::move(from)), to_(std::move(to)), device_(to_->vulkan()) {}
    ~ImageCopy() override {
        constexpr double patience = 2;
        if (batch_ && !over_)
            device_.batches.wait(number_, patience);
        if (batch_)
            device_.batches.release(*batch_); // it is used again when it is over
    }
    ImageCopy(const ImageCopy &) = delete;
    ImageCopy &operator=(const ImageCopy &) = delete;

    /// What the program was promised for a surface needs other steps, in an order of their own.
    bool is_possible(const Region &region) const {
        const auto stores = [](const VulkanSurface &one) {
            return one.access(Direction::unpack) == Access::storage && !one.watch && !one.base && !one.has_promises() &&
                   !one.is_shared();
        };
        return device_.shader_packs && stores(*from_) && stores(*to_) && from_->named.image != to_->named.image &&
               device_.shaders.can_move({}, to_->pixel_bytes) && has_work_list(region, region.pixels);
    }
    /// `begun` is false where nothing has happened.
    Status begin(const std::shared_ptr<const Region> &region, const VkOffset2D &shift, bool &begun) {
        if (const Status status = device_.batches.acquire(batch_))
            return status;
        from_->start();
        to_->start();
        Semaphores waits, signals; // the program's are among what it was promised
        Status status = record(region, shift, begun);
        if (!status && begun)
            status = device_.batches.submit(*batch_, waits, signals);
        begun = begun && !status;
        if (begun) {
            number_ = batch_->number;
            return PIXMPI_SUCCESS;
        }
        for (VulkanSurface *const one : {from_.get(), to_.get()})
            one->expect({}, 1);
        device_.shaders.drop_lists(); // some may not have been written
        device_.batches.release(*std::exchange(batch_, nullptr));
        return status;
    }
    Status advance(bool &moved, bool &over) override {
        std::uint64_t reached = 0;
        const Status status = device_.batches.progress(reached);
        over_ = over_ || (!status && number_ <= reached);
        over = over_;
        moved = moved || over;
        return status;
    }
    // A device of which one call says that it is lost may go on.
    bool settled() override {
        constexpr std::chrono::milliseconds patience{500}; // as messages have it: the queue may hang
        const auto now = std::chrono::steady_clock::now();
        if (!failing_since_)
            failing_since_ = now;
        bool moved = false, over = false;
        const bool goes_on = advance(moved, over) ? device_.batches.goes_on(number_) : !over;
        return !goes_on || now - *failing_since_ >= patience;
    }
    bool is_queued() const override { return true; }

  private:
    Status record(const std::shared_ptr<const Region> &region, const VkOffset2D &shift, bool &recorded) {
        Pixels pixels{VK_NULL_HANDLE, Access::storage, to_->pixel_bytes};
        pixels.copied = shift;
        if (const Status status = to_->integer_view(Access::storage, pixels.view))
            return status;
        if (const Status status = from_->integer_view(Access::storage, pixels.base))
            return status;
        from_->enter(*batch_, VK_ACCESS_SHADER_READ_BIT, false);
        to_->enter(*batch_, VK_ACCESS_SHADER_WRITE_BIT, false);
        if (const Status status = device_.shaders.move_pixels(*batch_, Direction::unpack, pixels, region, 0,
                                                              region->pixels, {}, recorded))
            return status;
        for (VulkanSurface *const one : {from_.get(), to_.get()})
            if (one->last_use())
                one->leave(*batch_);
        return PIXMPI_SUCCESS;
    }

    const std::shared_ptr<VulkanSurface> from_, to_;
    VulkanDevice &device_; ///< that the surfaces hold
    Batch *batch_ = nullptr;
    std::uint64_t number_ = 0;
    bool over_ = false;
    std::optional<std::chrono::steady_clock::time_point> failing_since_;
};

} // namespace

Status make_image_copy(std::span<const CopiesStraight::Ends> planes, std::unique_ptr<StraightCopy> &copy) {
    const CopiesStraight::Ends &ends = planes.front();
    const std::optional<VkOffset2D> shift = shift_of(*ends.from.region, *ends.to.region);
    if (planes.size() != 1 || !shift)
        return PIXMPI_SUCCESS;
    auto made = std::make_unique<ImageCopy>(std::static_pointer_cast<VulkanSurface>(ends.from.surface),
                                            std::static_pointer_cast<VulkanSurface>(ends.to.surface));
    bool begun = false;
    if (!made->is_possible(*ends.to.region))
        return PIXMPI_SUCCESS;
    const Status status = made->begin(ends.to.region, *shift, begun);
    if (status == PIXMPI_ERR_MEMORY && !begun)
        return PIXMPI_SUCCESS; // the other ways need less at once
    if (status)
        return status;
    if (begun)
        copy = std::move(made);
    return PIXMPI_SUCCESS;
}

} // namespace vkmpi
