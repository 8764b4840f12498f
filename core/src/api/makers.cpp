#include "api/makers.h"

#include "api/shared_objects.h"
#include "codec/codec.h"
#include "host/host_device.h"
#include "memory/with_depth.h"

#include <atomic>
#include <cstring>

namespace pixmpi {
namespace {

/// Null until the API's library has been asked for a surface, so that what says that it is of that API is invented.
std::atomic<SurfaceMaker *> makers[2];

std::atomic<SurfaceMaker *> &maker_of(std::uint32_t api) { return makers[api == PIXMPI_API_VK]; }

Status find_plane(const pixMPI_Surface &named, const Use &use, std::shared_ptr<Surface> &surface) {
    switch (named.api) {
    case PIXMPI_API_MEMORY: {
        Status error = PIXMPI_SUCCESS;
        return make_shared_surface(named, use, surface, error) ? error : make_host_surface(named, surface);
    }
    case PIXMPI_API_IN_PLACE:
        return fail(PIXMPI_ERR_SURFACE, "surface: in place, expected pixels: the call has no other side for this one");
    case PIXMPI_API_GL:
    case PIXMPI_API_VK:
        if (SurfaceMaker *maker = maker_of(named.api))
            return maker->make(named, use, surface);
        [[fallthrough]];
    default:
        return fail(PIXMPI_ERR_SURFACE, "surface.api: %u, expected what pixMPI_Memory, glMPI_Any or vkMPI_Any has made",
                    named.api);
    }
}

static_assert(offsetof(pixMPI_Surface, depth) == sizeof(pixMPI_Surface::depth));

Status find_planes(const pixMPI_Surface &named, const Use &use, std::shared_ptr<Surface> &surface) {
    pixMPI_Surface color = named, depth{};
    color.api &= ~static_cast<std::uint32_t>(PIXMPI_API_WITH_DEPTH);
    std::memcpy(&depth, named.depth, sizeof named.depth);
    std::shared_ptr<Surface> colors, depths;
    if (const Status error = find_plane(color, use, colors))
        return error;
    if (const Status error = find_plane(depth, use, depths))
        return error;
    return SurfaceWithDepth::make(std::move(colors), std::move(depths), surface);
}

} // namespace

void set_maker(std::uint32_t api, SurfaceMaker &maker) { maker_of(api) = &maker; }

Status find_surface(const pixMPI_Surface &named, const Use &use, std::shared_ptr<Surface> &surface) {
    CodecWish wish;
    if (const Status error = read_wish(named.codec, wish))
        return error;
    const bool planes = (named.api & PIXMPI_API_WITH_DEPTH) != 0;
    if (const Status error = planes ? find_planes(named, use, surface) : find_plane(named, use, surface))
        return error;
    surface->codec = named.codec;
    return PIXMPI_SUCCESS;
}

} // namespace pixmpi
