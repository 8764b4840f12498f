#include "collective/fold.h"
#include "device/planes.h"

#include <algorithm>
#include <optional>

namespace pixmpi {
namespace {

class Folding {
  public:
    Folding(Plan &plan, const CollectiveEnd &result, const Reduction &how, int label)
        : plan_(plan), result_(result), how_(how), label_(label) {}

    /// The result is what this end has. With two ranks messages come before the copy. With more, the receives of several
    /// ranks would wait for each other's copies.
    void begin_with(const CollectiveEnd &mine) {
        last_ = {plan_.size() > 2 ? plan_.copy(mine.side, mine.part, result_.side, result_.part, last_)
                                  : plan_.copy_meanwhile(mine.side, mine.part, result_.side, result_.part, last_)};
    }
    /// The next operand is at hand.
    void append(const CollectiveEnd &mine) {
        last_ = {plan_.copy(mine.side, mine.part, result_.side, result_.part, last_, how_.with(Order::present_first))};
    }
    void begin_with_rank(int source) { receive(source, {}); }
    void append_from(int source) { receive(source, how_.with(Order::present_first)); }
    /// It stands before what is there.
    void prepend_from(int source) { receive(source, how_.with(Order::incoming_first)); }
    /// The same two operands: this rank's own, and what comes first, as it comes. False: they need a copy before.
    bool begin_with_both(const CollectiveEnd &mine, int source, Order order) {
        const auto &here = result_.part->rects, &there = mine.part->rects;
        if (is_watched(plan_.surface(result_.side)) || is_watched(plan_.surface(mine.side)) ||
            !std::equal(here.begin(), here.end(), there.begin(), there.end(), same))
            return false;
        const std::optional<Plan::Side> onto = plan_.add_onto(result_.side, mine.side, 0, 0);
        if (onto)
            last_ = {plan_.recv(*onto, result_.part, source, label_, {}, how_.with(order))};
        return onto.has_value();
    }
    /// What is there is needed later.
    Status set_aside(const CollectiveEnd &mine, CollectiveEnd &aside) {
        if (const Status error =
                plan_.add_scratch(mine.side, mine.part->pixels, Plan::Memory::device, aside.side, aside.part))
            return error;
        last_ = {plan_.copy(mine.side, mine.part, aside.side, aside.part, last_)};
        return PIXMPI_SUCCESS;
    }
    const Plan::Steps &last() const { return last_; }

  private:
    void receive(int source, const Combination &how) {
        last_ = {plan_.recv(result_.side, result_.part, source, label_, last_, how)};
    }

    Plan &plan_;
    const CollectiveEnd result_;
    const Reduction &how_;
    const int label_;
    Plan::Steps last_;
};

/// Folds into `result`, which no other step reads or writes meanwhile.
Status fold_here(Plan &plan, const CollectiveEnd &mine, const CollectiveEnd &result, bool in_place,
                 const Reduction &how, int label, Plan::Steps &over) {
    const std::vector<int> &order = how.order;
    const auto at = static_cast<std::size_t>(std::find(order.begin(), order.end(), plan.rank()) - order.begin());
    Folding folding(plan, result, how, label);
    CollectiveEnd own = mine;
    std::size_t next = 0;
    constexpr std::size_t both = 2;
    if (at < both && order.size() >= both && !in_place &&
        folding.begin_with_both(own, order[1 - at], at == 0 ? Order::present_first : Order::incoming_first)) {
        next = both;
    } else if (at < both) { // nothing has to be set aside
        if (!in_place)
            folding.begin_with(own);
        if (at == 1)
            folding.prepend_from(order[0]);
        next = at + 1;
    } else {
        if (in_place)
            if (const Status error = folding.set_aside(mine, own))
                return error;
        folding.begin_with_rank(order[0]);
        next = 1;
    }
    for (; next < order.size(); ++next)
        if (next == at)
            folding.append(own);
        else
            folding.append_from(order[next]);
    over = folding.last();
    return PIXMPI_SUCCESS;
}

} // namespace

Status fold(Plan &plan, const CollectiveEnd &mine, const CollectiveEnd *result, bool in_place, const Reduction &how,
            int label, const Plan::Steps &readers, Folded &folded) {
    if (result && readers.empty() && plan.combines_in_place(result->side)) {
        folded.end = *result;
        return fold_here(plan, mine, *result, in_place, how, label, folded.over);
    }
    if (const Status error =
            plan.add_scratch(mine.side, mine.part->pixels, Plan::Memory::to_combine, folded.end.side, folded.end.part))
        return error;
    if (const Status error = fold_here(plan, mine, folded.end, false, how, label, folded.over))
        return error;
    if (!result)
        return PIXMPI_SUCCESS;
    Plan::Steps before = folded.over;
    before.insert(before.end(), readers.begin(), readers.end());
    plan.copy(folded.end.side, folded.end.part, result->side, result->part, before);
    return PIXMPI_SUCCESS;
}

} // namespace pixmpi
