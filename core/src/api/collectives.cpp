#include "api/collectives.h"

#include "api/collective_call.h"
#include "api/operations.h"
#include "combine/for_shader.h"

namespace pixmpi::calls {
namespace {

constexpr Use sends{true, false, 1}, receives{false, true, 1}, both{true, true, 1};

std::span<Plan::Part> parts_of(CollectiveEnd &end) { return {&end.part, 1}; }
std::span<Plan::Part> parts_of(CollectiveEnds &ends) { return ends.parts; }
std::span<const Plan::Part> parts_of(const CallEnd &named) { return {&named.part, 1}; }
std::span<const Plan::Part> parts_of(const CallEnds &named) { return named.parts; }
CollectiveEnd unadded(const CallEnd &named) { return {0, named.part}; }
CollectiveEnds unadded(const CallEnds &named) { return {0, named.parts}; }

/// Adds a side that is sent (pack) or received.
template <class Named, class End>
Status add(Plan &plan, Direction direction, const Named &named, bool by_host, End &end) {
    end = unadded(named);
    if (by_host)
        return plan.add_by_host(named.surface, direction, parts_of(end), end.side);
    end.side = plan.add(named.surface);
    return PIXMPI_SUCCESS;
}

template <class Named> bool gains_by_host(const Plan &plan, const Named &named, Plan::Use use = Plan::Use::moved) {
    return plan.gains_by_host(*named.surface, parts_of(named), use);
}

/// Of a side that one message alone uses.
CollectiveEnd add_for_one_message(Plan &plan, const CallEnd &named) { return {plan.add(named.surface), named.part}; }

/// Adds both sides; `mine` is of the result's surface where they are in place. Host memory has a copy of each, so that
/// nothing is in place any more.
template <class Mine, class Result, class From, class To>
Status add_both(Plan &plan, Plan::Use use, const Mine &mine, const Result &result, bool &in_place, From &from, To &to) {
    const bool result_by_host = gains_by_host(plan, result, use);
    const bool by_host = in_place ? result_by_host : gains_by_host(plan, mine, use);
    in_place = in_place && !by_host;
    if (const Status error = add(plan, Direction::unpack, result, result_by_host, to))
        return error;
    if (!in_place)
        return add(plan, Direction::pack, mine, by_host, from);
    from = unadded(mine);
    from.side = to.side;
    return PIXMPI_SUCCESS;
}

/// The sides that this rank has. A side that is in place, or does not matter here, is not added.
struct Sides {
    CallEnd one;
    CallEnds many;
    bool has_one = true, has_many = true;
};

/// One side is a region, the other a region for each rank, which matters at the root alone.
Status find_rooted(const CallArguments &call, const pixMPI_Surface &one, pixMPI_Region region, const char *region_name,
                   const Use &one_use, const pixMPI_Surface &many, const pixMPI_Region regions[],
                   const char *regions_name, const Use &many_use, int root, Sides &sides) {
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
    return sides.has_one && sides.has_many ? call.check_alike(sides.one, sides.many.of(root)) : PIXMPI_SUCCESS;
}

/// The two sides of a reduction: `mine` unless it is in place, `result` where this rank has one.
struct ReductionSides {
    CallEnd mine, result;
    bool in_place = false, has_result = true;
    bool folds = false; ///< no copy is needed before it combines: of a Reduce or an Allreduce, not of a scan
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

/// Whether a GPU combines what the other rank sends with this rank's pixels as it arrives, and copies nothing before
/// (Plan::add_onto).
bool combines_at_once(const Plan &plan, const ReductionSides &sides) {
    const CallEnd &mine = sides.mine, &result = sides.result;
    ShaderCombination shader;
    return sides.folds && !plan.starts_again() && plan.size() == 2 && !sides.in_place && mine.surface->planes.empty() &&
           result.surface->planes.empty() && mine.surface->device == result.surface->device && !sides.how.user &&
           for_shader(sides.how.with(Order::present_first), result.surface->format, shader) &&
           std::equal(mine.part->rects.begin(), mine.part->rects.end(), result.part->rects.begin(),
                      result.part->rects.end(), same) &&
           result.surface->device->combine_onto(result.surface, mine.surface, 0, 0);
}

/// Both sides, or this rank's alone where it has no result. `in_place`: as add_both() says.
Status add_sides(Plan &plan, const ReductionSides &sides, bool &in_place, CollectiveEnd &mine, CollectiveEnd &result) {
    if (sides.has_result) {
        const Plan::Use use = combines_at_once(plan, sides) ? Plan::Use::combined_at_once : Plan::Use::combined;
        return add_both(plan, use, in_place ? sides.result : sides.mine, sides.result, in_place, mine, result);
    }
    mine = add_for_one_message(plan, sides.mine);
    return PIXMPI_SUCCESS;
}

/// The steps of a reduction: `write(plan, mine, result, how)`. `mine` is null in place, `result` is null where this
/// rank has none.
template <class Write> WriteSteps write_reduction(const ReductionSides &sides, Write write) {
    return [=](Plan &plan) -> Status {
        CollectiveEnd mine, result;
        bool in_place = sides.in_place;
        if (const Status error = add_sides(plan, sides, in_place, mine, result))
            return error;
        return write(plan, in_place ? nullptr : &mine, sides.has_result ? &result : nullptr, sides.how);
    };
}

} // namespace

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
            CollectiveEnd added;
            const bool by_host = plan.rank() == root && plan.size() > 2 && gains_by_host(plan, end);
            if (const Status error = add(plan, Direction::pack, end, by_host, added))
                return error;
            pixmpi::bcast(plan, added, root);
            return PIXMPI_SUCCESS;
        };
        return PIXMPI_SUCCESS;
    });
}

