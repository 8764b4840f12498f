#include "device/planes.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace pixmpi {

Surface::Surface(Planes planes_)
    : device(planes_.front()->device), extent(planes_.front()->extent), format(planes_.front()->format),
      depth_format(planes_.size() > 1 ? planes_[1]->format : PIXMPI_FORMAT_NONE),
      pixel_bytes(std::accumulate(planes_.begin(), planes_.end(), 0,
                                  [](int sum, const auto &plane) { return sum + plane->pixel_bytes; })),
      planes(std::move(planes_)) {}

std::shared_ptr<Surface> Surface::once_more() const {
    if (planes.empty()) {
        std::shared_ptr<Surface> made = again();
        if (made) {
            made->extent = extent;
            made->corner_x = corner_x;
            made->corner_y = corner_y;
        }
        return made;
    }
    Planes made = planes;
    bool any = false;
    for (auto &plane : made)
        if (auto another = plane->once_more()) {
            plane = std::move(another);
            any = true;
        }
    return any ? join(std::move(made)) : nullptr;
}

void Surface::make_frame(std::shared_ptr<Surface> &opening, std::shared_ptr<Surface> &closing) const {
    if (promises_)
        promises_->make_frame(opening, closing);
    if (planes.empty())
        return;
    Planes first(planes.size()), last(planes.size());
    for (std::size_t i = 0; i < planes.size(); ++i)
        planes[i]->make_frame(first[i], last[i]);
    opening = join(std::move(first));
    closing = join(std::move(last));
}

void Surface::hand_over(Surface &opening, Surface &closing) {
    if (promises_)
        promises_->hand_over(opening, closing);
    for (std::size_t i = 0; i < planes.size(); ++i)
        planes[i]->hand_over(*opening.planes[i], *closing.planes[i]);
}

bool Surface::has_promises() const {
    return (promises_ && promises_->has_promises()) ||
           std::any_of(planes.begin(), planes.end(), [](const auto &plane) { return plane->has_promises(); });
}

void Surface::drop_promises() {
    if (promises_)
        promises_->drop_promises();
    for (const auto &plane : planes)
        plane->drop_promises();
}

bool are_alike(const std::shared_ptr<Surface> &a, const std::shared_ptr<Surface> &b) {
    const auto one = planes_of(a), other = planes_of(b);
    return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                      [](const auto &x, const auto &y) { return x->pixel_bytes == y->pixel_bytes; });
}

std::shared_ptr<Surface> join(Surface::Planes planes) {
    const bool all = std::all_of(planes.begin(), planes.end(), [](const auto &plane) { return plane != nullptr; });
    return all ? std::make_shared<Surface>(std::move(planes)) : nullptr;
}

Status join_with_depth(std::shared_ptr<Surface> colors, std::shared_ptr<Surface> depths,
                       std::shared_ptr<Surface> &surface) {
    const FormatInfo &color = format_info(colors->format), &depth = format_info(depths->format);
    const auto is_depth = [](const FormatInfo &info) {
        return info.numbers == Numbers::depth || info.numbers == Numbers::depth_stencil;
    };
    constexpr int word = 4; // the planes of a band lie where all devices take them
    if (is_depth(color) || color.bytes % word != 0)
        return fail(PIXMPI_ERR_FORMAT, "surface: colours of %s, expected a format of colours of 4, 8, 12 or 16 bytes",
                    color.name);
    if (!is_depth(depth))
        return fail(PIXMPI_ERR_FORMAT, "surface: depths of %s, expected a format with depth", depth.name);
    if (colors->device != depths->device)
        return fail(PIXMPI_ERR_SURFACE, "surface: colours of %s, depths of %s, expected both on one device",
                    colors->device->name(), depths->device->name());
    if (colors->extent != depths->extent)
        return fail(PIXMPI_ERR_SURFACE, "surface: %dx%d colours, %dx%d depths, expected the same", colors->extent.width,
                    colors->extent.height, depths->extent.width, depths->extent.height);
    surface = join({std::move(colors), std::move(depths)});
    return PIXMPI_SUCCESS;
}

PlanesTransfer::PlanesTransfer(std::shared_ptr<Surface> surface, std::vector<std::unique_ptr<Transfer>> parts)
    : surface_(std::move(surface)), parts_(std::move(parts)) {
    submits_each_ = std::any_of(parts_.begin(), parts_.end(), [](const auto &part) { return part->submits_each(); });
}

std::uint64_t PlanesTransfer::band_pixels() const {
    std::uint64_t most = 0;
    for (const auto &part : parts_)
        most = std::max(most, part->band_pixels());
    return most;
}

std::array<std::size_t, most_planes> PlanesTransfer::places(std::uint64_t count) const {
    const PlanesInBand at(surface_->format, surface_->depth_format, count);
    return {at.colors, at.depths};
}

void PlanesTransfer::forget() {
    bands_.clear();
    planes_copied_ = 0;
}

void PlanesTransfer::start() {
    forget();
    for (const auto &part : parts_)
        part->start();
}

void PlanesTransfer::await() {
    for (const auto &part : parts_)
        part->await();
}

Status PlanesTransfer::begin(std::uint64_t pixels) {
    for (const auto &part : parts_)
        if (const Status error = part->begin(pixels))
            return error;
    return PIXMPI_SUCCESS;
}

