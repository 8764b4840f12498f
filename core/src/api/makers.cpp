#include "api/makers.h"

#include "api/shared_objects.h"
#include "codec/codec.h"
#include "device/planes.h"
#include "gpu/cuda_driver.h"
#include "host/host_device.h"

#include <atomic>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <utility>

namespace pixmpi {
namespace {

/// Null until the API's library has been loaded: what says that it is of that API is invented then.
std::atomic<SurfaceMaker *> makers[3];

std::atomic<SurfaceMaker *> &maker_of(std::uint32_t api) { return makers[api - PIXMPI_API_GL]; }

/// A program that names GPU memory by pixMPI_Memory need not link cudampi, which lies in the folder of this library.
SurfaceMaker *load_cuda_maker() {
    static const bool tried = [] {
        Dl_info self{};
        std::string name =
            "libcudampi.so." + std::to_string(PIXMPI_VERSION_MAJOR) + "." + std::to_string(PIXMPI_VERSION_MINOR);
        if (dladdr(reinterpret_cast<const void *>(&pixMPI_Internal_core), &self) && self.dli_fname)
            if (const char *const slash = std::strrchr(self.dli_fname, '/'))
                if (dlopen((std::string(self.dli_fname, slash + 1) + name).c_str(), RTLD_NOW | RTLD_LOCAL))
                    return true;
        return dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr;
    }();
    return tried ? maker_of(PIXMPI_API_CUDA).load() : nullptr;
}

Status find_gpu_memory(const pixMPI_Surface &named, const Use &use, std::shared_ptr<Surface> &surface) {
    SurfaceMaker *maker = maker_of(PIXMPI_API_CUDA);
    if (!maker)
        maker = load_cuda_maker();
    if (!maker)
        return fail(PIXMPI_ERR_SURFACE,
                    "surface.data: %p, memory of a GPU, which needs libcudampi, and that is not there", named.data);
    pixMPI_Surface memory = named;
    memory.api = PIXMPI_API_CUDA;
    memory.kind = memory.has_part = 0;
    return maker->make(memory, use, surface);
}

Status find_memory(pixMPI_Surface memory, const Use &use, std::shared_ptr<Surface> &surface) {
    Status error = PIXMPI_SUCCESS;
    if (memory.has_part)
        error = cut_out(memory, memory.part, format_info(memory.format).bytes);
    if (error)
        return error;
    if (memory.data)
        memory.data = static_cast<std::byte *>(memory.data) + std::exchange(memory.offset, 0);
    if (make_shared_surface(memory, use, surface, error))
        return error;
    if (memory.data && memory.width > 0 && memory.height > 0) {
        const Memory found = memory_at(memory.data);
        if (found == Memory::of_gpu)
            return find_gpu_memory(memory, use, surface);
        if (found == Memory::none)
            return fail(PIXMPI_ERR_SURFACE, "surface.data: %p, expected an address at which this process has memory%s",
                        memory.data,
                        cuda_is_loaded() ? "" : "; a pointer of a GPU needs CUDA's libcuda.so.1 to be loaded");
    }
    return make_host_surface(memory, surface);
}

Status find_plane(const pixMPI_Surface &named, const Use &use, std::shared_ptr<Surface> &surface) {
    switch (named.api) {
    case PIXMPI_API_MEMORY:
        return find_memory(named, use, surface);
    case PIXMPI_API_IN_PLACE:
        return fail(PIXMPI_ERR_SURFACE, "surface: in place, expected pixels: the call has no other side for this one");
    case PIXMPI_API_GL:
    case PIXMPI_API_VK:
    case PIXMPI_API_CUDA:
        if (SurfaceMaker *maker = maker_of(named.api))
            return maker->make(named, use, surface);
        [[fallthrough]];
    default:
        return fail(
            PIXMPI_ERR_SURFACE,
            "surface.api: %d, expected what pixMPI_Memory, a function of glMPI or cudaMPI, or vkMPI_Any has made",
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
