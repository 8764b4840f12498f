#include "surface/part_surface.h"

#include "region/copy_rows.h"

#include <algorithm>
#include <utility>

namespace glmpi {

using namespace pixmpi;

namespace {

// DEPTH24_STENCIL8: a word with the depth in its upper 24 bits, as DEPTH24 has it, and the stencil in its low byte.
// DEPTH32F_STENCIL8: a float, and a word with the stencil in its low byte.
std::size_t place_of(pixMPI_Format whole, pixMPI_Format part) {
    return whole == PIXMPI_DEPTH32F_STENCIL8 && part == PIXMPI_STENCIL8 ? 4 : 0;
}

} // namespace

PartSurface::PartSurface(std::shared_ptr<GlSurface> whole, pixMPI_Format travels)
    : GlSurface(whole->gl_device, whole->full, travels, true), whole_(std::move(whole)),
      at_(place_of(whole_->format, travels)), bytes_(static_cast<std::size_t>(pixel_bytes)),
      step_(whole_->pixel_bytes) {}

std::shared_ptr<Surface> PartSurface::again() const {
    return std::make_shared<PartSurface>(whole_->another(), format);
}

Status PartSurface::open(SavedState &state, Direction direction, GLuint buffer) {
    return whole_->open(state, direction, buffer);
}

template <class Visit> void PartSurface::by_rows(const pixMPI_Rect &rect, Visit visit) {
    constexpr std::size_t most = 256 << 10;
    const std::size_t row = static_cast<std::size_t>(rect.width) * static_cast<std::size_t>(step_);
    const int rows = static_cast<int>(std::max<std::size_t>(1, most / row));
    pixels_.resize(row * static_cast<std::size_t>(std::min(rows, rect.height)));
    for (int y = 0; y < rect.height; y += rows)
        visit(pixMPI_Rect{rect.x, rect.y + y, rect.width, std::min(rows, rect.height - y)});
}

void PartSurface::read(const pixMPI_Rect &rect, std::byte *to) {
    by_rows(rect, [&](const pixMPI_Rect &part) {
        whole_->read(part, pixels_.data());
        const auto pixels = static_cast<std::size_t>(pixels_of(part));
        copy_rows(Direction::pack, {pixels_.data() + at_, step_}, bytes_, pixels, to);
        to += pixels * bytes_;
    });
}

void PartSurface::write(const pixMPI_Rect &rect, const std::byte *from) {
    const bool depth = format != PIXMPI_STENCIL8, shared_word = depth && whole_->format == PIXMPI_DEPTH24_STENCIL8;
    by_rows(rect, [&](const pixMPI_Rect &part) {
        const std::uint64_t count = pixels_of(part);
        {
            SavedState reading(gl_device);
            failed_ = whole_->open(reading, Direction::pack, 0);
            if (failed_)
                return;
            whole_->read(part, pixels_.data());
        }
        std::byte *to = pixels_.data();
        for (std::uint64_t i = 0; shared_word && i < count; ++i, to += 4, from += 4) {
            std::uint32_t kept, word;
            std::memcpy(&kept, to, 4);
            std::memcpy(&word, from, 4);
            word = (word & ~0xffu) | (kept & 0xffu);
            std::memcpy(to, &word, 4);
        }
        if (!shared_word) {
            const auto pixels = static_cast<std::size_t>(count);
            copy_rows(to + at_, step_, from, static_cast<std::ptrdiff_t>(bytes_), bytes_, pixels);
            from += pixels * bytes_;
        }
        whole_->write(part, pixels_.data());
    });
}

Status PartSurface::finish(SavedState &state) {
    pixels_ = {};
    const Status status = whole_->finish(state), failed = std::exchange(failed_, PIXMPI_SUCCESS);
    return failed ? fail(failed, "surface: what it stores next to %s cannot be read, expected that it can",
                         format_info(format).name)
                  : status;
}

std::shared_ptr<GlSurface> part_or_whole(std::shared_ptr<GlSurface> whole, pixMPI_Format travels) {
    if (aspect_of(whole->format) == aspect_of(travels))
        return whole;
    return std::make_shared<PartSurface>(std::move(whole), travels);
}

} // namespace glmpi
