// Colours and depths as one surface, whose pixels have both. Each plane is a surface of the device's own, and so are
// the transfers; in a band one plane lies behind the other.
#pragma once

#include "combine/nearest.h"
#include "device/device.h"

#include <deque>
#include <optional>

namespace pixmpi {

class SurfaceWithDepth final : public Surface {
  public:
    SurfaceWithDepth(std::shared_ptr<Surface> colors, std::shared_ptr<Surface> depths);
    /// PIXMPI_ERR_SURFACE, PIXMPI_ERR_FORMAT: these two are not one picture.
    static Status make(std::shared_ptr<Surface> colors, std::shared_ptr<Surface> depths,
                       std::shared_ptr<Surface> &surface);
    const std::shared_ptr<Surface> colors, depths;

    std::shared_ptr<Surface> again() const override;
    void make_frame(std::shared_ptr<Surface> &opening, std::shared_ptr<Surface> &closing) const override;
    void hand_over(Surface &opening, Surface &closing) override;
    bool has_promises() const override;
    void drop_promises() override;
    std::array<Surface *, 2> planes() override { return {colors.get(), depths.get()}; }
};

class TransferWithDepth final : public Transfer {
  public:
    /// Of the planes of `surface`.
    TransferWithDepth(std::shared_ptr<SurfaceWithDepth> surface, std::unique_ptr<Transfer> colors,
                      std::unique_ptr<Transfer> depths);
    std::uint64_t band_pixels() const override;
    void start() override;
    void await() override;
    Status begin(std::uint64_t pixels) override;
    Status copy(std::uint64_t first, std::uint64_t count, Stage &stage, std::size_t offset, Ticket &ticket) override;
    void prepare(std::uint64_t first, std::uint64_t count, Stage &stage, std::size_t offset) override;
    Status combine(const Combination &how, std::uint64_t first, std::uint64_t count, Stage &stage, std::size_t offset,
                   Ticket &ticket, bool &taken) override;
    Status poll(Ticket ticket, bool &over) override;
    bool submits_each() const override { return colors_->submits_each() || depths_->submits_each(); }
    Status end() override;
    void give_up() override;
    bool settled() override;

  private:
    struct Band {
        Ticket ticket;         ///< what the caller has
        Ticket colors, depths; ///< of the planes
    };
    PlanesInBand places(std::uint64_t count) const { return {surface_->format, surface_->depth_format, count}; }
    Ticket add(Ticket colors, Ticket depths);
    void forget();

    const std::shared_ptr<SurfaceWithDepth> surface_;
    const std::unique_ptr<Transfer> colors_, depths_;
    std::deque<Band> bands_; ///< under way
    Ticket last_ = done;
    std::optional<Ticket> copied_; ///< the colours of a band whose depths found no memory
};

/// The device's transfer, or that of both planes; of a rectangle of the surface where it is one.
Status make_plain_transfer(Direction direction, std::shared_ptr<Surface> surface, std::shared_ptr<const Region> region,
                           std::unique_ptr<Transfer> &transfer);
/// Device::make_scratch() for pixels as those of `model`.
Status make_scratch_like(const Surface &model, Device &device, Extent extent, std::shared_ptr<Surface> &scratch);

} // namespace pixmpi
