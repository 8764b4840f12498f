// Each rank sends to the root, which unpacks every message where its pixels belong: no byte is copied twice, and no
// rank has to keep another's. n - 1 messages of B bytes; the root's end is the limit, as it would be of any tree.
// Scatter is the same with the arrows turned round.
#include "collective/collective.h"

namespace pixmpi {

void gather(Plan &plan, const CollectiveEnd *mine, const CollectiveEnds *all, int root) {
    if (plan.rank() != root) {
        plan.send(mine->side, mine->part, root);
        return;
    }
    for (int i = 1; i < plan.size(); ++i) { // not all ranks' messages at rank 0 first
        const int source = (root + i) % plan.size();
        plan.recv(all->side, all->of(source).part, source);
    }
    if (mine)
        plan.copy_meanwhile(mine->side, mine->part, all->side, all->of(root).part);
}

void scatter(Plan &plan, const CollectiveEnds *all, const CollectiveEnd *mine, int root) {
    if (plan.rank() != root) {
        plan.recv(mine->side, mine->part, root);
        return;
    }
    for (int i = 1; i < plan.size(); ++i) {
        const int dest = (root + i) % plan.size();
        plan.send(all->side, all->of(dest).part, dest);
    }
    if (mine)
        plan.copy_meanwhile(all->side, all->of(root).part, mine->side, mine->part);
}

} // namespace pixmpi
