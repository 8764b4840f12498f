// Copies between two images of one context, by a shader that reads one and writes the other, or between an image and
// scratch memory, where pixels lie one behind the other, or in rows as in the image: one submission for all planes
// instead of two for each, and the pixels pass the memory twice instead of four times.
#include "transfer/transfer.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

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

/// One plane's copy.
struct Plane {
    std::shared_ptr<VulkanSurface> from, to;
    std::shared_ptr<const Region> from_region, to_region;
    /// How far rectangles of `from` lie from those of `to`, or those in the image from those in memory.
    std::optional<VkOffset2D> shift{};

    bool of_images() const { return from->is_image() && to->is_image(); }

    /// Of an image and scratch memory.
    Direction direction() const { return from->is_image() ? Direction::pack : Direction::unpack; }
    VulkanSurface &image() const { return from->is_image() ? *from : *to; }
    VulkanSurface &memory() const { return from->is_image() ? *to : *from; }
    const std::shared_ptr<const Region> &in_image() const { return from->is_image() ? from_region : to_region; }
    const std::shared_ptr<const Region> &in_memory() const { return from->is_image() ? to_region : from_region; }
};

class PlanesCopy final : public StraightCopy {
  public:
    explicit PlanesCopy(VulkanDevice &device) : device_(device) {}
    ~PlanesCopy() override {
        constexpr double patience = 2;
        if (batch_ && !over_)
            device_.batches.wait(number_, patience);
        if (batch_)
            device_.batches.release(*batch_); // it is used again when it is over
    }
    PlanesCopy(const PlanesCopy &) = delete;
    PlanesCopy &operator=(const PlanesCopy &) = delete;

