// Each pair of ranks exchanges directly; rank r begins with r + 1, so that not all send to the same rank at once. n - 1
// messages each way, no byte copied twice. In place a rank first copies what it sends aside, on its device.
#include "collective/collective.h"

namespace pixmpi {

Status alltoall(Plan &plan, const CollectiveEnds *from, const CollectiveEnds &to) {
    const int n = plan.size(), rank = plan.rank();
    std::vector<Plan::Steps> set_aside(static_cast<std::size_t>(n)); // by rank
    for (int i = 1; i < n; ++i) {
        const int dest = (rank + i) % n, source = (rank + n - i) % n;
        CollectiveEnd out = from ? from->of(dest) : to.of(dest);
        Plan::Steps &aside = set_aside[static_cast<std::size_t>(dest)];
        if (!from) {
            Plan::Side scratch = 0;
            Plan::Part all;
            if (const Status error = plan.add_scratch(out.side, out.part->pixels, Plan::Memory::device, scratch, all))
                return error;
            aside = {plan.copy(out.side, out.part, scratch, all)};
            out = {scratch, all};
        }
        plan.send(out.side, out.part, dest, 0, aside);
        if (from)
            plan.recv(to.side, to.of(source).part, source);
    }
    if (from)
        plan.copy_meanwhile(from->side, from->of(rank).part, to.side, to.of(rank).part);
    else
        for (int i = 1; i < n; ++i) {
            const int source = (rank + i) % n;
            plan.recv(to.side, to.of(source).part, source, 0, set_aside[static_cast<std::size_t>(source)]);
        }
    return PIXMPI_SUCCESS;
}

} // namespace pixmpi
