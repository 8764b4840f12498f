// The entry points, and the surfaces that the core asks for when a call names one of OpenGL.
#include "api/verbs_of_api.h"
#include "device/gl_contexts.h"
#include "glmpi.h"
#include "surface/away_surface.h"

using namespace glmpi;
using pixmpi::core;
using pixmpi::public_call;

namespace {

/// Of a context that was current when glMPI_With_context named the surface, and perhaps is so in another thread now.
Status find_away(const Named &named, const pixmpi::Use &use, std::shared_ptr<pixmpi::Surface> &surface) {
    std::shared_ptr<GlDevice> device;
    if (const Status status = device_numbered(named.context, device))
        return status;
    if (!use.anywhere && !device->usable())
        return pixmpi::fail(PIXMPI_ERR_CONTEXT,
                            "surface: of a context that is not current in this thread (%s), which "
                            "only pixMPI_Copy and files take",
                            device->name());
    const auto away = std::make_shared<AwaySurface>(device, named);
    if (!device->usable()) {
        surface = away;
        return PIXMPI_SUCCESS;
    }
    std::shared_ptr<GlSurface> here;
    const Status status = away->here(here);
    surface = std::move(here);
    return status;
}

Status find_here(const pixMPI_Surface &named, std::shared_ptr<GlDevice> &device, std::shared_ptr<GlSurface> &surface) {
    if (named.api != PIXMPI_API_GL)
        return pixmpi::fail(PIXMPI_ERR_SURFACE, "surface: of another API, expected one of OpenGL");
    if (const Status status = current_device(device))
        return status;
    return resolve(*device, named, surface);
}

class Maker final : public pixmpi::SurfaceMaker {
  public:
    Maker() { core().serve(PIXMPI_API_GL, *this); }
    Status make(const pixMPI_Surface &surface, const pixmpi::Use &use,
                std::shared_ptr<pixmpi::Surface> &made) override {
        pixMPI_Surface one = surface;
        if (const Status status = cut_out_of_buffer(one))
            return status;
        if (const Named named = named_of(one); named.context != 0) {
            const Status status = find_away(named, use, made);
            return !status && one.has_part ? made->narrow(one.part) : status;
        }
        std::shared_ptr<GlDevice> device;
        std::shared_ptr<GlSurface> found;
        const Status status = find_here(one, device, found);
        made = std::move(found);
        return status;
    }
};

/// From the moment when the library is loaded.
Maker maker;

template <class Body> int with_surface(const char *call, const pixMPI_Surface &named, Body body) {
    return public_call(call, [&]() -> Status {
        std::shared_ptr<GlDevice> device;
        std::shared_ptr<GlSurface> surface;
        if (const Status status = find_here(named, device, surface))
            return status;
        return body(*device, *surface);
    });
}

} // namespace

int glMPI_With_context(pixMPI_Surface surface, pixMPI_Surface *result) {
    return with_surface("glMPI_With_context", surface, [&](const GlDevice &device, const GlSurface &found) -> Status {
        if (!result)
            return pixmpi::fail(PIXMPI_ERR_ARGUMENT, "result: null, expected a pointer to a surface");
        if (static_cast<Kind>(surface.kind) != Kind::buffer) {
            surface.width = found.full.width;
            surface.height = found.full.height;
            surface.format = found.format;
        }
        set_context(surface, static_cast<std::uint32_t>(device.number));
        *result = surface;
        return PIXMPI_SUCCESS;
    });
}

PIXMPI_VERBS_OF_API(glMPI_)

int glMPI_Context_name(const char **name) {
    return public_call("glMPI_Context_name", [&]() -> Status {
        std::shared_ptr<GlDevice> device;
        if (const Status status = current_device(device))
            return status;
        if (name)
            *name = device->name();
        return PIXMPI_SUCCESS;
    });
}

int glMPI_Context_rates(pixMPI_Format format, double *pack, double *unpack) {
    return public_call("glMPI_Context_rates", [&]() -> Status {
        std::shared_ptr<GlDevice> device;
        if (const Status status = current_device(device))
            return status;
        if (gl_format(format).internal == 0)
            return pixmpi::fail(PIXMPI_ERR_FORMAT, "format: %s, expected one that textures have",
                                pixmpi::format_info(format).name);
        const FormatChoice read = device->choices.get(format, Direction::pack);
        const FormatChoice write = device->choices.get(format, Direction::unpack);
        if (read.way == Way::none || write.way == Way::none)
            return pixmpi::fail(PIXMPI_ERR_FORMAT, "format: %s, expected one that textures of this context have",
                                pixmpi::format_info(format).name);
        if (pack)
            *pack = read.rate.bytes_per_second;
        if (unpack)
            *unpack = write.rate.bytes_per_second;
        return PIXMPI_SUCCESS;
    });
}

int glMPI_Context_release(void) {
    return public_call("glMPI_Context_release", [] { return release_current(); });
}
