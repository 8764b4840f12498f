// A surface of a context that is not current in the thread that names it. Its size and format were asked for when it
// was; the surface itself is looked up where its context is current.
#pragma once

#include "surface/gl_surface.h"

namespace glmpi {

class AwaySurface final : public pixmpi::Surface {
  public:
    AwaySurface(std::shared_ptr<GlDevice> owner, const Named &named)
        : Surface(std::move(owner), {named.width, named.height}, named.format), named_(named) {}
    /// In a thread that has the context. PIXMPI_ERR_SURFACE when the object has changed since it was named.
    Status here(std::shared_ptr<GlSurface> &surface) const;

  private:
    const Named named_;
};

} // namespace glmpi
