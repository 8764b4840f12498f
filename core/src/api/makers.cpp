#include "api/makers.h"

#include "api/shared_objects.h"
#include "codec/codec.h"
#include "device/planes.h"
#include "host/host_device.h"

#include <atomic>
#include <utility>

namespace pixmpi {
namespace {

/// Null until the API's library has been loaded: what says that it is of that API is invented then.
std::atomic<SurfaceMaker *> makers[2];

std::atomic<SurfaceMaker *> &maker_of(std::uint32_t api) { return makers[api == PIXMPI_API_VK]; }

Status find_plane(const pixMPI_Surface &named, const Use &use, std::shared_ptr<Surface> &surface) {
    switch (named.api) {
    case PIXMPI_API_MEMORY: {
        pixMPI_Surface memory = named;
        Status error = PIXMPI_SUCCESS;
        if (memory.has_part)
            error = cut_out(memory, memory.part, format_info(memory.format).bytes);
        if (error)
            return error;
        if (memory.data)
            memory.data = static_cast<std::byte *>(memory.data) + std::exchange(memory.offset, 0);
        return make_shared_surface(memory, use, surface, error) ? error : make_host_surface(memory, surface);
    }
    case PIXMPI_API_IN_PLACE:
        return fail(PIXMPI_ERR_SURFACE, "surface: in place, expected pixels: the call has no other side for this one");
    case PIXMPI_API_GL:
    case PIXMPI_API_VK:
        if (SurfaceMaker *maker = maker_of(named.api))
            return maker->make(named, use, surface);
        [[fallthrough]];
    default:
        return fail(PIXMPI_ERR_SURFACE,
                    "surface.api: %d, expected what pixMPI_Memory, a function of glMPI or vkMPI_Any has made",
                    named.api);
    }
}

Status find_planes(const pixMPI_Surface &named, const Use &use, std::shared_ptr<Surface> &surface) {
    const auto *color = static_cast<const pixMPI_Surface *>(named.data);
    const auto *depth = reinterpret_cast<const pixMPI_Surface *>(static_cast<std::intptr_t>(named.offset));
    if (!color || !depth)
        return fail(PIXMPI_ERR_SURFACE, "surface.%s: null, expected a pointer to a surface",
                    color ? "depths" : "colors");
    const auto within = [&](const pixMPI_Surface &plane) {
        const pixMPI_Rect &part = named.part;
        return named.has_part ? pixMPI_Sub(plane, part.x, part.y, part.width, part.height) : plane;
    };
    std::shared_ptr<Surface> colors, depths;
    if (const Status error = find_plane(within(*color), use, colors))
        return error;
    if (const Status error = find_plane(within(*depth), use, depths))
        return error;
    return join_with_depth(std::move(colors), std::move(depths), surface);
}

} // namespace

void set_maker(std::uint32_t api, SurfaceMaker &maker) { maker_of(api) = &maker; }

Status find_surface(const pixMPI_Surface &named, const Use &use, std::shared_ptr<Surface> &surface) {
    CodecWish wish;
    if (const Status error = read_wish(named.codec, wish))
        return error;
    const bool planes = named.api == PIXMPI_API_WITH_DEPTH;
    if (const Status error = planes ? find_planes(named, use, surface) : find_plane(named, use, surface))
        return error;
    surface->codec = named.codec;
    return PIXMPI_SUCCESS;
}

} // namespace pixmpi
