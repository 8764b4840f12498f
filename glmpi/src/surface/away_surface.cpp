#include "surface/away_surface.h"

namespace glmpi {

using namespace pixmpi;

Status AwaySurface::here(std::shared_ptr<GlSurface> &surface) const {
    std::shared_ptr<GlSurface> found;
    if (const Status status = resolve(static_cast<GlDevice &>(*device), named_, found))
        return status;
    if (found->full.width != named_.width || found->full.height != named_.height || found->format != format)
        return fail(PIXMPI_ERR_SURFACE, "surface: %dx%d pixels of %s, was %dx%d of %s when glMPI_With_context named it",
                    found->full.width, found->full.height, format_info(found->format).name, named_.width, named_.height,
                    format_info(format).name);
    surface = std::move(found);
    return PIXMPI_SUCCESS;
}

} // namespace glmpi
