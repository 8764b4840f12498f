// The collectives' verbs: which sides matter on this rank, and what is written when they are right.

#include "api/collective_call.h"
#include "pixmpi_collectives.h"

using namespace pixmpi;

namespace {

constexpr Use sends{true, false, 1}, receives{false, true, 1}, both{true, true, 1};

CollectiveEnd add(Plan &plan, const CallEnd &end) { return {plan.add(end.surface), end.part}; }
CollectiveEnds add(Plan &plan, const CallEnds &ends) { return {plan.add(ends.surface), ends.parts}; }

/// The sides that this rank has. A side that is in place, or does not matter here, is not added.
struct Sides {
    CallEnd one;
    CallEnds many;
    bool has_one = true, has_many = true;
};

int barrier(const char *name, const Form &form, MPI_Comm comm) {
    return collective(name, form, comm, [&](const CallArguments &, WriteSteps &write) -> Status {
        write = [](Plan &plan) -> Status {
            pixmpi::barrier(plan);
            return PIXMPI_SUCCESS;
        };
        return PIXMPI_SUCCESS;
    });
}

int bcast(const char *name, const Form &form, const pixMPI_Surface &surface, pixMPI_Region region, int root,
          MPI_Comm comm) {
    return collective(name, form, comm, [&](const CallArguments &call, WriteSteps &write) -> Status {
        if (const Status error = call.check_root(root))
            return error;
        const Use &use = call.rank == root ? sends : call.one_host ? receives : both;
        CallEnd end;
        if (const Status error = call.find(surface, region, "region", use, end))
            return error;
        write = [=](Plan &plan) -> Status {
            pixmpi::bcast(plan, add(plan, end), root);
            return PIXMPI_SUCCESS;
        };
        return PIXMPI_SUCCESS;
    });
}

/// One side is a region, the other a region for each rank, which matters at the root alone.
Status find_rooted(const CallArguments &call, const pixMPI_Surface &one, pixMPI_Region region, const char *region_name,
                   const Use &one_use, const pixMPI_Surface &many, const pixMPI_Region regions[],
                   const char *regions_name, const Use &many_use, int root, bool equal, Sides &sides) {
    if (const Status error = call.check_root(root))
        return error;
    sides.has_many = call.rank == root;
    sides.has_one = !(sides.has_many && is_in_place(one));
    if (sides.has_one)
        if (const Status error = call.find(one, region, region_name, one_use, sides.one))
            return error;
    if (sides.has_many)
        if (const Status error = call.find(many, regions, regions_name, many_use, sides.many))
            return error;
    if (sides.has_many && equal)
        if (const Status error = call.check_equal(sides.many, regions_name))
            return error;
    return sides.has_one && sides.has_many ? call.check_alike(sides.one, sides.many.of(root)) : PIXMPI_SUCCESS;
}

enum class Counts { equal, any };

int gather(const char *name, const Form &form, Counts counts, const pixMPI_Surface &sendsurface,
           pixMPI_Region sendregion, const pixMPI_Surface &recvsurface, const pixMPI_Region recvregions[], int root,
           MPI_Comm comm) {
    return collective(name, form, comm, [&](const CallArguments &call, WriteSteps &write) -> Status {
        Sides sides;
        if (const Status error =
                find_rooted(call, sendsurface, sendregion, "sendregion", sends, recvsurface, recvregions, "recvregions",
                            receives, root, counts == Counts::equal, sides))
            return error;
        write = [=](Plan &plan) -> Status {
            const CollectiveEnd mine = sides.has_one ? add(plan, sides.one) : CollectiveEnd();
            const CollectiveEnds all = sides.has_many ? add(plan, sides.many) : CollectiveEnds();
            pixmpi::gather(plan, sides.has_one ? &mine : nullptr, &all, root);
            return PIXMPI_SUCCESS;
        };
        return PIXMPI_SUCCESS;
    });
}

int scatter(const char *name, const Form &form, Counts counts, const pixMPI_Surface &sendsurface,
            const pixMPI_Region sendregions[], const pixMPI_Surface &recvsurface, pixMPI_Region recvregion, int root,
            MPI_Comm comm) {
    return collective(name, form, comm, [&](const CallArguments &call, WriteSteps &write) -> Status {
        Sides sides;
        if (const Status error = find_rooted(call, recvsurface, recvregion, "recvregion", receives, sendsurface,
                                             sendregions, "sendregions", sends, root, counts == Counts::equal, sides))
            return error;
        write = [=](Plan &plan) -> Status {
            const CollectiveEnd mine = sides.has_one ? add(plan, sides.one) : CollectiveEnd();
            const CollectiveEnds all = sides.has_many ? add(plan, sides.many) : CollectiveEnds();
            pixmpi::scatter(plan, &all, sides.has_one ? &mine : nullptr, root);
            return PIXMPI_SUCCESS;
        };
        return PIXMPI_SUCCESS;
    });
}

int allgather(const char *name, const Form &form, Counts counts, const pixMPI_Surface &sendsurface,
              pixMPI_Region sendregion, const pixMPI_Surface &recvsurface, const pixMPI_Region recvregions[],
              MPI_Comm comm) {
    return collective(name, form, comm, [&](const CallArguments &call, WriteSteps &write) -> Status {
        CallEnd mine;
        CallEnds all;
        const bool in_place = is_in_place(sendsurface);
        const Use &use = call.one_host && !in_place ? receives : both;
        if (const Status error = call.find(recvsurface, recvregions, "recvregions", use, all))
            return error;
        if (counts == Counts::equal)
            if (const Status error = call.check_equal(all, "recvregions"))
                return error;
        if (!in_place) {
            if (const Status error = call.find(sendsurface, sendregion, "sendregion", sends, mine))
                return error;
            if (const Status error = call.check_alike(mine, all.of(call.rank)))
                return error;
        }
        write = [=](Plan &plan) -> Status {
            const CollectiveEnds to = add(plan, all);
            const CollectiveEnd from = in_place ? CollectiveEnd() : add(plan, mine);
            pixmpi::allgather(plan, in_place ? nullptr : &from, to);
            return PIXMPI_SUCCESS;
        };
        return PIXMPI_SUCCESS;
    });
}

int alltoall(const char *name, const Form &form, Counts counts, const pixMPI_Surface &sendsurface,
             const pixMPI_Region sendregions[], const pixMPI_Surface &recvsurface, const pixMPI_Region recvregions[],
             MPI_Comm comm) {
    return collective(name, form, comm, [&](const CallArguments &call, WriteSteps &write) -> Status {
        CallEnds from, to;
        const bool in_place = is_in_place(sendsurface);
        if (const Status error = call.find(recvsurface, recvregions, "recvregions", in_place ? both : receives, to))
            return error;
        if (!in_place) {
            if (const Status error = call.find(sendsurface, sendregions, "sendregions", sends, from))
                return error;
            if (const Status error = call.check_alike(from.of(call.rank), to.of(call.rank)))
                return error;
        }
        if (counts == Counts::equal) {
            if (const Status error = call.check_equal(to, "recvregions"))
                return error;
            if (const Status error = in_place ? PIXMPI_SUCCESS : call.check_equal(from, "sendregions"))
                return error;
        }
        write = [=](Plan &plan) -> Status {
            const CollectiveEnds out = in_place ? CollectiveEnds() : add(plan, from);
            return pixmpi::alltoall(plan, in_place ? nullptr : &out, add(plan, to));
        };
        return PIXMPI_SUCCESS;
    });
}

/// The two sides of a reduction: `mine` unless it is in place, `result` where this rank has one.
struct ReductionSides {
    CallEnd mine, result;
    bool in_place = false, has_result = true;
    Reduction how;
};

Status find_reduction(const CallArguments &call, const pixMPI_Surface &sendsurface, pixMPI_Region sendregion,
                      const pixMPI_Surface &recvsurface, pixMPI_Region recvregion, pixMPI_Op op,
                      ReductionSides &sides) {
    sides.in_place = sides.has_result && is_in_place(sendsurface);
    if (!sides.in_place)
        if (const Status error = call.find(sendsurface, sendregion, "sendregion", sends, sides.mine))
            return error;
    if (sides.has_result)
        if (const Status error = call.find(recvsurface, recvregion, "recvregion", both, sides.result))
            return error;
    if (!sides.in_place && sides.has_result) {
        if (const Status error = call.check_alike(sides.mine, sides.result))
            return error;
        if (const Status error = call.check_same_format(*sides.mine.surface, *sides.result.surface))
            return error;
    }
    return call.find(op, *(sides.in_place ? sides.result : sides.mine).surface, sides.how);
}

int reduce(const char *name, const Form &form, const pixMPI_Surface &sendsurface, pixMPI_Region sendregion,
           const pixMPI_Surface &recvsurface, pixMPI_Region recvregion, pixMPI_Op op, int root, MPI_Comm comm) {
    return collective(name, form, comm, [&](const CallArguments &call, WriteSteps &write) -> Status {
        if (const Status error = call.check_root(root))
            return error;
        ReductionSides sides;
        sides.has_result = call.rank == root;
        if (const Status error = find_reduction(call, sendsurface, sendregion, recvsurface, recvregion, op, sides))
            return error;
        write = [=](Plan &plan) -> Status {
            const CollectiveEnd mine = sides.in_place ? CollectiveEnd() : add(plan, sides.mine);
            const CollectiveEnd result = sides.has_result ? add(plan, sides.result) : CollectiveEnd();
            return pixmpi::reduce(plan, sides.in_place ? nullptr : &mine, sides.has_result ? &result : nullptr,
                                  sides.how, root);
        };
        return PIXMPI_SUCCESS;
    });
}

int allreduce(const char *name, const Form &form, const pixMPI_Surface &sendsurface, pixMPI_Region sendregion,
              const pixMPI_Surface &recvsurface, pixMPI_Region recvregion, pixMPI_Op op, MPI_Comm comm) {
    return collective(name, form, comm, [&](const CallArguments &call, WriteSteps &write) -> Status {
        ReductionSides sides;
        if (const Status error = find_reduction(call, sendsurface, sendregion, recvsurface, recvregion, op, sides))
            return error;
        write = [=](Plan &plan) -> Status {
            const CollectiveEnd mine = sides.in_place ? CollectiveEnd() : add(plan, sides.mine);
            return pixmpi::allreduce(plan, sides.in_place ? nullptr : &mine, add(plan, sides.result), sides.how);
        };
        return PIXMPI_SUCCESS;
    });
}

int reduce_scatter(const char *name, const Form &form, const pixMPI_Surface &sendsurface,
                   const pixMPI_Region sendregions[], const pixMPI_Surface &recvsurface, pixMPI_Region recvregion,
                   pixMPI_Op op, MPI_Comm comm) {
    return collective(name, form, comm, [&](const CallArguments &call, WriteSteps &write) -> Status {
        CallEnds mine;
        CallEnd result;
        Reduction how;
        const bool in_place = is_in_place(sendsurface);
        if (const Status error = call.find(recvsurface, recvregion, "recvregion", both, result))
            return error;
        if (const Status error = call.find(in_place ? recvsurface : sendsurface, sendregions, "sendregions",
                                           in_place ? both : sends, mine))
            return error;
        if (const Status error = call.check_alike(mine.of(call.rank), result))
            return error;
        if (const Status error = call.check_same_format(*mine.surface, *result.surface))
            return error;
        if (const Status error = call.find(op, *result.surface, how))
            return error;
        write = [=](Plan &plan) -> Status {
            const CollectiveEnd to = add(plan, result);
            const CollectiveEnds from = in_place ? CollectiveEnds{to.side, mine.parts} : add(plan, mine);
            return pixmpi::reduce_scatter(plan, from, to, how, in_place);
        };
        return PIXMPI_SUCCESS;
    });
}

int scan(const char *name, const Form &form, const pixMPI_Surface &sendsurface, pixMPI_Region sendregion,
         const pixMPI_Surface &recvsurface, pixMPI_Region recvregion, pixMPI_Op op, MPI_Comm comm) {
    return collective(name, form, comm, [&](const CallArguments &call, WriteSteps &write) -> Status {
        ReductionSides sides;
        if (const Status error = find_reduction(call, sendsurface, sendregion, recvsurface, recvregion, op, sides))
            return error;
        write = [=](Plan &plan) -> Status {
            const CollectiveEnd mine = sides.in_place ? CollectiveEnd() : add(plan, sides.mine);
            return pixmpi::scan(plan, sides.in_place ? nullptr : &mine, add(plan, sides.result), sides.how);
        };
        return PIXMPI_SUCCESS;
    });
}

} // namespace

