// A chain: each rank folds what comes from the one before it with its own pixels, and hands the result on. In parts, so
// that ranks work at the same time: (n - 1 + parts) transfers of B / parts bytes, one after the other.
#include "collective/collective.h"

#include "region/slice.h"

#include <algorithm>

namespace pixmpi {
namespace {

/// This rank's neighbours in the chain; -1 at its ends.
struct Chain {
    int previous = -1, next = -1;
};

Chain find_chain(const Plan &plan, const std::vector<int> &order) {
    const auto at = std::find(order.begin(), order.end(), plan.rank());
    return {at == order.begin() ? -1 : *(at - 1), at + 1 == order.end() ? -1 : *(at + 1)};
}

CollectiveEnd part_of(const CollectiveEnd &end, int i, int parts) {
    return {end.side, pixmpi::part_of(end.part, i, parts)};
}

} // namespace

// Where pixels are not combined in the result itself, it is stored when its part has been folded; the next rank does
// not wait for that.
Status scan(Plan &plan, const CollectiveEnd *mine, const CollectiveEnd &result, const Reduction &how) {
    plan.be_exact();
    plan.cut(result.part->pixels);
    const Chain chain = find_chain(plan, how.order);
    const bool apart = chain.previous >= 0 && !plan.combines_in_place(result.side);
    CollectiveEnd folded = result;
    if (apart)
        if (const Status error =
                plan.add_scratch(result.side, result.part->pixels, Plan::Memory::to_combine, folded.side, folded.part))
            return error;
    const CollectiveEnd *const own = mine ? mine : apart ? &result : nullptr; // null: it is there already
    const int parts = pipeline_parts(bytes_of(plan, result.side, result.part));
    for (int i = 0; i < parts; ++i) {
        const CollectiveEnd here = part_of(folded, i, parts);
        Plan::Steps last;
        if (own) {
            const CollectiveEnd from = part_of(*own, i, parts);
            last = {plan.copy(from.side, from.part, here.side, here.part)};
        }
        if (chain.previous >= 0)
            last = {plan.recv(here.side, here.part, chain.previous, i, last, how.with(Order::incoming_first))};
        if (chain.next >= 0)
            plan.send(here.side, here.part, chain.next, i, last);
        if (apart) {
            const CollectiveEnd to = part_of(result, i, parts);
            plan.copy(here.side, here.part, to.side, to.part, last);
        }
    }
    return PIXMPI_SUCCESS;
}

// The message that arrives is this rank's result. The one for the next rank is folded apart from it, in a copy of this
// rank's own pixels, which also keeps them where the result takes their place.
Status exscan(Plan &plan, const CollectiveEnd *mine, const CollectiveEnd *result, const Reduction &how) {
    plan.be_exact();
    const CollectiveEnd &own = mine ? *mine : *result;
    plan.cut(own.part->pixels);
    const Chain chain = find_chain(plan, how.order);
    const bool folds = chain.previous >= 0 && chain.next >= 0;
    CollectiveEnd folded = own;
    if (folds)
        if (const Status error =
                plan.add_scratch(own.side, own.part->pixels, Plan::Memory::to_combine, folded.side, folded.part))
            return error;
    const int parts = pipeline_parts(bytes_of(plan, own.side, own.part));
    for (int i = 0; i < parts; ++i) {
        const CollectiveEnd from = part_of(own, i, parts), here = part_of(folded, i, parts);
        Plan::Steps last;
        if (folds)
            last = {plan.copy(from.side, from.part, here.side, here.part)};
        if (chain.previous >= 0) {
            const CollectiveEnd to = part_of(*result, i, parts);
            const Plan::Step received = plan.recv(to.side, to.part, chain.previous, i, last);
            if (folds)
                last = {plan.copy(to.side, to.part, here.side, here.part, {received},
                                  how.with(Order::incoming_first))};
        }
        if (chain.next >= 0)
            plan.send(here.side, here.part, chain.next, i, last);
    }
    return PIXMPI_SUCCESS;
}

} // namespace pixmpi
