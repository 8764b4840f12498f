#include "measure/job.h"
#include "pack/pack_surfaces.h"

#include "device/gl_contexts.h"
#include "surface/gl_surface.h"

std::shared_ptr<pixmpi::Surface> device_surface(const pixMPI_Surface &named) {
    std::shared_ptr<glmpi::GlDevice> device;
    std::shared_ptr<glmpi::GlSurface> surface;
    check(glmpi::current_device(device));
    check(glmpi::resolve(*device, named, surface));
    return surface;
}

bool pack_in_a_row(pixmpi::Surface &surface, pixmpi::Direction direction,
                   const std::shared_ptr<const pixmpi::Region> &region, unsigned gl_buffer, int times) {
    auto &mine = static_cast<glmpi::GlSurface &>(surface);
    glmpi::Image image;
    if (mine.gl_device.direct() || !mine.image(image))
        return false;
    for (int i = 0; i < times; ++i) {
        glmpi::SavedState state(mine.gl_device);
        if (!mine.gl_device.shader_packer.move(
                state, {direction, image, mine.pixel_bytes, region, 0, region->pixels, gl_buffer, 0, true}))
            return false;
    }
    return true;
}
