#include "device/with_depth.h"

#include <algorithm>
#include <utility>

namespace pixmpi {

SurfaceWithDepth::SurfaceWithDepth(std::shared_ptr<Surface> colors_, std::shared_ptr<Surface> depths_)
    : Surface(colors_->device, colors_->extent, colors_->format, depths_->format), colors(std::move(colors_)),
      depths(std::move(depths_)) {}

Status SurfaceWithDepth::make(std::shared_ptr<Surface> colors, std::shared_ptr<Surface> depths,
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
        return fail(PIXMPI_ERR_SURFACE, "surface: %dx%d colours, %dx%d depths, expected as many", colors->extent.width,
                    colors->extent.height, depths->extent.width, depths->extent.height);
    surface = std::make_shared<SurfaceWithDepth>(std::move(colors), std::move(depths));
    return PIXMPI_SUCCESS;
}

namespace {

/// Of planes of one device; null where both are.
std::shared_ptr<Surface> join(std::shared_ptr<Surface> colors, std::shared_ptr<Surface> depths) {
    return colors && depths ? std::make_shared<SurfaceWithDepth>(std::move(colors), std::move(depths)) : nullptr;
}

} // namespace

std::shared_ptr<Surface> SurfaceWithDepth::again() const {
    std::shared_ptr<Surface> color = colors->once_more(), depth = depths->once_more();
    if (!color && !depth)
        return nullptr;
    return join(color ? std::move(color) : colors, depth ? std::move(depth) : depths);
}

void SurfaceWithDepth::make_frame(std::shared_ptr<Surface> &opening, std::shared_ptr<Surface> &closing) const {
    std::array<std::shared_ptr<Surface>, 2> of_colors, of_depths;
    colors->make_frame(of_colors[0], of_colors[1]);
    depths->make_frame(of_depths[0], of_depths[1]);
    opening = join(std::move(of_colors[0]), std::move(of_depths[0]));
    closing = join(std::move(of_colors[1]), std::move(of_depths[1]));
}

void SurfaceWithDepth::hand_over(Surface &opening, Surface &closing) {
    auto &first = static_cast<SurfaceWithDepth &>(opening), &last = static_cast<SurfaceWithDepth &>(closing);
    colors->hand_over(*first.colors, *last.colors);
    depths->hand_over(*first.depths, *last.depths);
}

bool SurfaceWithDepth::has_promises() const { return colors->has_promises() || depths->has_promises(); }

void SurfaceWithDepth::drop_promises() {
    colors->drop_promises();
    depths->drop_promises();
}

TransferWithDepth::TransferWithDepth(std::shared_ptr<SurfaceWithDepth> surface, std::unique_ptr<Transfer> colors,
                                     std::unique_ptr<Transfer> depths)
    : surface_(std::move(surface)), colors_(std::move(colors)), depths_(std::move(depths)) {}

std::uint64_t TransferWithDepth::band_pixels() const {
    return std::max(colors_->band_pixels(), depths_->band_pixels());
}

void TransferWithDepth::forget() {
    bands_.clear();
    copied_.reset();
}

void TransferWithDepth::start() {
    forget();
    colors_->start();
    depths_->start();
}

void TransferWithDepth::await() {
    colors_->await();
    depths_->await();
}

Status TransferWithDepth::begin(std::uint64_t pixels) {
    const Status error = colors_->begin(pixels);
    return error ? error : depths_->begin(pixels);
}

namespace {

/// While the colours are copied: the band lies ready when its depths do, so it is not counted before.
class Silent {
  public:
    explicit Silent(Stage &stage) : stage_(stage), packed_(std::exchange(stage.packed, nullptr)) {}
    ~Silent() { stage_.packed = packed_; }
    Silent(const Silent &) = delete;
    Silent &operator=(const Silent &) = delete;
    /// The depths' transfer has copied as many bands as this one.
    void count() { stage_.packed = packed_; }

