// The entry points, the constructors of CUDA's surfaces, and the surfaces that the core asks for when a call names one.
#include "api/verbs_of_api.h"
#include "cudampi.h"
#include "surface/cuda_surface.h"

using namespace cudampi;
using pixmpi::public_call;

namespace {

class Maker final : public pixmpi::SurfaceMaker {
  public:
    Maker() { core().serve(PIXMPI_API_CUDA, *this); }
    Status make(const pixMPI_Surface &named, const pixmpi::Use &, std::shared_ptr<pixmpi::Surface> &made) override {
        std::shared_ptr<CudaSurface> found;
        if (const Status status = resolve(named, found))
            return status;
        made = std::move(found);
        return named.has_part ? made->narrow(named.part) : PIXMPI_SUCCESS;
    }
};

/// From the moment in which the library is loaded.
Maker maker;

pixMPI_Surface of_array(Kind kind, const void *array, pixMPI_Format format, int level, int layer) {
    pixMPI_Surface surface{};
    surface.api = PIXMPI_API_CUDA;
    surface.kind = static_cast<std::uint8_t>(kind);
    surface.data = const_cast<void *>(array);
    surface.format = format;
    const auto word = [](int n) { return static_cast<std::uint64_t>(static_cast<std::uint32_t>(n)); };
    surface.row_bytes = static_cast<std::ptrdiff_t>(word(layer) << 32 | word(level));
    return surface;
}

} // namespace

pixMPI_Surface cudaMPI_Memory(const void *data, pixMPI_Format format, int width, int height) {
    pixMPI_Surface surface = pixMPI_Memory(data, format, width, height);
    surface.api = PIXMPI_API_CUDA;
    surface.kind = static_cast<std::uint8_t>(Kind::memory);
    return surface;
}

pixMPI_Surface cudaMPI_Volume(const void *data, pixMPI_Format format, int width, int height, int depth) {
    const std::int64_t rows = std::int64_t{height} * depth;
    // What an int cannot hold is refused by the call that takes the surface, as is one negative side.
    const bool good = height >= 0 && depth >= 0 && rows <= INT32_MAX;
    return cudaMPI_Memory(data, format, width, good ? static_cast<int>(rows) : -1);
}

pixMPI_Surface cudaMPI_Array(const void *array, pixMPI_Format format, int layer) {
    return of_array(Kind::array, array, format, 0, layer);
}

pixMPI_Surface cudaMPI_Mipmapped(const void *mipmapped, pixMPI_Format format, int level, int layer) {
    return of_array(Kind::mipmapped, mipmapped, format, level, layer);
}

pixMPI_Surface cudaMPI_On_stream(pixMPI_Surface surface, struct CUstream_st *stream) {
    if (surface.api == PIXMPI_API_MEMORY) { // a pointer that pixMPI_Memory took
        if (surface.data)
            surface.data = static_cast<std::byte *>(surface.data) + surface.offset;
        surface.api = PIXMPI_API_CUDA;
        surface.kind = static_cast<std::uint8_t>(Kind::memory);
    }
    if (surface.api == PIXMPI_API_CUDA)
        surface.offset = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(stream));
    return surface;
}

PIXMPI_VERBS_OF_API(cudaMPI_)

int cudaMPI_Context_release(void) {
    return public_call("cudaMPI_Context_release", [] { return release_current(); });
}
