#include "rig/core_surfaces.h"

#include "base/lock.h"
#include "host/host_device.h"

#include <device/gl_contexts.h>
#include <glmpi.h>
#include <surface/gl_surface.h>

#ifdef WITH_VULKAN
#include "rig/ends_vk.h"

#include <vkmpi.h>
namespace vkmpi {
pixmpi::Status resolve(const vkMPI_Surface &named, pixmpi::Direction direction,
                       std::shared_ptr<pixmpi::Surface> &surface);
}
#endif

namespace api {

std::shared_ptr<pixmpi::Surface> core_surface(End &end, [[maybe_unused]] pixmpi::Direction direction) {
    const pixmpi::Lock lock;
    std::shared_ptr<pixmpi::Surface> surface;
    const pixMPI_Surface any = end.any();
    if (any.api == PIXMPI_API_MEMORY) {
        NEED_OK(pixmpi::make_host_surface(any, surface));
    } else if (any.api == PIXMPI_API_GL) {
        std::shared_ptr<glmpi::GlDevice> device;
        std::shared_ptr<glmpi::GlSurface> found;
        NEED_OK(glmpi::current_device(device));
        NEED_OK(glmpi::resolve(*device, any, found));
        surface = found;
    }
#ifdef WITH_VULKAN
    if (auto *vk = dynamic_cast<VerbEnd<vkMPI_Surface> *>(&end)) {
        vkMPI_Surface named = vk->named();
        if (named.kind == VKMPI_IMAGE)
            named.layout = named.layout_after = VK_IMAGE_LAYOUT_GENERAL; // several messages at once
        NEED_OK(vkmpi::resolve(named, direction, surface));
    }
#endif
    NEED(surface != nullptr);
    return surface;
}

} // namespace api