  private:
    Stage &stage_;
    std::atomic<std::uint64_t> *const packed_;
};

} // namespace

Status TransferWithDepth::copy(std::uint64_t first, std::uint64_t count, Stage &stage, std::size_t offset,
                               Ticket &ticket) {
    const PlanesInBand at = places(count);
    Silent silent(stage);
    if (!copied_) {
        Ticket colors = done;
        if (const Status error = colors_->copy(first, count, stage, offset + at.colors, colors))
            return error;
        copied_ = colors;
    } else if (*copied_ != done) { // again: what they hold meanwhile may be the memory that the depths lack
        bool over = false;
        if (const Status error = colors_->poll(*copied_, over))
            return error;
        if (over)
            copied_ = done;
    }
    silent.count();
    Ticket depths = done;
    if (const Status error = depths_->copy(first, count, stage, offset + at.depths, depths))
        return error;
    ticket = add(*copied_, depths);
    copied_.reset();
    return PIXMPI_SUCCESS;
}

void TransferWithDepth::prepare(std::uint64_t first, std::uint64_t count, Stage &stage, std::size_t offset) {
    if (copied_)
        return;
    const PlanesInBand at = places(count);
    colors_->prepare(first, count, stage, offset + at.colors);
    depths_->prepare(first, count, stage, offset + at.depths);
}

Status TransferWithDepth::combine(const Combination &how, std::uint64_t first, std::uint64_t count, Stage &stage,
                                  std::size_t offset, Ticket &ticket, bool &taken) {
    Ticket colors = done;
    const Status error =
        colors_->combine_with_depth(how.order, *surface_->depths, first, count, stage, offset, colors, taken);
    if (!error && taken)
        ticket = add(colors, done);
    return error;
}

Ticket TransferWithDepth::add(Ticket colors, Ticket depths) {
    if (colors == done && depths == done)
        return done;
    bands_.push_back({++last_, colors, depths});
    return last_;
}

Status TransferWithDepth::poll(Ticket ticket, bool &over) {
    const auto band = std::find_if(bands_.begin(), bands_.end(), [&](const Band &one) { return one.ticket == ticket; });
    over = band == bands_.end();
    if (over)
        return PIXMPI_SUCCESS;
    for (const auto &[plane, part] : {std::pair(colors_.get(), &band->colors), {depths_.get(), &band->depths}}) {
        bool part_over = *part == done;
        if (!part_over)
            if (const Status error = plane->poll(*part, part_over))
                return error;
        if (part_over)
            *part = done;
    }
    over = band->colors == done && band->depths == done;
    if (over)
        bands_.erase(band);
    return PIXMPI_SUCCESS;
}

Status TransferWithDepth::end() {
    const Status colors = colors_->end();
    const Error error = last_error(colors);
    const Status depths = depths_->end();
    return colors ? repeat(error) : depths;
}

void TransferWithDepth::give_up() {
    forget();
    colors_->give_up();
    depths_->give_up();
}

bool TransferWithDepth::settled() {
    const bool colors = colors_->settled();
    return depths_->settled() && colors;
}

Status make_plain_transfer(Direction direction, std::shared_ptr<Surface> surface, std::shared_ptr<const Region> region,
                           std::unique_ptr<Transfer> &transfer) {
    if (!surface->has_depth()) {
        Device &device = *surface->device;
        if (surface->corner_x || surface->corner_y)
            region = moved(std::move(region), surface->corner_x, surface->corner_y);
        return device.make_transfer(direction, std::move(surface), std::move(region), transfer);
    }
    auto both = std::static_pointer_cast<SurfaceWithDepth>(std::move(surface));
    std::unique_ptr<Transfer> colors, depths;
    if (const Status error = make_plain_transfer(direction, both->colors, region, colors))
        return error;
    if (const Status error = make_plain_transfer(direction, both->depths, std::move(region), depths))
        return error;
    transfer = std::make_unique<TransferWithDepth>(std::move(both), std::move(colors), std::move(depths));
    return PIXMPI_SUCCESS;
}

Status make_scratch_like(const Surface &model, Device &device, Extent extent, std::shared_ptr<Surface> &scratch) {
    std::shared_ptr<Surface> colors, depths;
    if (const Status error = device.make_scratch(model.format, extent, colors))
        return error;
    if (!model.has_depth()) {
        scratch = std::move(colors);
        return PIXMPI_SUCCESS;
    }
    if (const Status error = device.make_scratch(model.depth_format, extent, depths))
        return error;
    scratch = std::make_shared<SurfaceWithDepth>(std::move(colors), std::move(depths));
    return PIXMPI_SUCCESS;
}

} // namespace pixmpi
