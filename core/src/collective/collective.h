// The collectives: each adds this rank's steps to a Plan. A surface and region of a rank's own is an End; where a rank
// has a region for each rank, Ends.
//
// Costs are given for n ranks and B bytes of a rank's, without what the ranks of one host share.
#pragma once

#include "collective/plan.h"

#include <algorithm>
#include <bit>

namespace pixmpi {

struct CollectiveEnd {
    Plan::Side side = 0;
    Plan::Part part;
};

struct CollectiveEnds {
    Plan::Side side = 0;
    std::vector<Plan::Part> parts; ///< by rank
    CollectiveEnd of(int rank) const { return {side, parts[static_cast<std::size_t>(rank)]}; }
};

/// Which pixels become one, and how.
struct Reduction {
    Operation operation = Operation::sum;
    std::vector<int> order; ///< ranks, from the first operand to the last
    std::shared_ptr<const UserOperation> user{};
    Combination with(Order operands) const { return {operation, operands, user}; }
};

// An end that is null is in place: the pixels are where the result will be.

/// After these steps; the last of what comes back is over when all ranks' steps are. `label`: the first of those it
/// takes; each barrier of a plan has `barrier_labels`.
constexpr int barrier_labels = 16;
Plan::Steps barrier(Plan &plan, Plan::Steps after = {}, int label = 0);
void bcast(Plan &plan, const CollectiveEnd &end, int root);
/// `all`: the root's.
void gather(Plan &plan, const CollectiveEnd *mine, const CollectiveEnds *all, int root);
void scatter(Plan &plan, const CollectiveEnds *all, const CollectiveEnd *mine, int root);
void allgather(Plan &plan, const CollectiveEnd *mine, const CollectiveEnds &all);
Status alltoall(Plan &plan, const CollectiveEnds *from, const CollectiveEnds &to);
/// `result`: the root's.
Status reduce(Plan &plan, const CollectiveEnd *mine, const CollectiveEnd *result, const Reduction &how, int root);
/// `named_in_place`: the program's call is in place, on all ranks; the pixels may still have come elsewhere (`mine`).
Status allreduce(Plan &plan, const CollectiveEnd *mine, const CollectiveEnd &result, const Reduction &how,
                 bool named_in_place);
/// `in_place`: `mine` is of the result's surface.
Status reduce_scatter(Plan &plan, const CollectiveEnds &mine, const CollectiveEnd &result, const Reduction &how,
                      bool in_place);
Status scan(Plan &plan, const CollectiveEnd *mine, const CollectiveEnd &result, const Reduction &how);
/// `result`: null on the first rank of the order.
Status exscan(Plan &plan, const CollectiveEnd *mine, const CollectiveEnd *result, const Reduction &how);

/// `to`, `from`: by source, by destination; of MPI_PROC_NULL any region.
void neighbor_allgather(Plan &plan, const Topology &topology, const CollectiveEnd &mine, const CollectiveEnds &to);
void neighbor_alltoall(Plan &plan, const Topology &topology, const CollectiveEnds &from, const CollectiveEnds &to);

/// Bytes of a part of a side.
inline std::uint64_t bytes_of(const Plan &plan, Plan::Side side, const Plan::Part &part) {
    return part->pixels * static_cast<std::uint64_t>(plan.surface(side).pixel_bytes);
}
/// In how many parts so many bytes pass through ranks that hand them on, so that these work at the same time. A power
/// of two, which the heights of most pictures can be divided by: JPEG likes whole rows.
inline int pipeline_parts(std::uint64_t bytes) {
    constexpr std::uint64_t part_bytes = 1 << 20, most = 16;
    return static_cast<int>(std::bit_ceil(std::clamp<std::uint64_t>(bytes / part_bytes, 1, most)));
}

} // namespace pixmpi