int pixMPI_Barrier(MPI_Comm comm) { return barrier("pixMPI_Barrier", blocking(), comm); }

int pixMPI_Ibarrier(MPI_Comm comm, pixMPI_Request *request) {
    return barrier("pixMPI_Ibarrier", nonblocking(request), comm);
}

int pixMPI_Barrier_init(MPI_Comm comm, pixMPI_Request *request) {
    return barrier("pixMPI_Barrier_init", persistent(request), comm);
}

int pixMPI_Bcast(pixMPI_Surface surface, pixMPI_Region region, int root, MPI_Comm comm) {
    return bcast("pixMPI_Bcast", blocking(), surface, region, root, comm);
}

int pixMPI_Ibcast(pixMPI_Surface surface, pixMPI_Region region, int root, MPI_Comm comm, pixMPI_Request *request) {
    return bcast("pixMPI_Ibcast", nonblocking(request), surface, region, root, comm);
}

int pixMPI_Bcast_init(pixMPI_Surface surface, pixMPI_Region region, int root, MPI_Comm comm, pixMPI_Request *request) {
    return bcast("pixMPI_Bcast_init", persistent(request), surface, region, root, comm);
}

int pixMPI_Gather(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                  const pixMPI_Region recvregions[], int root, MPI_Comm comm) {
    return gather("pixMPI_Gather", blocking(), Counts::equal, sendsurface, sendregion, recvsurface, recvregions, root,
                  comm);
}

