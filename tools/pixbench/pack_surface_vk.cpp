#include "job.h"
#include "pack_surfaces.h"

#include "surface.h"

std::shared_ptr<pixmpi::Surface> device_surface(const vkMPI_Surface &named, pixmpi::Direction direction) {
    std::shared_ptr<pixmpi::Surface> surface;
    check(vkmpi::resolve(named, direction, surface));
    return surface;
}
