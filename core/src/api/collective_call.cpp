#include "api/collective_call.h"

#include "api/operations.h"

#include <cstdio>

namespace pixmpi {

namespace {

/// regions[i], which lies within the surface.
Status find_part(const pixMPI_Region regions[], int i, const char *argument, CallEnds &ends) {
    char name[64];
    std::snprintf(name, sizeof name, "%s[%d]", argument, i);
    return find_region(regions[i], ends.surface->extent, ends.parts[static_cast<std::size_t>(i)], name);
}

unsigned long long pixels_of(const CallEnds &ends, int i) { return ends.parts[static_cast<std::size_t>(i)]->pixels; }

} // namespace

Status CallArguments::check_root(int root) const {
    return root >= 0 && root < size ? PIXMPI_SUCCESS
                                    : fail(PIXMPI_ERR_RANK, "root: %d, expected a rank from 0 to %d", root, size - 1);
}

Status CallArguments::find(const pixMPI_Surface &surface, pixMPI_Region region, const char *argument, const Use &use,
                           CallEnd &end) const {
    if (const Status error = find_surface(surface, use, end.surface))
        return error;
    return find_region(region, end.surface->extent, end.part, argument);
}

Status CallArguments::find(const pixMPI_Surface &surface, const pixMPI_Region regions[], const char *argument,
                           const Use &use, CallEnds &ends) const {
    if (!regions)
        return fail(PIXMPI_ERR_ARGUMENT, "%s: null, expected %d regions, one for each rank", argument, size);
    if (const Status error = find_surface(surface, use, ends.surface))
        return error;
    ends.parts.resize(static_cast<std::size_t>(size));
    for (int i = 0; i < size; ++i)
        if (const Status error = find_part(regions, i, argument, ends))
            return error;
    return PIXMPI_SUCCESS;
}

Status CallArguments::find(const pixMPI_Surface &surface, const pixMPI_Region regions[],
                           const std::vector<Edge> &neighbors, const char *argument, const Use &use,
                           CallEnds &ends) const {
    if (neighbors.empty())
        return find_surface(pixMPI_Memory(nullptr, PIXMPI_R8, 0, 0), use, ends.surface);
    if (!regions)
        return fail(PIXMPI_ERR_ARGUMENT, "%s: null, expected %zu regions, one for each neighbour", argument,
                    neighbors.size());
    if (const Status error = find_surface(surface, use, ends.surface))
        return error;
    ends.parts.resize(neighbors.size());
    for (std::size_t i = 0; i < neighbors.size(); ++i)
        if (neighbors[i].rank >= 0)
            if (const Status error = find_part(regions, static_cast<int>(i), argument, ends))
                return error;
    return PIXMPI_SUCCESS;
}

Status CallArguments::check_alike(const CallEnd &send, const CallEnd &recv) const {
    if (send.surface->pixel_bytes != recv.surface->pixel_bytes)
        return fail(PIXMPI_ERR_FORMAT,
                    "recvsurface: its pixels have %d bytes, those of sendsurface %d, expected the same",
                    recv.surface->pixel_bytes, send.surface->pixel_bytes);
    if (send.part->pixels != recv.part->pixels)
        return fail(PIXMPI_ERR_TRUNCATE,
                    "recvregion: %llu pixels for this rank's own, sendregion has %llu, expected the same number",
                    static_cast<unsigned long long>(recv.part->pixels),
                    static_cast<unsigned long long>(send.part->pixels));
    return PIXMPI_SUCCESS;
}

Status CallArguments::check_same_format(const Surface &send, const Surface &recv) const {
    const auto check = [](const char *plane, pixMPI_Format sent, pixMPI_Format received) {
        return sent == received
                   ? PIXMPI_SUCCESS
                   : fail(PIXMPI_ERR_FORMAT, "recvsurface: %s%s, sendsurface's is %s, expected the same format", plane,
                          format_info(received).name, format_info(sent).name);
    };
    const Status error = check("", send.format, recv.format);
    return error ? error : check("its depth is ", send.depth_format, recv.depth_format);
}

Status CallArguments::check_loops(const Topology &topology, const CallEnds &send, const CallEnds &recv) const {
    for (std::size_t k = 0; k < topology.destinations.size(); ++k)
        for (std::size_t l = 0; l < topology.sources.size(); ++l) {
            const Edge &to = topology.destinations[k], &from = topology.sources[l];
            if (to.rank != rank || from.rank != rank || to.label != from.label)
                continue;
            // Of an allgather all neighbours get the same region.
            const int sent = send.parts.size() == 1 ? 0 : static_cast<int>(k), received = static_cast<int>(l);
            if (send.surface->pixel_bytes != recv.surface->pixel_bytes)
                return check_alike(send.of(sent), recv.of(received));
            if (pixels_of(send, sent) != pixels_of(recv, received))
                return fail(PIXMPI_ERR_TRUNCATE,
                            "recvregions[%d]: %llu pixels from this rank itself; it sends %llu, expected the same",
                            received, pixels_of(recv, received), pixels_of(send, sent));
        }
    return PIXMPI_SUCCESS;
}

Status CallArguments::find(pixMPI_Op op, const Surface &surface, Reduction &how) const {
    if (const Status error = find_operation(op, size, how))
        return error;
    return check_operation(how.operation, surface.format, surface.depth_format);
}

Status find_intracommunicator(MPI_Comm comm, std::shared_ptr<Channel> &channel) {
    if (const Status error = find_channel(comm, channel))
        return error;
    if (!channel->program->is_plain())
        return fail(PIXMPI_ERR_COMM, "comm: that of an endpoint with slots in kernels; expected the communicator "
                                     "that the endpoint was made from");
    if (channel->inter)
        return fail(PIXMPI_ERR_COMM, "comm: an intercommunicator, expected an intracommunicator");
    return PIXMPI_SUCCESS;
}

namespace {

Status launch_schedule(Runtime &runtime, Lock &lock, const Form &form, const std::shared_ptr<Schedule> &schedule) {
    if (const Status failed = launch(runtime, form, schedule)) {
        schedule->fail_unwritten(runtime); // others have started theirs
        return failed;
    }
    return form.blocking ? finish(runtime, lock, *schedule) : PIXMPI_SUCCESS;
}

Status run(const Form &form, MPI_Comm comm, const CheckArguments &check) {
    std::shared_ptr<Channel> channel;
    if (const Status error = find_intracommunicator(comm, channel))
        return error;
    const CallArguments arguments{channel->rank, channel->size, channel->leaders.size() == 1};
    WriteSteps write;
    Status failed = without_throwing([&] {
        if (const Status error = check_form(form))
            return error;
        return check(arguments, write);
    });
    const Error first = last_error(failed);
    Lock lock;
    Runtime &runtime = pixmpi::runtime();
    std::shared_ptr<Plan> plan;
    const std::uint64_t number = channel->next_schedule;
    if (const Status error = without_throwing([&] { return Plan::make(comm, plan); })) {
        fail_unmade(runtime, *channel, number);
        return error;
    }
    if (failed)
        repeat(first);
    std::shared_ptr<Schedule> schedule;
    plan->start_again(form.life == Life::persistent);
    if (!failed)
        failed = without_throwing([&] {
            const Status error = write(*plan);
            return error ? error : plan->finish(schedule);
        });
    if (!failed) {
        plan.reset();
        return launch_schedule(runtime, lock, form, schedule);
    }
    plan->fail(runtime);
    return failed;
}

} // namespace

int collective(const char *name, const Form &form, MPI_Comm comm, const CheckArguments &check) {
    return public_call(name, [&] { return run(form, comm, check); });
}

} // namespace pixmpi
