// What concerns communicators: attaching, routes, probing; and what was counted.

#include "request/message.h"

using namespace pixmpi;

namespace {

Status probe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status) {
    Lock lock;
    Runtime &runtime = pixmpi::runtime();
    std::shared_ptr<Channel> channel;
    if (const Status error = find_channel(comm, channel))
        return error;
    if (const Status error = check_address(*channel, Direction::unpack, source, tag))
        return error;
    if (source == MPI_PROC_NULL) {
        mpi::fill(status, mpi::nobody());
        if (flag)
            *flag = 1;
        return PIXMPI_SUCCESS;
    }
    return go_on_until(runtime, lock, Pause(), [&](bool &yes) -> Status {
        const Letter *found = nullptr;
        if (const Status error = expect(*channel, source, tag, found))
            return error;
        if (found) {
            Envelope envelope;
            mpi::Arrival arrival = found->arrival;
            arrival.bytes = decode(found->bytes, envelope) ? envelope.bytes() : 0;
            mpi::fill(status, arrival);
        }
        if (flag)
            *flag = found != nullptr;
        yes = found || flag;
        return PIXMPI_SUCCESS;
    });
}

} // namespace

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

int pixMPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status) {
    return public_call("pixMPI_Probe", [&] { return probe(source, tag, comm, nullptr, status); });
}

int pixMPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status) {
    return public_call("pixMPI_Iprobe", [&]() -> Status {
        if (!flag)
            return fail(PIXMPI_ERR_ARGUMENT, "flag: null, expected a pointer to an int");
        return probe(source, tag, comm, flag, status);
    });
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
        if (!stats)
            return fail(PIXMPI_ERR_ARGUMENT, "stats: null, expected a pointer");
        Runtime &runtime = pixmpi::runtime();
        *stats = runtime.stats;
        stats->stage_bytes = runtime.stage.in_use();
        stats->stage_bytes_max = runtime.stage.most_in_use();
        return PIXMPI_SUCCESS;
    });
}