int pixMPI_Igather(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                   const pixMPI_Region recvregions[], int root, MPI_Comm comm, pixMPI_Request *request) {
    return gather("pixMPI_Igather", nonblocking(request), Counts::equal, sendsurface, sendregion, recvsurface,
                  recvregions, root, comm);
}

int pixMPI_Gather_init(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                       const pixMPI_Region recvregions[], int root, MPI_Comm comm, pixMPI_Request *request) {
    return gather("pixMPI_Gather_init", persistent(request), Counts::equal, sendsurface, sendregion, recvsurface,
                  recvregions, root, comm);
}

int pixMPI_Gatherv(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                   const pixMPI_Region recvregions[], int root, MPI_Comm comm) {
    return gather("pixMPI_Gatherv", blocking(), Counts::any, sendsurface, sendregion, recvsurface, recvregions, root,
                  comm);
}

int pixMPI_Igatherv(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                    const pixMPI_Region recvregions[], int root, MPI_Comm comm, pixMPI_Request *request) {
    return gather("pixMPI_Igatherv", nonblocking(request), Counts::any, sendsurface, sendregion, recvsurface,
                  recvregions, root, comm);
}

int pixMPI_Gatherv_init(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                        const pixMPI_Region recvregions[], int root, MPI_Comm comm, pixMPI_Request *request) {
    return gather("pixMPI_Gatherv_init", persistent(request), Counts::any, sendsurface, sendregion, recvsurface,
                  recvregions, root, comm);
}

