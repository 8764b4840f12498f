// Depth or stencil alone, where both are stored together. Blits could tell them apart, but drivers round depths on the
// way: whole pixels are read and written, and the other part is put back as it was.
#pragma once

#include "surface/gl_surface.h"

#include <vector>

namespace glmpi {

class PartSurface final : public GlSurface {
  public:
    /// `whole` has pixels of a depth-stencil format, `travels` is a depth format of the same numbers, or
    /// PIXMPI_STENCIL8.
    PartSurface(std::shared_ptr<GlSurface> whole, pixMPI_Format travels);

    std::shared_ptr<pixmpi::Surface> again() const override;
    bool by_pointer(Direction) const override { return true; }
    TransferRate rate(Direction direction) override { return whole_->rate(direction); }
    bool gathers() const override { return whole_->gathers(); }
    Status open(SavedState &state, Direction direction, GLuint buffer) override;
    void read(const pixMPI_Rect &rect, std::byte *pixels) override;
    void write(const pixMPI_Rect &rect, const std::byte *pixels) override;
    void close() override { whole_->close(); }
    Status finish(SavedState &state) override;

  private:
    template <class Visit> void by_rows(const pixMPI_Rect &rect, Visit visit);

    const std::shared_ptr<GlSurface> whole_;
    const std::size_t at_, bytes_; ///< where the part lies in a pixel, and its bytes
    const std::ptrdiff_t step_;    ///< from pixel to pixel
    std::vector<std::byte> pixels_;
    Status failed_ = PIXMPI_SUCCESS; ///< of a write since the last finish()
};

/// `whole` itself, or the part of it that travels.
std::shared_ptr<GlSurface> part_or_whole(std::shared_ptr<GlSurface> whole, pixMPI_Format travels);

} // namespace glmpi