    /// False where this plane has another way.
    bool add(Plane plane) {
        if (!is_possible(plane))
            return false;
        planes_.push_back(std::move(plane));
        return true;
    }
    /// `begun` is false where nothing has happened.
    Status begin(bool &begun) {
        if (const Status status = device_.batches.acquire(batch_))
            return status;
        for (const Plane &plane : planes_) {
            plane.from->start();
            plane.to->start();
        }
        Semaphores waits, signals; // the program's are among what it was promised
        Status status = record(begun);
        if (!status && begun)
            status = device_.batches.submit(*batch_, waits, signals);
        begun = begun && !status;
        if (begun) {
            number_ = batch_->number;
            return PIXMPI_SUCCESS;
        }
        for (const Plane &plane : planes_)
            for (VulkanSurface *const one : {plane.from.get(), plane.to.get()})
                one->expect({}, 1);
        device_.shaders.forget_lists(*batch_);
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
    /// What the program was promised for a surface needs other steps, in an order of their own.
    bool is_possible(const Plane &plane) const {
        const auto is_plain = [](const VulkanSurface &one) {
            return !one.watch && !one.base && !one.has_promises() && !one.is_shared();
        };
        if (!device_.shader_packs || !is_plain(*plane.from) || !is_plain(*plane.to))
            return false;
        if (plane.of_images())
            return plane.shift && stores(*plane.from) && stores(*plane.to) &&
                   plane.from->named.image != plane.to->named.image &&
                   device_.shaders.can_move({}, plane.to->pixel_bytes) &&
                   has_work_list(*plane.to_region, plane.to_region->pixels);
        return plane.from->is_image() != plane.to->is_image() && plane.memory().is_scratch &&
               (by_shader(plane) || by_commands(plane));
    }
    static bool stores(const VulkanSurface &one) { return one.access(Direction::unpack) == Access::storage; }

    /// Pixels that lie one behind the other in scratch memory, as a band does.
    static std::optional<Span> band_of(const Plane &plane) {
        const VulkanSurface &memory = plane.memory();
        const auto &rects = plane.in_memory()->rects;
        if (rects.size() != 1 || rects.front().width != memory.extent.width)
            return {};
        const auto row = static_cast<VkDeviceSize>(memory.named.row_bytes);
        const Span band{memory.named.buffer, memory.named.offset + static_cast<VkDeviceSize>(rects.front().y) * row,
                        static_cast<VkDeviceSize>(rects.front().height) * row};
        return band.bytes % 4 == 0 ? std::optional(band) : std::nullopt; // shaders write whole words
    }
    bool as_band(const Plane &plane) const {
        const auto band = band_of(plane);
        return band && plane.image().access(plane.direction()) != Access::none && plane.memory().shaders_may() &&
               device_.shaders.can_move(*band, plane.image().pixel_bytes) &&
               has_work_list(*plane.in_image(), plane.in_image()->pixels);
    }
    /// As rows: copy commands take a GPU a microsecond for each rectangle, and 16 for a megabyte of depths.
    bool as_rows(const Plane &plane) const {
        const VulkanSurface &image = plane.image(), &memory = plane.memory();
        const Access access = image.access(plane.direction());
        return (access == Access::storage || access == Access::depths) && memory.shaders_may() && plane.shift &&
               device_.shaders.can_move_rows(memory.span(), static_cast<std::uint64_t>(memory.named.row_bytes), {},
                                             image.pixel_bytes) &&
               has_work_list(*plane.in_image(), plane.in_image()->pixels);
    }
    bool by_shader(const Plane &plane) const { return as_band(plane) || as_rows(plane); }
    // Vulkan wants the offsets of copies to be multiples of a pixel, and of 4 for depths and stencils.
    bool by_commands(const Plane &plane) const {
        constexpr std::size_t few = 32; // a GPU needs a microsecond for each
        const VulkanSurface &image = plane.image(), &memory = plane.memory();
        const bool words = image.named.aspect != VK_IMAGE_ASPECT_COLOR_BIT;
        return image.depth_stencil_mode() < 0 && plane.in_image()->rects.size() <= few && plane.shift &&
               memory.named.offset == 0 && (!words || image.pixel_bytes % 4 == 0) && device_.granularity.width == 1 &&
               device_.granularity.height == 1;
    }

    Status record(bool &recorded) {
        for (const Plane &plane : planes_) {
            recorded = false;
            const Status status = plane.of_images()  ? record_images(plane, recorded)
                                  : by_shader(plane) ? record_memory(plane, recorded)
                                                     : record_commands(plane, recorded);
            if (status || !recorded)
                return status;
        }
        for (const Plane &plane : planes_)
            for (VulkanSurface *const one : {plane.from.get(), plane.to.get()})
                if (one->last_use())
                    one->leave(*batch_);
        return PIXMPI_SUCCESS;
    }
    Status record_images(const Plane &plane, bool &recorded) {
        Pixels pixels{VK_NULL_HANDLE, Access::storage, plane.to->pixel_bytes};
        pixels.copied = plane.shift;
        if (const Status status = plane.to->integer_view(Access::storage, pixels.view))
            return status;
        if (const Status status = plane.from->integer_view(Access::storage, pixels.base))
            return status;
        plane.from->enter(*batch_, VK_ACCESS_SHADER_READ_BIT, false);
        plane.to->enter(*batch_, VK_ACCESS_SHADER_WRITE_BIT, false);
        return device_.shaders.move_pixels(*batch_, Direction::unpack, pixels, plane.to_region, 0,
                                           plane.to_region->pixels, {}, recorded);
    }
    Status record_memory(const Plane &plane, bool &recorded) {
        const Direction direction = plane.direction();
        const VulkanSurface &memory = plane.memory();
        const auto band = as_band(plane) ? band_of(plane) : std::nullopt;
        Pixels pixels{VK_NULL_HANDLE, plane.image().access(direction), plane.image().pixel_bytes};
        if (!band) {
            pixels.rows = memory.span();
            pixels.row_bytes = static_cast<std::uint32_t>(memory.named.row_bytes);
            pixels.laid = plane.shift;
        }
        if (const Status status = plane.image().integer_view(pixels.access, pixels.view))
            return status;
        plane.from->enter(*batch_, VK_ACCESS_SHADER_READ_BIT, false);
        plane.to->enter(*batch_, VK_ACCESS_SHADER_WRITE_BIT, false);
        return device_.shaders.move_pixels(*batch_, direction, pixels, plane.in_image(), 0, plane.in_image()->pixels,
                                           band.value_or(Span()), recorded);
    }
    Status record_commands(const Plane &plane, bool &recorded) {
        const VulkanSurface &image = plane.image(), &memory = plane.memory();
        plane.from->enter(*batch_, VK_ACCESS_TRANSFER_READ_BIT, false);
        plane.to->enter(*batch_, VK_ACCESS_TRANSFER_WRITE_BIT, false);
        std::vector<VkBufferImageCopy> copies;
        for (std::size_t i = 0; i < plane.in_image()->rects.size(); ++i) {
            const pixMPI_Rect &there = plane.in_memory()->rects[i];
            const std::int64_t at = there.y * memory.named.row_bytes + std::int64_t{there.x} * memory.pixel_bytes;
            copies.push_back(image.image_copy(plane.in_image()->rects[i],
                                              memory.named.offset + static_cast<VkDeviceSize>(at), image.named.aspect));
            copies.back().bufferRowLength = static_cast<std::uint32_t>(memory.extent.width);
        }
        const auto count = static_cast<std::uint32_t>(copies.size());
        const Vk &vk = device_.vk;
        if (plane.direction() == Direction::pack)
            vk.CmdCopyImageToBuffer(batch_->commands, image.named.image, image.layout(), memory.named.buffer, count,
                                    copies.data());
        else
            vk.CmdCopyBufferToImage(batch_->commands, memory.named.buffer, image.named.image, image.layout(), count,
                                    copies.data());
        recorded = true;
        return PIXMPI_SUCCESS;
    }

    VulkanDevice &device_; ///< that the surfaces hold
    std::vector<Plane> planes_;
    Batch *batch_ = nullptr;
    std::uint64_t number_ = 0;
    bool over_ = false;
    std::optional<std::chrono::steady_clock::time_point> failing_since_;
};

} // namespace

Status make_image_copy(std::span<const CopiesStraight::Ends> planes, std::unique_ptr<StraightCopy> &copy) {
    const auto vulkan = [](const std::shared_ptr<Surface> &one) { return std::static_pointer_cast<VulkanSurface>(one); };
    auto made = std::make_unique<PlanesCopy>(vulkan(planes.front().to.surface)->vulkan());
    for (const CopiesStraight::Ends &ends : planes) {
        Plane plane{vulkan(ends.from.surface), vulkan(ends.to.surface), ends.from.region, ends.to.region};
        plane.shift = plane.of_images() ? shift_of(*plane.from_region, *plane.to_region)
                                        : shift_of(*plane.in_image(), *plane.in_memory());
        if (!made->add(std::move(plane)))
            return PIXMPI_SUCCESS;
    }
    bool begun = false;
    const Status status = made->begin(begun);
    if (status == PIXMPI_ERR_MEMORY && !begun)
        return PIXMPI_SUCCESS; // the other ways need less at once
    if (status)
        return status;
    if (begun)
        copy = std::move(made);
    return PIXMPI_SUCCESS;
}

} // namespace vkmpi
