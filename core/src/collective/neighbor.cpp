// Neighbours exchange directly, all at once: one step, a message for each neighbour, no byte copied twice.
// What goes to all neighbours alike is packed once for those of this host. A neighbour may be the rank itself, and may
// be there several times: an edge is named by its two ranks and a label, which tells edges between the same two ranks
// apart.
#include "collective/collective.h"

#include <algorithm>
#include <map>

namespace pixmpi {
namespace {

/// What this rank sends to itself goes nowhere: it is copied from the one end of the edge to the other.
class Loops {
  public:
    void add(int label, const CollectiveEnd &from) { from_[label] = from; }
    void copy(Plan &plan, int label, const CollectiveEnd &to) const {
        if (const auto from = from_.find(label); from != from_.end())
            plan.copy(from->second.side, from->second.part, to.side, to.part);
    }

  private:
    std::map<int, CollectiveEnd> from_;
};

void receive_all(Plan &plan, const std::vector<Edge> &sources, const CollectiveEnds &to, const Loops &loops) {
    for (std::size_t i = 0; i < sources.size(); ++i) {
        const Edge &edge = sources[i];
        const CollectiveEnd end = to.of(static_cast<int>(i));
        if (edge.rank == plan.rank())
            loops.copy(plan, edge.label, end);
        else if (edge.rank >= 0)
            plan.recv(end.side, end.part, edge.rank, edge.label);
    }
}

} // namespace

void neighbor_alltoall(Plan &plan, const Topology &topology, const CollectiveEnds &from, const CollectiveEnds &to) {
    Loops loops;
    for (std::size_t i = 0; i < topology.destinations.size(); ++i) {
        const Edge &edge = topology.destinations[i];
        const CollectiveEnd end = from.of(static_cast<int>(i));
        if (edge.rank == plan.rank())
            loops.add(edge.label, end);
        else if (edge.rank >= 0)
            plan.send(end.side, end.part, edge.rank, edge.label);
    }
    receive_all(plan, topology.sources, to, loops);
}

void neighbor_allgather(Plan &plan, const Topology &topology, const CollectiveEnd &mine, const CollectiveEnds &to) {
    Loops loops;
    std::map<int, std::vector<int>> shared; // ranks by label
    for (const Edge &edge : topology.destinations)
        if (edge.rank == plan.rank())
            loops.add(edge.label, mine);
        else if (edge.rank >= 0)
            shared[edge.label].push_back(edge.rank);
    for (const auto &[label, ranks] : shared)
        plan.share(mine.side, mine.part, ranks, label);
    receive_all(plan, topology.sources, to, loops);
}

} // namespace pixmpi
