// A surface of a context that is not current in the thread that names it. Its size and format were asked for when it
// was; the surface itself is looked up where its context is current.
#pragma once

#include "gl_surface.h"

namespace glmpi {

/// What glMPI_Any_here puts into a pixMPI_Surface; glMPI_Any leaves `context` 0.
struct Any {
    glMPI_Surface surface;
    std::uint64_t context; ///< GlDevice::number
    int width, height;
    pixMPI_Format format;
};
static_assert(sizeof(Any) <= sizeof(pixMPI_Surface::other));

class AwaySurface final : public pixmpi::Surface {
  public:
    AwaySurface(std::shared_ptr<GlDevice> owner, const Any &any)
        : Surface(std::move(owner), {any.width, any.height}, any.format), named_(any.surface) {}
    /// In a thread that has the context. PIXMPI_ERR_SURFACE when the object has changed since it was named.
    Status here(std::shared_ptr<GlSurface> &surface) const;

  private:
    const glMPI_Surface named_;
};

} // namespace glmpi