int gather(const char *name, const Form &form, const pixMPI_Surface &sendsurface, pixMPI_Region sendregion,
           const pixMPI_Surface &recvsurface, const pixMPI_Region recvregions[], int root, MPI_Comm comm) {
    return collective(name, form, comm, [&](const CallArguments &call, WriteSteps &write) -> Status {
        Sides sides;
        if (const Status error = find_rooted(call, sendsurface, sendregion, "sendregion", sends, recvsurface,
                                             recvregions, "recvregions", receives, root, sides))
            return error;
        write = [=](Plan &plan) -> Status {
            CollectiveEnd mine;
            CollectiveEnds all;
            bool in_place = sides.has_many && !sides.has_one;
            if (!sides.has_many)
                mine = add_for_one_message(plan, sides.one);
            else if (const Status error = add_both(plan, Plan::Use::moved, in_place ? sides.many.of(root) : sides.one,
                                                   sides.many, in_place, mine, all))
                return error;
            pixmpi::gather(plan, in_place ? nullptr : &mine, &all, root);
            return PIXMPI_SUCCESS;
        };
        return PIXMPI_SUCCESS;
    });
}

int scatter(const char *name, const Form &form, const pixMPI_Surface &sendsurface, const pixMPI_Region sendregions[],
            const pixMPI_Surface &recvsurface, pixMPI_Region recvregion, int root, MPI_Comm comm) {
    return collective(name, form, comm, [&](const CallArguments &call, WriteSteps &write) -> Status {
        Sides sides;
        if (const Status error = find_rooted(call, recvsurface, recvregion, "recvregion", receives, sendsurface,
                                             sendregions, "sendregions", sends, root, sides))
            return error;
        write = [=](Plan &plan) -> Status {
            const CollectiveEnd mine = sides.has_one ? add_for_one_message(plan, sides.one) : CollectiveEnd();
            CollectiveEnds all;
            if (sides.has_many)
                if (const Status error = add(plan, Direction::pack, sides.many, gains_by_host(plan, sides.many), all))
                    return error;
            pixmpi::scatter(plan, &all, sides.has_one ? &mine : nullptr, root);
            return PIXMPI_SUCCESS;
        };
        return PIXMPI_SUCCESS;
    });
}

