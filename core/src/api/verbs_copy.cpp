// Copies within this process.
#include "api/copy_call.h"

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

int copy(const char *name, const Form &form, const Side &from, const Side &to) {
    return public_call(name, [&]() -> Status {
        Place source, target;
        if (const Status error = find(from, true, source))
            return error;
        if (const Status error = find(to, false, target))
            return error;
        return run_copy(form, source, target, {"from", "from_region", "to", "to_region"});
    });
}

} // namespace

PIXMPI_VERB(Copy, Icopy, copy,
            (pixMPI_Surface from, pixMPI_Region from_region, pixMPI_Surface to, pixMPI_Region to_region),
            ({from, from_region}, {to, to_region}))

int pixMPI_Progress(void) {
    return public_call("pixMPI_Progress", [] {
        bool moved = false;
        progress(runtime(), moved);
        return PIXMPI_SUCCESS;
    });
}

const char *pixMPI_Way_name(pixMPI_Way way) {
    constexpr const char *names[] = {"straight", "device", "host", "file", "peer"};
    return way >= PIXMPI_WAY_STRAIGHT && way < PIXMPI_WAY_END ? names[way] : "none";
}
