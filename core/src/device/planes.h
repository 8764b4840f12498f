// Pixels in several planes: colours and depths as one surface. Each plane is a surface of the device, and so are
// the transfers; in a band one plane lies behind the other (PlanesInBand).
#pragma once

#include "combine/nearest.h"
#include "device/device.h"

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <span>

namespace pixmpi {

constexpr std::size_t most_planes = 2;

/// The planes of a surface, or itself alone. As long as `surface` is that surface.
inline std::span<const std::shared_ptr<Surface>> planes_of(const std::shared_ptr<Surface> &surface) {
    return surface->planes.empty() ? std::span(&surface, 1) : std::span(surface->planes);
}

/// Pages of shared memory follow one of its planes.
inline bool is_watched(const Surface &surface) {
    return surface.watch || std::any_of(surface.planes.begin(), surface.planes.end(),
                                        [](const auto &plane) { return plane->watch != nullptr; });
}
/// The same number of planes, and pixels of as many bytes in each.
bool are_alike(const std::shared_ptr<Surface> &a, const std::shared_ptr<Surface> &b);

/// One surface of planes that belong together; null where one of them is.
std::shared_ptr<Surface> join(Surface::Planes planes);
/// PIXMPI_ERR_SURFACE, PIXMPI_ERR_FORMAT: these two are not one picture.
Status join_with_depth(std::shared_ptr<Surface> colors, std::shared_ptr<Surface> depths,
                       std::shared_ptr<Surface> &surface);

class PlanesTransfer final : public Transfer {
  public:
    /// `parts`: of the planes of `surface`.
    PlanesTransfer(std::shared_ptr<Surface> surface, std::vector<std::unique_ptr<Transfer>> parts);
    std::uint64_t band_pixels() const override;
    void start() override;
    void await() override;
    Status begin(std::uint64_t pixels) override;
    Status copy(std::uint64_t first, std::uint64_t count, Stage &stage, std::size_t offset, Ticket &ticket) override;
    void prepare(std::uint64_t first, std::uint64_t count, Stage &stage, std::size_t offset) override;
    Status combine(const Combination &how, Surface *depths, std::uint64_t first, std::uint64_t count, Stage &stage,
                   std::size_t offset, Ticket &ticket, bool &accepted) override;
    Status poll(Ticket ticket, bool &over) override;
    Status end() override;
    void give_up() override;
    bool settled() override;

  private:
    using Tickets = std::array<Ticket, most_planes>;
    struct PendingBand {
        Ticket ticket; ///< what the caller has
        Tickets parts; ///< of the planes
    };
    /// Where the planes of a band begin.
    std::array<std::size_t, most_planes> places(std::uint64_t count) const;
    Ticket add(const Tickets &parts);
    void forget();

    const std::shared_ptr<Surface> surface_;
    const std::vector<std::unique_ptr<Transfer>> parts_;
    std::deque<PendingBand> bands_; ///< under way
    Ticket last_ = done;
    Tickets copied_{};              ///< of a band that is not complete
    std::size_t planes_copied_ = 0; ///< of that band: those after them found no memory
};

/// The device's transfer, or that of all planes; of a rectangle of the surface where it is one.
Status make_plain_transfer(Direction direction, std::shared_ptr<Surface> surface, std::shared_ptr<const Region> region,
                           std::unique_ptr<Transfer> &transfer);
/// Device::make_scratch() for pixels as those of `model`.
Status make_scratch_like(const Surface &model, Device &device, Extent extent, std::shared_ptr<Surface> &scratch);

} // namespace pixmpi
