// Small pictures go to where the result is wanted, and are folded there: one step, n - 1 messages of B bytes into each
// such rank. Large ones are cut into n blocks. Each rank receives its block from all others, folds it, and sends the
// result on. Allreduce: 2 B (n - 1) / n bytes out of each rank and the same into it, so every rank has the same to do
// and every link is used both ways. Reduce: B (n - 1) / n, and twice that into the root (Rabenseifner 2004, with all
// pairs at once instead of halving). Two ranks send as many bytes without blocks, in one message instead of two one after
// the other; in place they would need a copy of all. Allreduce by a user's operation also takes blocks for small pictures: the shader
// of one rank and the function of another may differ in the last bits of a pixel, which therefore is folded once.
#include "collective/fold.h"
#include "region/slice.h"

#include <algorithm>

namespace pixmpi {
namespace {

constexpr std::uint64_t small_bytes = 64 << 10;
constexpr int few = 2;          ///< ranks that gain nothing by blocks
constexpr int result_label = 1; ///< of blocks that are handed on; 0: of what is to be folded

bool is_small(const Plan &plan, const CollectiveEnd &mine) {
    return bytes_of(plan, mine.side, mine.part) <= small_bytes ||
           mine.part->pixels < static_cast<std::uint64_t>(plan.size());
}

CollectiveEnd block_of(const CollectiveEnd &end, const Plan &plan, int rank) {
    return {end.side, part_of(end.part, rank, plan.size())};
}

std::vector<int> others_than(const Plan &plan) {
    std::vector<int> others;
    for (int i = 1; i < plan.size(); ++i)
        others.push_back((plan.rank() + i) % plan.size());
    return others;
}

/// To each other rank what it folds. `sent`: by rank.
void send_blocks(Plan &plan, const CollectiveEnd &mine, std::vector<Plan::Steps> &sent) {
    sent.resize(static_cast<std::size_t>(plan.size()));
    for (const int dest : others_than(plan)) {
        const CollectiveEnd block = block_of(mine, plan, dest);
        sent[static_cast<std::size_t>(dest)] = {plan.send(block.side, block.part, dest)};
    }
}

/// From each other rank the block that it has folded. In place it comes where what this rank sends was.
void receive_results(Plan &plan, const CollectiveEnd &result, bool in_place, const std::vector<Plan::Steps> &sent) {
    for (const int source : others_than(plan))
        plan.recv(result.side, block_of(result, plan, source).part, source, result_label,
                  in_place ? sent[static_cast<std::size_t>(source)] : Plan::Steps());
}

Status reduce_by_blocks(Plan &plan, const CollectiveEnd &mine, const CollectiveEnd *result, bool in_place,
                        const Reduction &how, int root) {
    std::vector<Plan::Steps> sent;
    send_blocks(plan, mine, sent);
    CollectiveEnd place;
    if (result)
        place = block_of(*result, plan, plan.rank());
    Folded folded;
    if (const Status error =
            fold(plan, block_of(mine, plan, plan.rank()), result ? &place : nullptr, in_place, how, 0, {}, folded))
        return error;
    if (plan.rank() != root) {
        plan.send(folded.end.side, folded.end.part, root, result_label, folded.over);
        return PIXMPI_SUCCESS;
    }
    receive_results(plan, *result, in_place, sent);
    return PIXMPI_SUCCESS;
}

Status allreduce_by_blocks(Plan &plan, const CollectiveEnd &mine, const CollectiveEnd &result, bool in_place,
                           const Reduction &how) {
    std::vector<Plan::Steps> sent;
    send_blocks(plan, mine, sent);
    const CollectiveEnd place = block_of(result, plan, plan.rank());
    Folded folded;
    if (const Status error = fold(plan, block_of(mine, plan, plan.rank()), &place, in_place, how, 0, {}, folded))
        return error;
    plan.share(folded.end.side, folded.end.part, others_than(plan), result_label, folded.over);
    receive_results(plan, result, in_place, sent);
    return PIXMPI_SUCCESS;
}

} // namespace

Status reduce(Plan &plan, const CollectiveEnd *mine, const CollectiveEnd *result, const Reduction &how, int root) {
    plan.be_exact();
    const CollectiveEnd own = mine ? *mine : *result;
    plan.cut(own.part->pixels);
    const bool in_place = !mine;
    if (!is_small(plan, own) && plan.size() > few)
        return reduce_by_blocks(plan, own, result, in_place, how, root);
    if (plan.rank() != root) {
        plan.send(own.side, own.part, root);
        return PIXMPI_SUCCESS;
    }
    Folded folded;
    return fold(plan, own, result, in_place, how, 0, {}, folded);
}

// Where the result lies among what others still receive, this rank goes on receiving meanwhile, and stores it last.
Status allreduce(Plan &plan, const CollectiveEnd *mine, const CollectiveEnd &result, const Reduction &how,
                 bool named_in_place) {
    plan.be_exact();
    const CollectiveEnd own = mine ? *mine : result;
    plan.cut(own.part->pixels);
    const bool in_place = !mine;
    const bool by_blocks = !is_small(plan, own) && (plan.size() > few || named_in_place);
    if (by_blocks || how.user)
        return allreduce_by_blocks(plan, own, result, in_place, how);
    const Plan::Steps sent = plan.share(own.side, own.part, others_than(plan));
    Folded folded;
    return fold(plan, own, &result, in_place, how, 0, in_place ? sent : Plan::Steps(), folded);
}

Status reduce_scatter(Plan &plan, const CollectiveEnds &mine, const CollectiveEnd &result, const Reduction &how,
                      bool in_place) {
    plan.be_exact();
    Plan::Steps sent;
    for (const int dest : others_than(plan))
        sent.push_back(plan.send(mine.side, mine.of(dest).part, dest));
    const CollectiveEnd own = mine.of(plan.rank());
    Folded folded;
    if (!in_place)
        return fold(plan, own, &result, false, how, 0, {}, folded);
    // What this rank sends to itself may overlap the result.
    if (const Status error = fold(plan, own, nullptr, false, how, 0, {}, folded))
        return error;
    sent.insert(sent.end(), folded.over.begin(), folded.over.end());
    plan.copy(folded.end.side, folded.end.part, result.side, result.part, sent);
    return PIXMPI_SUCCESS;
}

} // namespace pixmpi
