// Within one host each rank packs its pixels once, and all others unpack them: one pack and n - 1 unpacks a rank, in
// one step. Over several hosts the pixels go round a ring, where ranks of a host are neighbours: n - 1 steps, each
// pair of neighbouring hosts moves (n - 1) B bytes over its link, and a rank hands on what it has unpacked (Chan,
// Heimlich, Purkayastha and van de Geijn 2007).
#include "collective/collective.h"

#include <algorithm>

namespace pixmpi {
namespace {

std::vector<int> ranks_by_host(const Plan &plan) {
    std::vector<int> ranks;
    for (const int leader : plan.leaders())
        for (int rank = 0; rank < plan.size(); ++rank)
            if (plan.leader_of(rank) == leader)
                ranks.push_back(rank);
    return ranks;
}

void go_round(Plan &plan, const CollectiveEnd &mine, const CollectiveEnds &all) {
    const std::vector<int> ring = ranks_by_host(plan);
    const std::size_t n = ring.size();
    const auto at = static_cast<std::size_t>(std::find(ring.begin(), ring.end(), plan.rank()) - ring.begin());
    const int next = ring[(at + 1) % n], previous = ring[(at + n - 1) % n];
    CollectiveEnd passed_on = mine;
    Plan::Steps here;
    for (std::size_t step = 0; step + 1 < n; ++step) {
        const int label = static_cast<int>(step % Schedule::labels);
        if (here.empty())
            plan.send(passed_on.side, passed_on.part, next, label);
        else
            plan.hand_on(passed_on.side, passed_on.part, here.front(), {&next, 1}, label);
        passed_on = all.of(ring[(at + n - 1 - step) % n]);
        here = {plan.recv(passed_on.side, passed_on.part, previous, label, here)};
    }
}

} // namespace

void allgather(Plan &plan, const CollectiveEnd *mine, const CollectiveEnds &all) {
    const CollectiveEnd own = mine ? *mine : all.of(plan.rank());
    if (plan.leaders().size() > 1) {
        go_round(plan, own, all);
    } else {
        std::vector<int> others = plan.neighbours();
        std::erase(others, plan.rank());
        plan.share(own.side, own.part, others);
        for (const int source : others)
            plan.recv(all.side, all.of(source).part, source);
    }
    if (mine)
        plan.copy_meanwhile(mine->side, mine->part, all.side, all.of(plan.rank()).part);
}

} // namespace pixmpi