int allgather(const char *name, const Form &form, const pixMPI_Surface &sendsurface, pixMPI_Region sendregion,
              const pixMPI_Surface &recvsurface, const pixMPI_Region recvregions[], MPI_Comm comm) {
    return collective(name, form, comm, [&](const CallArguments &call, WriteSteps &write) -> Status {
        CallEnd mine;
        CallEnds all;
        const bool in_place = is_in_place(sendsurface);
        const Use &use = call.one_host && !in_place ? receives : both;
        if (const Status error = call.find(recvsurface, recvregions, "recvregions", use, all))
            return error;
        if (!in_place) {
            if (const Status error = call.find(sendsurface, sendregion, "sendregion", sends, mine))
                return error;
            if (const Status error = call.check_alike(mine, all.of(call.rank)))
                return error;
        }
        write = [=](Plan &plan) -> Status {
            CollectiveEnds to;
            CollectiveEnd from;
            bool stays = in_place;
            if (const Status error =
                    add_both(plan, Plan::Use::moved, in_place ? all.of(plan.rank()) : mine, all, stays, from, to))
                return error;
            pixmpi::allgather(plan, stays ? nullptr : &from, to);
            return PIXMPI_SUCCESS;
        };
        return PIXMPI_SUCCESS;
    });
}

int alltoall(const char *name, const Form &form, const pixMPI_Surface &sendsurface, const pixMPI_Region sendregions[],
             const pixMPI_Surface &recvsurface, const pixMPI_Region recvregions[], MPI_Comm comm) {
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
        write = [=](Plan &plan) -> Status {
            CollectiveEnds out, in;
            bool stays = in_place;
            const Status error = add_both(plan, Plan::Use::moved, in_place ? to : from, to, stays, out, in);
            return error ? error : pixmpi::alltoall(plan, stays ? nullptr : &out, in);
        };
        return PIXMPI_SUCCESS;
    });
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
        sides.folds = true;
        write = write_reduction(sides,
                                [root](Plan &plan, const CollectiveEnd *mine, const CollectiveEnd *result,
                                       const Reduction &how) { return pixmpi::reduce(plan, mine, result, how, root); });
        return PIXMPI_SUCCESS;
    });
}

