// The entry points: each names its call, makes surfaces of what the program named, and hands over to the core.
#include "away_surface.h"
#include "contexts.h"
#include "glmpi.h"

#include <cstring>

using namespace glmpi;
using pixmpi::core;
using pixmpi::End;
using pixmpi::Life;
using pixmpi::public_call;

namespace {

Status make_end(const glMPI_Surface &named, pixMPI_Region region, End &end) {
    std::shared_ptr<GlDevice> device;
    if (const Status status = current_device(device))
        return status;
    std::shared_ptr<GlSurface> surface;
    if (const Status status = resolve(*device, named, surface))
        return status;
    end = {std::move(surface), region};
    return PIXMPI_SUCCESS;
}

/// Of a context that was current when glMPI_Any_here named the surface, and perhaps is so in another thread now.
Status find_away(const Any &any, const pixmpi::Use &use, std::shared_ptr<pixmpi::Surface> &surface) {
    std::shared_ptr<GlDevice> device;
    if (const Status status = device_numbered(any.context, device))
        return status;
    if (!use.anywhere && !device->usable())
        return pixmpi::fail(PIXMPI_ERR_CONTEXT,
                            "surface: of a context that is not current in this thread (%s), which "
                            "only pixMPI_Copy and files take",
                            device->name());
    const auto away = std::make_shared<AwaySurface>(device, any);
    if (!device->usable()) {
        surface = away;
        return PIXMPI_SUCCESS;
    }
    std::shared_ptr<GlSurface> here;
    const Status status = away->here(here);
    surface = std::move(here);
    return status;
}

class Maker final : public pixmpi::SurfaceMaker {
    Status make(const pixMPI_Surface &named, const pixmpi::Use &use,
                std::shared_ptr<pixmpi::Surface> &surface) override {
        Any any;
        std::memcpy(&any, named.other, sizeof any);
        if (any.context != 0)
            return find_away(any, use, surface);
        End end;
        if (const Status status = make_end(any.surface, PIXMPI_REGION_NULL, end))
            return status;
        surface = std::move(end.surface);
        return PIXMPI_SUCCESS;
    }
};

// With a rank of MPI_PROC_NULL nothing happens, but the surface has to be right all the same.
template <class Body> int with_end(const char *call, const glMPI_Surface &named, pixMPI_Region region, Body body) {
    return public_call(call, [&]() -> Status {
        End end;
        if (const Status status = make_end(named, region, end))
            return status;
        return body(end);
    });
}

} // namespace

namespace {

pixMPI_Surface as_surface(const Any &value) {
    static Maker maker;
    core().serve(PIXMPI_API_GL, maker);
    pixMPI_Surface any{};
    any.api = PIXMPI_API_GL;
    std::memcpy(any.other, &value, sizeof value);
    return any;
}

} // namespace

pixMPI_Surface glMPI_Any(glMPI_Surface surface) { return as_surface({surface, 0, 0, 0, PIXMPI_FORMAT_NONE}); }

int glMPI_Any_here(glMPI_Surface surface, pixMPI_Surface *any) {
    return with_end("glMPI_Any_here", surface, PIXMPI_REGION_NULL, [&](const End &end) -> Status {
        if (!any)
            return pixmpi::fail(PIXMPI_ERR_ARGUMENT, "any: null, expected a pointer to a surface");
        const auto &found = static_cast<const GlSurface &>(*end.surface);
        *any = as_surface({surface, found.gl_device.number, found.extent.width, found.extent.height, found.format});
        return PIXMPI_SUCCESS;
    });
}

int glMPI_Send(glMPI_Surface surface, pixMPI_Region region, int dest, int tag, MPI_Comm comm) {
    return with_end("glMPI_Send", surface, region, [&](const End &end) { return core().send(end, dest, tag, comm); });
}

int glMPI_Recv(glMPI_Surface surface, pixMPI_Region region, int source, int tag, MPI_Comm comm, MPI_Status *status) {
    return with_end("glMPI_Recv", surface, region,
                    [&](const End &end) { return core().recv(end, source, tag, comm, status); });
}

int glMPI_Isend(glMPI_Surface surface, pixMPI_Region region, int dest, int tag, MPI_Comm comm,
                pixMPI_Request *request) {
    return with_end("glMPI_Isend", surface, region,
                    [&](const End &end) { return core().make_send(end, dest, tag, comm, Life::once, request); });
}

int glMPI_Irecv(glMPI_Surface surface, pixMPI_Region region, int source, int tag, MPI_Comm comm,
                pixMPI_Request *request) {
    return with_end("glMPI_Irecv", surface, region,
                    [&](const End &end) { return core().make_recv(end, source, tag, comm, Life::once, request); });
}

int glMPI_Sendrecv(glMPI_Surface sendsurface, pixMPI_Region sendregion, int dest, int sendtag,
                   glMPI_Surface recvsurface, pixMPI_Region recvregion, int source, int recvtag, MPI_Comm comm,
                   MPI_Status *status) {
    return public_call("glMPI_Sendrecv", [&]() -> Status {
        End send, recv;
        if (const Status code = make_end(sendsurface, sendregion, send))
            return code;
        if (const Status code = make_end(recvsurface, recvregion, recv))
            return code;
        return core().sendrecv(send, dest, sendtag, recv, source, recvtag, comm, status);
    });
}

int glMPI_Sendrecv_replace(glMPI_Surface surface, pixMPI_Region region, int dest, int sendtag, int source, int recvtag,
                           MPI_Comm comm, MPI_Status *status) {
    return with_end("glMPI_Sendrecv_replace", surface, region, [&](const End &end) {
        return core().sendrecv_replace(end, dest, sendtag, source, recvtag, comm, status);
    });
}

int glMPI_Send_init(glMPI_Surface surface, pixMPI_Region region, int dest, int tag, MPI_Comm comm,
                    pixMPI_Request *request) {
    return with_end("glMPI_Send_init", surface, region,
                    [&](const End &end) { return core().make_send(end, dest, tag, comm, Life::persistent, request); });
}

int glMPI_Recv_init(glMPI_Surface surface, pixMPI_Region region, int source, int tag, MPI_Comm comm,
                    pixMPI_Request *request) {
    return with_end("glMPI_Recv_init", surface, region, [&](const End &end) {
        return core().make_recv(end, source, tag, comm, Life::persistent, request);
    });
}

int glMPI_Format_of(glMPI_Surface surface, pixMPI_Format *format) {
    return with_end("glMPI_Format_of", surface, PIXMPI_REGION_NULL, [&](const End &end) {
        if (format)
            *format = static_cast<const GlSurface &>(*end.surface).format;
        return PIXMPI_SUCCESS;
    });
}

int glMPI_Size_of(glMPI_Surface surface, int *width, int *height) {
    return with_end("glMPI_Size_of", surface, PIXMPI_REGION_NULL, [&](const End &end) {
        if (width)
            *width = end.surface->extent.width;
        if (height)
            *height = end.surface->extent.height;
        return PIXMPI_SUCCESS;
    });
}

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
