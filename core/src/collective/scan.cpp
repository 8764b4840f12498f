// A chain: each rank folds what comes from the one before it with its own pixels, and hands the result on. In parts, so
// that ranks work at the same time: (n - 1 + parts) transfers of B / parts bytes, one after the other.
#include "collective/collective.h"

#include "region/slice.h"

#include <algorithm>

namespace pixmpi {

void scan(Plan &plan, const CollectiveEnd *mine, const CollectiveEnd &result, const Reduction &how) {
    plan.be_exact();
    plan.cut(result.part->pixels);
    const std::vector<int> &order = how.order;
    const auto at = static_cast<std::size_t>(std::find(order.begin(), order.end(), plan.rank()) - order.begin());
    const int parts = pipeline_parts(bytes_of(plan, result.side, result.part));
    for (int i = 0; i < parts; ++i) {
        const Plan::Part part = part_of(result.part, i, parts);
        Plan::Steps here;
        if (mine)
            here = {plan.copy(mine->side, part_of(mine->part, i, parts), result.side, part)};
        if (at > 0)
            here = {plan.recv(result.side, part, order[at - 1], i, here, {how.operation, Order::incoming_first})};
        if (at + 1 < order.size())
            plan.send(result.side, part, order[at + 1], i, here);
    }
}

} // namespace pixmpi
