// What concerns communicators: attaching, routes; and what was counted.

#include "request/message.h"
#include "base/struct_size.h"

using namespace pixmpi;

int pixMPI_Comm_attach(MPI_Comm comm, const pixMPI_Options *options) {
    return public_call("pixMPI_Comm_attach", [&] {
        Lock lock;
        return attach(runtime(), lock, comm, options);
    });
}

int pixMPI_Comm_detach(MPI_Comm comm) {
    return public_call("pixMPI_Comm_detach", [&] { return detach(comm); });
}

int pixMPI_Comm_route(MPI_Comm comm, int rank, pixMPI_Route *route) {
    return public_call("pixMPI_Comm_route", [&]() -> Status {
        if (!route)
            return fail(PIXMPI_ERR_ARGUMENT, "route: null, expected a pointer to a route");
        std::shared_ptr<Channel> channel;
        if (const Status error = find_channel(comm, channel))
            return error;
        if (rank < 0 || rank >= channel->size)
            return fail(PIXMPI_ERR_RANK, "rank: %d, expected 0 to %d", rank, channel->size - 1);
        *route = channel->routes[static_cast<std::size_t>(rank)];
        return PIXMPI_SUCCESS;
    });
}

const char *pixMPI_Route_name(pixMPI_Route route) {
    constexpr const char *names[] = {"none", "self", "peer", "shm", "mpi"};
    return route >= PIXMPI_ROUTE_NONE && route <= PIXMPI_ROUTE_MPI ? names[route] : "none";
}

int pixMPI_Get_count(const MPI_Status *status, pixMPI_Format format, int64_t *pixels) {
    return call_without_lock("pixMPI_Get_count", [&]() -> Status {
        const int pixel_bytes = pixMPI_Format_bytes(format);
        if (!status || status == MPI_STATUS_IGNORE || !pixels)
            return fail(PIXMPI_ERR_ARGUMENT, "%s: null, expected a pointer", pixels ? "status" : "pixels");
        if (pixel_bytes == 0)
            return fail(PIXMPI_ERR_FORMAT, "format: %d, expected one of pixMPI_Format", static_cast<int>(format));
        MPI_Count bytes = 0;
        if (!mpi::bytes_of(*status, bytes))
            return fail(PIXMPI_ERR_ARGUMENT, "status: has no count");
        *pixels = bytes % pixel_bytes ? MPI_UNDEFINED : bytes / pixel_bytes;
        return PIXMPI_SUCCESS;
    });
}

int pixMPI_Get_stats(pixMPI_Stats *stats) {
    return public_call("pixMPI_Get_stats", [&]() -> Status {
        if (const Status error = check_struct("stats", stats))
            return error;
        Runtime &runtime = pixmpi::runtime();
        pixMPI_Stats now = runtime.stats;
        now.stage_bytes = runtime.stage.in_use();
        now.stage_bytes_max = runtime.stage.most_in_use();
        write_struct(now, stats);
        return PIXMPI_SUCCESS;
    });
}