int pixMPI_Scatter(pixMPI_Surface sendsurface, const pixMPI_Region sendregions[], pixMPI_Surface recvsurface,
                   pixMPI_Region recvregion, int root, MPI_Comm comm) {
    return scatter("pixMPI_Scatter", blocking(), Counts::equal, sendsurface, sendregions, recvsurface, recvregion, root,
                   comm);
}

int pixMPI_Iscatter(pixMPI_Surface sendsurface, const pixMPI_Region sendregions[], pixMPI_Surface recvsurface,
                    pixMPI_Region recvregion, int root, MPI_Comm comm, pixMPI_Request *request) {
    return scatter("pixMPI_Iscatter", nonblocking(request), Counts::equal, sendsurface, sendregions, recvsurface,
                   recvregion, root, comm);
}

int pixMPI_Scatter_init(pixMPI_Surface sendsurface, const pixMPI_Region sendregions[], pixMPI_Surface recvsurface,
                        pixMPI_Region recvregion, int root, MPI_Comm comm, pixMPI_Request *request) {
    return scatter("pixMPI_Scatter_init", persistent(request), Counts::equal, sendsurface, sendregions, recvsurface,
                   recvregion, root, comm);
}

int pixMPI_Scatterv(pixMPI_Surface sendsurface, const pixMPI_Region sendregions[], pixMPI_Surface recvsurface,
                    pixMPI_Region recvregion, int root, MPI_Comm comm) {
    return scatter("pixMPI_Scatterv", blocking(), Counts::any, sendsurface, sendregions, recvsurface, recvregion, root,
                   comm);
}

int pixMPI_Iscatterv(pixMPI_Surface sendsurface, const pixMPI_Region sendregions[], pixMPI_Surface recvsurface,
                     pixMPI_Region recvregion, int root, MPI_Comm comm, pixMPI_Request *request) {
    return scatter("pixMPI_Iscatterv", nonblocking(request), Counts::any, sendsurface, sendregions, recvsurface,
                   recvregion, root, comm);
}

