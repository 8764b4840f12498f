#include "composite/device_search.h"

#include "device/planes.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace pixmpi {
namespace {

constexpr int word_cells = 32; // of find_active.comp

std::uint32_t u32(int value) { return static_cast<std::uint32_t>(value); }

/// KIND of find_active.comp.
std::uint32_t kind_of(pixMPI_Format format) {
    switch (format) {
    case PIXMPI_DEPTH16:
        return 1;
    case PIXMPI_DEPTH24:
    case PIXMPI_DEPTH24_STENCIL8:
        return 2;
    case PIXMPI_DEPTH32F:
    case PIXMPI_DEPTH32F_STENCIL8:
        return 3;
    default:
        return 0;
    }
}

} // namespace

Status DeviceSearch::make(std::shared_ptr<Device> device, std::unique_ptr<DeviceSearch> &search, std::size_t at_once) {
    std::unique_ptr<Passes> passes;
    if (const Status error = device->make_passes(passes))
        return error;
    if (passes)
        search.reset(new DeviceSearch(std::move(device), std::move(passes), at_once));
    return PIXMPI_SUCCESS;
}

DeviceSearch::DeviceSearch(std::shared_ptr<Device> device, std::unique_ptr<Passes> passes, std::size_t at_once)
    : device_(std::move(device)), at_once_(std::min(at_once, passes->most_bytes())), passes_(std::move(passes)) {}

Status DeviceSearch::begin(std::shared_ptr<Surface> plane, const pixMPI_Rect &rect, bool awaited) {
    plane_ = std::move(plane);
    rect_ = rect;
    found_.emplace(plane_->extent);
    if (const Status error = make_stages()) {
        found_.reset();
        return error == PIXMPI_ERR_MEMORY ? PIXMPI_SUCCESS : error;
    }
    if (const Status error = make_plain_transfer(Direction::pack, plane_, region_of({rect}), pack_))
        return error;
    pack_->start();
    ended_ = false;
    if (awaited)
        pack_->await();
    if (const Status error = pack_->begin(pixels_of(rect)))
        return error;
    return pack(rect.y);
}

Status DeviceSearch::make_stages() {
    const auto row = static_cast<std::size_t>(rect_.width) * static_cast<std::size_t>(plane_->pixel_bytes);
    const auto cell = static_cast<std::size_t>(found_->height());
    const std::size_t cell_rows = std::clamp<std::size_t>(at_once_ / (row * cell), 1, Cells::most);
    band_rows_ = static_cast<int>(cell_rows * cell);
    const auto rows = static_cast<std::size_t>(std::min(band_rows_, rect_.height));
    if (const Status error = device_->make_stage(StageKind::local, nullptr, (rows * row + 3) / 4 * 4, pixels_))
        return error;
    if (const Status error = device_->make_stage(StageKind::mapped, nullptr, sizeof(Cells::Bits), bits_))
        return error;
    std::memset(bits_->host, 0, sizeof(Cells::Bits));
    return PIXMPI_SUCCESS;
}

Status DeviceSearch::pack(int first_row) {
    const std::int64_t end = std::int64_t{first_row / found_->height() * found_->height()} + band_rows_;
    const auto last = static_cast<int>(std::min<std::int64_t>(rect_.y + rect_.height, end));
    band_ = {rect_.x, first_row, rect_.width, last - first_row};
    looks_ = false;
    packed_ = done;
    const auto before = static_cast<std::uint64_t>(first_row - rect_.y) * static_cast<std::uint64_t>(rect_.width);
    return pack_->copy(before, pixels_of(band_), *pixels_, 0, packed_);
}

Status DeviceSearch::look(bool &accepted) {
    const Cells &cells = *found_;
    const int first_word = rect_.x / cells.width() / word_cells, first_row = band_.y / cells.height();
    const int last_word = (rect_.x + rect_.width - 1) / cells.width() / word_cells,
              last_row = (band_.y + band_.height - 1) / cells.height();
    Pass pass{PassKind::find_active, {pixels_.get(), bits_.get()}};
    pass.sizes = {u32(band_.x),       u32(band_.y),        u32(band_.width), u32(band_.height),
                  u32(cells.width()), u32(cells.height()), u32(first_word),  u32(first_row)};
    pass.across = u32(last_word - first_word + 1);
    pass.down = u32(last_row - first_row + 1);
    pass.constants = {u32(plane_->pixel_bytes), kind_of(plane_->format)};
    looks_ = true;
    return passes_->run({&pass, 1}, looked_, accepted);
}

Status DeviceSearch::advance(bool &over) {
    for (over = !found_; !over;) {
        bool packed = packed_ == done;
        if (!packed)
            if (const Status error = pack_->poll(packed_, packed))
                return error;
        if (packed)
            packed_ = done;
        if (!packed && !device_->copies_in_order())
            return PIXMPI_SUCCESS;
        if (!looks_) {
            bool accepted = false;
            if (const Status error = look(accepted))
                return error;
            if (!accepted) {
                give_up();
                over = true;
            }
            continue;
        }
        bool looked = false;
        if (const Status error = passes_->poll(looked_, looked); error || !looked || !packed)
            return error;
        const int next = band_.y + band_.height;
        over = ended_ = next == rect_.y + rect_.height;
        if (const Status error = over ? pack_->end() : pack(next))
            return error;
        if (over)
            read_bits();
    }
    return PIXMPI_SUCCESS;
}

void DeviceSearch::read_bits() {
    Cells::Bits bits;
    std::memcpy(bits.data(), bits_->host, sizeof bits);
    found_.emplace(plane_->extent, bits);
}

void DeviceSearch::give_up() {
    found_.reset();
    if (!std::exchange(ended_, true))
        pack_->give_up();
}

} // namespace pixmpi
