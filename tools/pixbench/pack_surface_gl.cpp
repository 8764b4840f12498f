#include "job.h"
#include "pack_surfaces.h"

#include "contexts.h"
#include "gl_surface.h"

std::shared_ptr<pixmpi::Surface> device_surface(const glMPI_Surface &named) {
    std::shared_ptr<glmpi::GlDevice> device;
    std::shared_ptr<glmpi::GlSurface> surface;
    check(glmpi::current_device(device));
    check(glmpi::resolve(*device, named, surface));
    return surface;
}