namespace {

/// While planes are copied: the band lies ready when its last one does, so it is not counted before.
class Silent {
  public:
    explicit Silent(Stage &stage) : stage_(stage), packed_(std::exchange(stage.packed, nullptr)) {}
    ~Silent() { stage_.packed = packed_; }
    Silent(const Silent &) = delete;
    Silent &operator=(const Silent &) = delete;
    /// The last plane's transfer has copied the same number of bands.
    void count() { stage_.packed = packed_; }

  private:
    Stage &stage_;
    std::atomic<std::uint64_t> *const packed_;
};

} // namespace

Status PlanesTransfer::copy(std::uint64_t first, std::uint64_t count, Stage &stage, std::size_t offset,
                            Ticket &ticket) {
    const auto at = places(count);
    if (planes_copied_ == 0 && parts_.size() == 2) {
        Tickets both{};
        bool accepted = false;
        const Status error = parts_.front()->copy_both(*parts_.back(), first, count, stage, offset + at.front(),
                                                       offset + at.back(), both.front(), accepted);
        if (!error && accepted)
            ticket = add(both);
        if (error || accepted)
            return error;
    }
    Silent silent(stage);
    for (std::size_t i = 0; i < planes_copied_; ++i) { // again: what they hold may be the memory that is short
        bool over = copied_[i] == done;
        if (const Status error = over ? PIXMPI_SUCCESS : parts_[i]->poll(copied_[i], over))
            return error;
        if (over)
            copied_[i] = done;
    }
    for (; planes_copied_ < parts_.size(); ++planes_copied_) {
        if (planes_copied_ + 1 == parts_.size())
            silent.count();
        Ticket &part = copied_[planes_copied_] = done;
        if (const Status error = parts_[planes_copied_]->copy(first, count, stage, offset + at[planes_copied_], part))
            return error;
    }
    planes_copied_ = 0;
    ticket = add(copied_);
    return PIXMPI_SUCCESS;
}

void PlanesTransfer::prepare(std::uint64_t first, std::uint64_t count, Stage &stage, std::size_t offset) {
    const auto at = places(count);
    if (planes_copied_ == 0 && parts_.size() == 2 &&
        parts_.front()->prepare_both(*parts_.back(), first, count, stage, offset + at.front(), offset + at.back()))
        return;
    for (std::size_t i = 0; i < parts_.size() && planes_copied_ == 0; ++i)
        parts_[i]->prepare(first, count, stage, offset + at[i]);
}

Status PlanesTransfer::combine(const Combination &how, Surface *, std::uint64_t first, std::uint64_t count,
                               Stage &stage, std::size_t offset, Ticket &ticket, bool &accepted) {
    Tickets parts{};
    const Status error = parts_.front()->combine(how, surface_->planes.back().get(), first, count, stage, offset,
                                                 parts.front(), accepted);
    if (!error && accepted)
        ticket = add(parts);
    return error;
}

Ticket PlanesTransfer::add(const Tickets &parts) {
    if (parts == Tickets{})
        return done;
    bands_.push_back({++last_, parts});
    return last_;
}

Status PlanesTransfer::poll(Ticket ticket, bool &over) {
    const auto band =
        std::find_if(bands_.begin(), bands_.end(), [&](const PendingBand &one) { return one.ticket == ticket; });
    over = band == bands_.end();
    if (over)
        return PIXMPI_SUCCESS;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        bool part_over = band->parts[i] == done;
        if (!part_over)
            if (const Status error = parts_[i]->poll(band->parts[i], part_over))
                return error;
        if (part_over)
            band->parts[i] = done;
    }
    over = band->parts == Tickets{};
    if (over)
        bands_.erase(band);
    return PIXMPI_SUCCESS;
}

Status PlanesTransfer::end() {
    Error first;
    for (const auto &part : parts_)
        if (const Status failed = part->end(); failed && !first.code)
            first = last_error(failed);
    return first.code ? repeat(first) : PIXMPI_SUCCESS;
}

void PlanesTransfer::give_up() {
    forget();
    for (const auto &part : parts_)
        part->give_up();
}

bool PlanesTransfer::settled() {
    bool all = true;
    for (const auto &part : parts_)
        all = part->settled() && all;
    return all;
}

Status make_plain_transfer(Direction direction, std::shared_ptr<Surface> surface, std::shared_ptr<const Region> region,
                           std::unique_ptr<Transfer> &transfer) {
    if (surface->planes.empty()) {
        Device &device = *surface->device;
        if (surface->corner_x || surface->corner_y)
            region = moved(std::move(region), surface->corner_x, surface->corner_y);
        return device.make_transfer(direction, std::move(surface), std::move(region), transfer);
    }
    std::vector<std::unique_ptr<Transfer>> parts(surface->planes.size());
    for (std::size_t i = 0; i < parts.size(); ++i)
        if (const Status error = make_plain_transfer(direction, surface->planes[i], region, parts[i]))
            return error;
    transfer = std::make_unique<PlanesTransfer>(std::move(surface), std::move(parts));
    return PIXMPI_SUCCESS;
}

Status make_scratch_like(const Surface &model, Device &device, Extent extent, std::shared_ptr<Surface> &scratch) {
    if (model.planes.empty())
        return device.make_scratch(model.format, extent, scratch);
    Surface::Planes made(model.planes.size());
    for (std::size_t i = 0; i < made.size(); ++i)
        if (const Status error = device.make_scratch(model.planes[i]->format, extent, made[i]))
            return error;
    scratch = join(std::move(made));
    return PIXMPI_SUCCESS;
}

} // namespace pixmpi
