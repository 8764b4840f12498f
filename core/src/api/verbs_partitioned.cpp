// Partitioned messages.
#include "api/launch.h"

#include "pixmpi_partitioned.h"
#include "request/partitioned.h"
#include "request/request_list.h"

#include <cstdio>

using namespace pixmpi;

namespace {

constexpr Use to_send{true, false, 1}, to_receive{false, true, 1};

Status check_partners(const Channel &channel, Direction direction, int rank, int tag) {
    if (direction == Direction::unpack && rank == MPI_ANY_SOURCE)
        return fail(PIXMPI_ERR_RANK, "source: MPI_ANY_SOURCE, expected a rank: partitioned messages have no wildcards");
    if (direction == Direction::unpack && tag == MPI_ANY_TAG)
        return fail(PIXMPI_ERR_TAG, "tag: MPI_ANY_TAG, expected a tag: partitioned messages have no wildcards");
    if (!channel.program->is_plain())
        return fail(PIXMPI_ERR_COMM, "comm: an endpoint's, expected the one that the endpoint was made from");
    return check_address(channel, direction, rank, tag);
}

Status find_end(Direction direction, const pixMPI_Surface &surface, int partitions, const pixMPI_Region regions[],
                int rank, int tag, MPI_Comm comm, PartitionedEnd &end) {
    const bool sends = direction == Direction::pack;
    if (const Status error = find_surface(surface, sends ? to_send : to_receive, end.surface))
        return error;
    if (partitions < 1 || !regions)
        return fail(PIXMPI_ERR_ARGUMENT, "partitions: %d, regions: %s, expected one partition at least", partitions,
                    regions ? "given" : "null");
    end.parts.resize(static_cast<std::size_t>(partitions));
    for (int i = 0; i < partitions; ++i) {
        char name[32];
        std::snprintf(name, sizeof name, "regions[%d]", i);
        if (const Status error =
                find_region(regions[i], end.surface->extent, end.parts[static_cast<std::size_t>(i)], name))
            return error;
    }
    if (const Status error = find_channel(comm, end.channel))
        return error;
    end.rank = rank;
    end.tag = tag;
    return check_partners(*end.channel, direction, rank, tag);
}

template <class Kind>
Status make(Direction direction, const pixMPI_Surface &surface, int partitions, const pixMPI_Region regions[], int rank,
            int tag, MPI_Comm comm, pixMPI_Request *request) {
    const Form form = persistent(request);
    if (const Status error = check_form(form))
        return error;
    PartitionedEnd end;
    if (const Status error = find_end(direction, surface, partitions, regions, rank, tag, comm, end))
        return error;
    return launch(runtime(), form, Kind::make(std::move(end)));
}

template <class Kind>
Status find(pixMPI_Request handle, const char *expected, std::shared_ptr<Request> &request, Kind *&found) {
    if (const Status error = find_request(runtime(), handle, -1, request))
        return error;
    found = dynamic_cast<Kind *>(request.get());
    return found ? PIXMPI_SUCCESS : fail(PIXMPI_ERR_REQUEST, "request: of another kind, expected one of %s", expected);
}

Status check_partition(const Partitioned &request, const char *name, int partition) {
    return partition >= 0 && partition < request.partitions()
               ? PIXMPI_SUCCESS
               : fail(PIXMPI_ERR_ARGUMENT, "%s: %d, expected 0 to %d", name, partition, request.partitions() - 1);
}

/// `at(i)` is the i-th of `count` partitions.
template <class At> Status make_ready(pixMPI_Request handle, const char *name, int count, At at) {
    std::shared_ptr<Request> request;
    PartitionedSend *found = nullptr;
    if (const Status error = find(handle, "pixMPI_Psend_init", request, found))
        return error;
    if (found->state == State::inactive)
        return fail(PIXMPI_ERR_REQUEST, "request: inactive, expected one that has been started");
    std::vector<bool> marked(static_cast<std::size_t>(found->partitions()));
    for (int i = 0; i < count; ++i) {
        if (const Status error = check_partition(*found, name, at(i)))
            return error;
        if (found->is_ready(at(i)) || marked[static_cast<std::size_t>(at(i))])
            return fail(PIXMPI_ERR_ARGUMENT, "%s: %d is ready already, expected each partition once", name, at(i));
        marked[static_cast<std::size_t>(at(i))] = true;
    }
    for (int i = 0; i < count; ++i)
        found->set_ready(runtime(), at(i));
    return PIXMPI_SUCCESS;
}

} // namespace

int pixMPI_Psend_init(pixMPI_Surface surface, int partitions, const pixMPI_Region regions[], int dest, int tag,
                      MPI_Comm comm, pixMPI_Request *request) {
    return public_call("pixMPI_Psend_init", [&] {
        return make<PartitionedSend>(Direction::pack, surface, partitions, regions, dest, tag, comm, request);
    });
}

int pixMPI_Precv_init(pixMPI_Surface surface, int partitions, const pixMPI_Region regions[], int source, int tag,
                      MPI_Comm comm, pixMPI_Request *request) {
    return public_call("pixMPI_Precv_init", [&] {
        return make<PartitionedReceive>(Direction::unpack, surface, partitions, regions, source, tag, comm, request);
    });
}

int pixMPI_Pready(int partition, pixMPI_Request request) {
    return public_call("pixMPI_Pready",
                       [&] { return make_ready(request, "partition", 1, [&](int) { return partition; }); });
}

int pixMPI_Pready_range(int low, int high, pixMPI_Request request) {
    return public_call("pixMPI_Pready_range", [&]() -> Status {
        std::shared_ptr<Request> kept;
        PartitionedSend *found = nullptr;
        if (const Status error = find(request, "pixMPI_Psend_init", kept, found))
            return error;
        if (const Status error = check_partition(*found, "low", low))
            return error;
        if (const Status error = check_partition(*found, "high", high))
            return error;
        if (high < low)
            return fail(PIXMPI_ERR_ARGUMENT, "high: %d, expected %d (low) or more", high, low);
        return make_ready(request, "partition", high - low + 1, [&](int i) { return low + i; });
    });
}

int pixMPI_Pready_list(int length, const int list[], pixMPI_Request request) {
    return public_call("pixMPI_Pready_list", [&]() -> Status {
        if (length < 0 || (length > 0 && !list))
            return fail(PIXMPI_ERR_ARGUMENT, "length: %d, list: %s", length, list ? "given" : "null");
        return make_ready(request, "list", length, [&](int i) { return list[i]; });
    });
}

int pixMPI_Parrived(pixMPI_Request request, int partition, int *flag) {
    return public_call("pixMPI_Parrived", [&]() -> Status {
        if (!flag)
            return fail(PIXMPI_ERR_ARGUMENT, "flag: null, expected a pointer to an int");
        std::shared_ptr<Request> kept;
        PartitionedReceive *found = nullptr;
        if (const Status error = find(request, "pixMPI_Precv_init", kept, found))
            return error;
        if (const Status error = check_partition(*found, "partition", partition))
            return error;
        bool moved = false;
        if (!found->has_arrived(partition))
            progress(runtime(), moved);
        *flag = found->has_arrived(partition);
        return PIXMPI_SUCCESS;
    });
}
