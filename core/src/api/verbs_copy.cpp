// Copies within this process.
#include "api/launch.h"
#include "request/local_copy.h"

using namespace pixmpi;

namespace {

struct Side {
    pixMPI_Surface surface;
    pixMPI_Region region;
};

Status find(const Side &side, bool from, Place &place) {
    if (const Status error = find_surface(side.surface, {from, !from, 1, true}, place.surface))
        return error;
    return find_region(side.region, place.surface->extent, place.region, from ? "from_region" : "to_region");
}

Status check_alike(const Place &from, const Place &to) {
    if (from.surface->pixel_bytes != to.surface->pixel_bytes || from.surface->has_depth() != to.surface->has_depth())
        return fail(PIXMPI_ERR_FORMAT, "to: its pixels have %d bytes%s, those of from %d%s, expected the same",
                    to.surface->pixel_bytes, to.surface->has_depth() ? " with depth" : "", from.surface->pixel_bytes,
                    from.surface->has_depth() ? " with depth" : "");
    if (from.region->pixels != to.region->pixels)
        return fail(PIXMPI_ERR_REGION, "to_region: %llu pixels, from_region has %llu, expected as many",
                    static_cast<unsigned long long>(to.region->pixels),
                    static_cast<unsigned long long>(from.region->pixels));
    return PIXMPI_SUCCESS;
}

int copy(const char *name, const Form &form, const Side &from, const Side &to) {
    return public_call(name, [&]() -> Status {
        if (const Status error = check_form(form))
            return error;
        Place source, target;
        if (const Status error = find(from, true, source))
            return error;
        if (const Status error = find(to, false, target))
            return error;
        if (const Status error = check_alike(source, target))
            return error;
        Runtime &runtime = pixmpi::runtime();
        Lock lock(runtime);
        if (const Status error = need_library(runtime))
            return error;
        const auto made = std::make_shared<LocalCopy>(source, target, Combination(), LocalCopy::Of::program);
        if (const Status error = launch(runtime, form, made))
            return error;
        if (!form.blocking)
            return PIXMPI_SUCCESS;
        const Status error = finish(runtime, lock, *made);
        if (made->state == State::active) // nobody is left to wait for it
            made->abandon(error);
        return error;
    });
}

} // namespace

int pixMPI_Copy(pixMPI_Surface from, pixMPI_Region from_region, pixMPI_Surface to, pixMPI_Region to_region) {
    return copy("pixMPI_Copy", blocking(), {from, from_region}, {to, to_region});
}

int pixMPI_Icopy(pixMPI_Surface from, pixMPI_Region from_region, pixMPI_Surface to, pixMPI_Region to_region,
                 pixMPI_Request *request) {
    return copy("pixMPI_Icopy", nonblocking(request), {from, from_region}, {to, to_region});
}

int pixMPI_Copy_init(pixMPI_Surface from, pixMPI_Region from_region, pixMPI_Surface to, pixMPI_Region to_region,
                     pixMPI_Request *request) {
    return copy("pixMPI_Copy_init", persistent(request), {from, from_region}, {to, to_region});
}

int pixMPI_Progress(void) {
    return public_call("pixMPI_Progress", [] {
        Runtime &runtime = pixmpi::runtime();
        Lock lock(runtime);
        bool moved = false;
        progress(runtime, moved);
        return PIXMPI_SUCCESS;
    });
}

const char *pixMPI_Way_name(pixMPI_Way way) {
    constexpr const char *names[] = {"straight", "device", "host", "file"};
    return way >= PIXMPI_WAY_STRAIGHT && way < PIXMPI_WAY_END ? names[way] : "none";
}
