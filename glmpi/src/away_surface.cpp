#include "away_surface.h"

namespace glmpi {

using namespace pixmpi;

Status AwaySurface::here(std::shared_ptr<GlSurface> &surface) const {
    std::shared_ptr<GlSurface> found;
    if (const Status status = resolve(static_cast<GlDevice &>(*device), named_, found))
        return status;
    if (found->extent != extent || found->format != format)
        return fail(PIXMPI_ERR_SURFACE, "surface: %dx%d pixels of %s, was %dx%d of %s when glMPI_With_context named it",
                    found->extent.width, found->extent.height, format_info(found->format).name, extent.width,
                    extent.height, format_info(format).name);
    surface = std::move(found);
    return PIXMPI_SUCCESS;
}

} // namespace glmpi
