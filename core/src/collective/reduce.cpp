// Small pictures go to where the result is wanted, and are folded there: one step, n - 1 messages of B bytes into each
// such rank. Large ones are cut into n blocks. Each rank receives its block from all others, folds it, and sends the
// result on. Allreduce: 2 B (n - 1) / n bytes out of each rank and the same into it, so every rank has the same to do
// and every link is used both ways. Reduce: B (n - 1) / n, and twice that into the root (Rabenseifner 2004, with all
// pairs at once instead of halving). Allreduce by a user's operation also uses blocks for small pictures: the shader
// of one rank and the function of another may differ in the last bits of a pixel, which therefore is folded once.
//
// A second step takes GPUs longer than many more bytes, and a CPU that folds all of a picture longer than its block. So
// where any rank of an Allreduce on one host has its pixels on a GPU, larger pictures are also folded in one step; two
// ranks send no more bytes so. In place it needs a copy of all. Ranks with a GPU begin at once. The others say that
// they have none, and look at what comes first from each rank. A persistent Allreduce uses blocks, since its steps are
// written before its start.
#include "collective/fold.h"
#include "host/host_device.h"
#include "region/slice.h"

#include <algorithm>

namespace pixmpi {
namespace {

// Of what is to be folded; of blocks that are handed on; of a rank that says that it has no GPU.
constexpr int operand_label = 0, result_label = 1, no_gpu_label = 2;

bool is_small(const Plan &plan, const CollectiveEnd &mine) {
    constexpr std::uint64_t small_bytes = 64 << 10;
    return bytes_of(plan, mine.side, mine.part) <= small_bytes ||
           mine.part->pixels < static_cast<std::uint64_t>(plan.size());
}

/// Whether GPUs have so many more bytes sooner than a second step, and memory for a copy of all.
bool is_small_for_gpus(const Plan &plan, const CollectiveEnd &mine, bool in_place) {
    constexpr std::uint64_t bytes_of_a_step = 8 << 20, bytes_of_a_copy = 64 << 20;
    const auto n = static_cast<std::uint64_t>(plan.size()), bytes = bytes_of(plan, mine.side, mine.part);
    return n > 1 && plan.leaders().size() == 1 && (!in_place || bytes <= bytes_of_a_copy) &&
           bytes * (n - 1) * (n - 2) / n <= bytes_of_a_step;
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

Status allreduce_at_once(Plan &plan, const CollectiveEnd &mine, const CollectiveEnd &result, bool in_place,
                         const Reduction &how) {
    const Plan::Steps sent = plan.share(mine.side, mine.part, others_than(plan), operand_label);
    Folded folded;
    return fold(plan, mine, &result, in_place, how, operand_label, in_place ? sent : Plan::Steps(), folded);
}

bool is_on_gpu(const Plan &plan, Plan::Side side) {
    const Device &device = *plan.surface(side).device;
    return device.gains_by_passes() || device.packs_to_other_gpus();
}

/// The same on all ranks.
Status allreduce_for_gpus(Plan &plan, const CollectiveEnd &mine, const CollectiveEnd &result, bool in_place,
                          const Reduction &how) {
    if (is_on_gpu(plan, mine.side) && is_on_gpu(plan, result.side))
        return allreduce_at_once(plan, mine, result, in_place, how);
    const std::vector<int> others = others_than(plan);
    for (const int other : others)
        plan.send_nothing(other, no_gpu_label);
    const auto came = std::make_shared<std::vector<int>>();
    plan.write_more(
        [=, &plan] {
            bool any_gpu = false;
            for (std::size_t i = 0; i < others.size(); ++i) {
                any_gpu = any_gpu || (*came)[i] != no_gpu_label;
                if ((*came)[i] == no_gpu_label)
                    plan.recv_nothing(others[i], no_gpu_label);
            }
            return (any_gpu ? allreduce_at_once : allreduce_by_blocks)(plan, mine, result, in_place, how);
        },
        {plan.expect(others, {no_gpu_label, operand_label}, came)}, {mine.side, result.side});
    return PIXMPI_SUCCESS;
}

} // namespace

Status reduce(Plan &plan, const CollectiveEnd *mine, const CollectiveEnd *result, const Reduction &how, int root) {
    plan.be_exact();
    const CollectiveEnd own = mine ? *mine : *result;
    plan.cut(own.part->pixels);
    const bool in_place = !mine;
    constexpr int few = 2; // ranks that gain nothing by blocks
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
    if (how.user)
        return allreduce_by_blocks(plan, own, result, in_place, how);
    if (is_small(plan, own))
        return allreduce_at_once(plan, own, result, in_place, how);
    if (plan.starts_again() || !is_small_for_gpus(plan, own, named_in_place))
        return allreduce_by_blocks(plan, own, result, in_place, how);
    return allreduce_for_gpus(plan, own, result, in_place, how);
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
