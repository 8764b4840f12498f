// A chain: each rank folds what comes from the one before it with its own pixels, and hands the result on. In parts, so
// that ranks work at the same time: (n - 1 + parts) transfers of B / parts bytes, one after the other.
#include "collective/collective.h"

#include "region/slice.h"

#include <algorithm>

namespace pixmpi {

// Where pixels are not combined in the result itself, it is stored when its part has been folded; the next rank does
// not wait for that.
Status scan(Plan &plan, const CollectiveEnd *mine, const CollectiveEnd &result, const Reduction &how) {
    plan.be_exact();
    plan.cut(result.part->pixels);
    const std::vector<int> &order = how.order;
    const auto at = static_cast<std::size_t>(std::find(order.begin(), order.end(), plan.rank()) - order.begin());
    const bool apart = at > 0 && !plan.combines_in_place(result.side);
    CollectiveEnd folded = result;
    if (apart)
        if (const Status error =
                plan.add_scratch(result.side, result.part->pixels, Plan::Memory::to_combine, folded.side, folded.part))
            return error;
    const CollectiveEnd *const own = mine ? mine : apart ? &result : nullptr; // null: it is there already
    const int parts = pipeline_parts(bytes_of(plan, result.side, result.part));
    for (int i = 0; i < parts; ++i) {
        const Plan::Part part = part_of(folded.part, i, parts);
        Plan::Steps here;
        if (own)
            here = {plan.copy(own->side, part_of(own->part, i, parts), folded.side, part)};
        if (at > 0)
            here = {plan.recv(folded.side, part, order[at - 1], i, here, how.with(Order::incoming_first))};
        if (at + 1 < order.size())
            plan.send(folded.side, part, order[at + 1], i, here);
        if (apart)
            plan.copy(folded.side, part, result.side, part_of(result.part, i, parts), here);
    }
    return PIXMPI_SUCCESS;
}

} // namespace pixmpi