int pixMPI_Scatterv_init(pixMPI_Surface sendsurface, const pixMPI_Region sendregions[], pixMPI_Surface recvsurface,
                         pixMPI_Region recvregion, int root, MPI_Comm comm, pixMPI_Request *request) {
    return scatter("pixMPI_Scatterv_init", persistent(request), Counts::any, sendsurface, sendregions, recvsurface,
                   recvregion, root, comm);
}

int pixMPI_Allgather(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                     const pixMPI_Region recvregions[], MPI_Comm comm) {
    return allgather("pixMPI_Allgather", blocking(), Counts::equal, sendsurface, sendregion, recvsurface, recvregions,
                     comm);
}

int pixMPI_Iallgather(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                      const pixMPI_Region recvregions[], MPI_Comm comm, pixMPI_Request *request) {
    return allgather("pixMPI_Iallgather", nonblocking(request), Counts::equal, sendsurface, sendregion, recvsurface,
                     recvregions, comm);
}

int pixMPI_Allgather_init(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                          const pixMPI_Region recvregions[], MPI_Comm comm, pixMPI_Request *request) {
    return allgather("pixMPI_Allgather_init", persistent(request), Counts::equal, sendsurface, sendregion, recvsurface,
                     recvregions, comm);
}

int pixMPI_Allgatherv(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                      const pixMPI_Region recvregions[], MPI_Comm comm) {
    return allgather("pixMPI_Allgatherv", blocking(), Counts::any, sendsurface, sendregion, recvsurface, recvregions,
                     comm);
}

int pixMPI_Iallgatherv(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                       const pixMPI_Region recvregions[], MPI_Comm comm, pixMPI_Request *request) {
    return allgather("pixMPI_Iallgatherv", nonblocking(request), Counts::any, sendsurface, sendregion, recvsurface,
                     recvregions, comm);
}

int pixMPI_Allgatherv_init(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                           const pixMPI_Region recvregions[], MPI_Comm comm, pixMPI_Request *request) {
    return allgather("pixMPI_Allgatherv_init", persistent(request), Counts::any, sendsurface, sendregion, recvsurface,
                     recvregions, comm);
}

int pixMPI_Alltoall(pixMPI_Surface sendsurface, const pixMPI_Region sendregions[], pixMPI_Surface recvsurface,
                    const pixMPI_Region recvregions[], MPI_Comm comm) {
    return alltoall("pixMPI_Alltoall", blocking(), Counts::equal, sendsurface, sendregions, recvsurface, recvregions,
                    comm);
}

int pixMPI_Ialltoall(pixMPI_Surface sendsurface, const pixMPI_Region sendregions[], pixMPI_Surface recvsurface,
                     const pixMPI_Region recvregions[], MPI_Comm comm, pixMPI_Request *request) {
    return alltoall("pixMPI_Ialltoall", nonblocking(request), Counts::equal, sendsurface, sendregions, recvsurface,
                    recvregions, comm);
}

int pixMPI_Alltoall_init(pixMPI_Surface sendsurface, const pixMPI_Region sendregions[], pixMPI_Surface recvsurface,
                         const pixMPI_Region recvregions[], MPI_Comm comm, pixMPI_Request *request) {
    return alltoall("pixMPI_Alltoall_init", persistent(request), Counts::equal, sendsurface, sendregions, recvsurface,
                    recvregions, comm);
}

int pixMPI_Alltoallv(pixMPI_Surface sendsurface, const pixMPI_Region sendregions[], pixMPI_Surface recvsurface,
                     const pixMPI_Region recvregions[], MPI_Comm comm) {
    return alltoall("pixMPI_Alltoallv", blocking(), Counts::any, sendsurface, sendregions, recvsurface, recvregions,
                    comm);
}

int pixMPI_Ialltoallv(pixMPI_Surface sendsurface, const pixMPI_Region sendregions[], pixMPI_Surface recvsurface,
                      const pixMPI_Region recvregions[], MPI_Comm comm, pixMPI_Request *request) {
    return alltoall("pixMPI_Ialltoallv", nonblocking(request), Counts::any, sendsurface, sendregions, recvsurface,
                    recvregions, comm);
}