int allreduce(const char *name, const Form &form, const pixMPI_Surface &sendsurface, pixMPI_Region sendregion,
              const pixMPI_Surface &recvsurface, pixMPI_Region recvregion, pixMPI_Op op, MPI_Comm comm) {
    return collective(name, form, comm, [&](const CallArguments &call, WriteSteps &write) -> Status {
        ReductionSides sides;
        if (const Status error = find_reduction(call, sendsurface, sendregion, recvsurface, recvregion, op, sides))
            return error;
        sides.folds = true;
        write = write_reduction(sides,
                                [named_in_place = sides.in_place](Plan &plan, const CollectiveEnd *mine,
                                                                  const CollectiveEnd *result, const Reduction &how) {
                                    return pixmpi::allreduce(plan, mine, *result, how, named_in_place);
                                });
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
        if (in_place)
            mine.surface = result.surface;
        if (const Status error = call.check_alike(mine.of(call.rank), result))
            return error;
        if (const Status error = call.check_same_format(*mine.surface, *result.surface))
            return error;
        if (const Status error = call.find(op, *result.surface, how))
            return error;
        write = [=](Plan &plan) -> Status {
            CollectiveEnd to;
            CollectiveEnds from;
            bool stays = in_place;
            const Status error = add_both(plan, Plan::Use::combined, mine, result, stays, from, to);
            return error ? error : pixmpi::reduce_scatter(plan, from, to, how, stays);
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
        write = write_reduction(sides, [](Plan &plan, const CollectiveEnd *mine, const CollectiveEnd *result,
                                          const Reduction &how) { return pixmpi::scan(plan, mine, *result, how); });
        return PIXMPI_SUCCESS;
    });
}

// The first rank of the operation's order only sends, in place what is in the receiving side.
int exscan(const char *name, const Form &form, const pixMPI_Surface &sendsurface, pixMPI_Region sendregion,
           const pixMPI_Surface &recvsurface, pixMPI_Region recvregion, pixMPI_Op op, MPI_Comm comm) {
    return collective(name, form, comm, [&](const CallArguments &call, WriteSteps &write) -> Status {
        ReductionSides sides;
        if (const Status error = find_operation(op, call.size, sides.how))
            return error;
        sides.has_result = call.rank != sides.how.order.front();
        if (!sides.has_result && is_in_place(sendsurface)) {
            if (const Status error = call.find(recvsurface, recvregion, "recvregion", sends, sides.mine))
                return error;
            if (const Status error = call.find(op, *sides.mine.surface, sides.how))
                return error;
        } else if (const Status error =
                       find_reduction(call, sendsurface, sendregion, recvsurface, recvregion, op, sides)) {
            return error;
        }
        write = write_reduction(sides, pixmpi::exscan);
        return PIXMPI_SUCCESS;
    });
}

namespace {

/// The two sides of an exchange between neighbours: one region for each; `from` may have one for all.
struct NeighborSides {
    Topology topology;
    CallEnds from, to;
};

Status find_received(const CallArguments &call, const pixMPI_Surface &recvsurface, const pixMPI_Region recvregions[],
                     NeighborSides &sides) {
    return call.find(recvsurface, recvregions, sides.topology.sources, "recvregions", receives, sides.to);
}

/// MPI_PROC_NULL gives and gets no pixels.
CallEnds without_nulls(CallEnds ends) {
    for (Plan::Part &part : ends.parts)
        if (!part)
            part = region_of({});
    return ends;
}

} // namespace

int neighbor_allgather(const char *name, const Form &form, const pixMPI_Surface &sendsurface, pixMPI_Region sendregion,
                       const pixMPI_Surface &recvsurface, const pixMPI_Region recvregions[], MPI_Comm comm) {
    return collective(name, form, comm, [&](const CallArguments &call, WriteSteps &write) -> Status {
        NeighborSides sides;
        if (const Status error = find_topology(comm, sides.topology))
            return error;
        const bool sent = !sides.topology.destinations.empty();
        const pixMPI_Surface nothing = pixMPI_Memory(nullptr, PIXMPI_R8, 0, 0);
        CallEnd mine;
        if (const Status error =
                call.find(sent ? sendsurface : nothing, sent ? sendregion : PIXMPI_WHOLE, "sendregion", sends, mine))
            return error;
        sides.from = {mine.surface, {mine.part}};
        if (const Status error = find_received(call, recvsurface, recvregions, sides))
            return error;
        if (const Status error = call.check_loops(sides.topology, sides.from, sides.to))
            return error;
        write = [=](Plan &plan) -> Status {
            CollectiveEnd from;
            CollectiveEnds to;
            bool in_place = false;
            const Status error = add_both(plan, Plan::Use::moved, mine, without_nulls(sides.to), in_place, from, to);
            if (!error)
                pixmpi::neighbor_allgather(plan, sides.topology, from, to);
            return error;
        };
        return PIXMPI_SUCCESS;
    });
}

int neighbor_alltoall(const char *name, const Form &form, const pixMPI_Surface &sendsurface,
                      const pixMPI_Region sendregions[], const pixMPI_Surface &recvsurface,
                      const pixMPI_Region recvregions[], MPI_Comm comm) {
    return collective(name, form, comm, [&](const CallArguments &call, WriteSteps &write) -> Status {
        NeighborSides sides;
        if (const Status error = find_topology(comm, sides.topology))
            return error;
        if (const Status error =
                call.find(sendsurface, sendregions, sides.topology.destinations, "sendregions", sends, sides.from))
            return error;
        if (const Status error = find_received(call, recvsurface, recvregions, sides))
            return error;
        if (const Status error = call.check_loops(sides.topology, sides.from, sides.to))
            return error;
        write = [=](Plan &plan) -> Status {
            CollectiveEnds from, to;
            bool in_place = false;
            const Status error = add_both(plan, Plan::Use::moved, without_nulls(sides.from), without_nulls(sides.to),
                                          in_place, from, to);
            if (!error)
                pixmpi::neighbor_alltoall(plan, sides.topology, from, to);
            return error;
        };
        return PIXMPI_SUCCESS;
    });
}

} // namespace pixmpi::calls