int pixMPI_Alltoallv_init(pixMPI_Surface sendsurface, const pixMPI_Region sendregions[], pixMPI_Surface recvsurface,
                          const pixMPI_Region recvregions[], MPI_Comm comm, pixMPI_Request *request) {
    return alltoall("pixMPI_Alltoallv_init", persistent(request), Counts::any, sendsurface, sendregions, recvsurface,
                    recvregions, comm);
}

int pixMPI_Reduce(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                  pixMPI_Region recvregion, pixMPI_Op op, int root, MPI_Comm comm) {
    return reduce("pixMPI_Reduce", blocking(), sendsurface, sendregion, recvsurface, recvregion, op, root, comm);
}

int pixMPI_Ireduce(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                   pixMPI_Region recvregion, pixMPI_Op op, int root, MPI_Comm comm, pixMPI_Request *request) {
    return reduce("pixMPI_Ireduce", nonblocking(request), sendsurface, sendregion, recvsurface, recvregion, op, root,
                  comm);
}

int pixMPI_Reduce_init(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                       pixMPI_Region recvregion, pixMPI_Op op, int root, MPI_Comm comm, pixMPI_Request *request) {
    return reduce("pixMPI_Reduce_init", persistent(request), sendsurface, sendregion, recvsurface, recvregion, op, root,
                  comm);
}

int pixMPI_Allreduce(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                     pixMPI_Region recvregion, pixMPI_Op op, MPI_Comm comm) {
    return allreduce("pixMPI_Allreduce", blocking(), sendsurface, sendregion, recvsurface, recvregion, op, comm);
}

int pixMPI_Iallreduce(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                      pixMPI_Region recvregion, pixMPI_Op op, MPI_Comm comm, pixMPI_Request *request) {
    return allreduce("pixMPI_Iallreduce", nonblocking(request), sendsurface, sendregion, recvsurface, recvregion, op,
                     comm);
}

int pixMPI_Allreduce_init(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                          pixMPI_Region recvregion, pixMPI_Op op, MPI_Comm comm, pixMPI_Request *request) {
    return allreduce("pixMPI_Allreduce_init", persistent(request), sendsurface, sendregion, recvsurface, recvregion, op,
                     comm);
}

int pixMPI_Reduce_scatter(pixMPI_Surface sendsurface, const pixMPI_Region sendregions[], pixMPI_Surface recvsurface,
                          pixMPI_Region recvregion, pixMPI_Op op, MPI_Comm comm) {
    return reduce_scatter("pixMPI_Reduce_scatter", blocking(), sendsurface, sendregions, recvsurface, recvregion, op,
                          comm);
}

int pixMPI_Ireduce_scatter(pixMPI_Surface sendsurface, const pixMPI_Region sendregions[], pixMPI_Surface recvsurface,
                           pixMPI_Region recvregion, pixMPI_Op op, MPI_Comm comm, pixMPI_Request *request) {
    return reduce_scatter("pixMPI_Ireduce_scatter", nonblocking(request), sendsurface, sendregions, recvsurface,
                          recvregion, op, comm);
}

int pixMPI_Reduce_scatter_init(pixMPI_Surface sendsurface, const pixMPI_Region sendregions[],
                               pixMPI_Surface recvsurface, pixMPI_Region recvregion, pixMPI_Op op, MPI_Comm comm,
                               pixMPI_Request *request) {
    return reduce_scatter("pixMPI_Reduce_scatter_init", persistent(request), sendsurface, sendregions, recvsurface,
                          recvregion, op, comm);
}

int pixMPI_Scan(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                pixMPI_Region recvregion, pixMPI_Op op, MPI_Comm comm) {
    return scan("pixMPI_Scan", blocking(), sendsurface, sendregion, recvsurface, recvregion, op, comm);
}

int pixMPI_Iscan(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                 pixMPI_Region recvregion, pixMPI_Op op, MPI_Comm comm, pixMPI_Request *request) {
    return scan("pixMPI_Iscan", nonblocking(request), sendsurface, sendregion, recvsurface, recvregion, op, comm);
}

int pixMPI_Scan_init(pixMPI_Surface sendsurface, pixMPI_Region sendregion, pixMPI_Surface recvsurface,
                     pixMPI_Region recvregion, pixMPI_Op op, MPI_Comm comm, pixMPI_Request *request) {
    return scan("pixMPI_Scan_init", persistent(request), sendsurface, sendregion, recvsurface, recvregion, op, comm);
}
