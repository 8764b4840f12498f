#include "composite/compose.h"

#include <algorithm>

namespace pixmpi {
namespace {

constexpr int result_label = 0; ///< rounds have theirs from 1 on

pixMPI_Rect common(const pixMPI_Rect &a, const pixMPI_Rect &b) {
    const int x = std::max(a.x, b.x), y = std::max(a.y, b.y);
    const int right = std::min(a.x + a.width, b.x + b.width), top = std::min(a.y + a.height, b.y + b.height);
    return right > x && top > y ? pixMPI_Rect{x, y, right - x, top - y} : pixMPI_Rect{};
}

bool empty(const pixMPI_Rect &rect) { return rect.width == 0; }

Plan::Part part_of_rects(std::initializer_list<pixMPI_Rect> rects) {
    auto region = std::make_shared<Region>();
    for (const pixMPI_Rect &rect : rects)
        region->add(rect);
    region->commit();
    return region;
}

class Composing {
  public:
    Composing(Plan &plan, const Scheme &scheme, const Reduction &how, const FrameFacts &facts,
              const FrameSurfaces &surfaces)
        : plan_(plan), scheme_(scheme), how_(how), facts_(facts), surfaces_(surfaces),
          place_(static_cast<int>(std::find(how.order.begin(), how.order.end(), plan.rank()) - how.order.begin())),
          all_{0, 0, facts.extent.width, facts.extent.height} {
        for (const pixMPI_Rect &rect : facts.active)
            if (!empty(rect))
                touched_ = around(touched_, rect);
        // Whose rows are which does not depend on what was drawn where rows are the result.
        cut_ = facts.result == PIXMPI_RESULT_ROWS ? all_ : touched_;
    }

    Status write() {
        plan_.be_exact();
        plan_.cut(pixels_of(all_));
        drawn_ = plan_.add(surfaces_.drawn);
        now_ = {drawn_, {}, {}};
        for (std::size_t round = 0; round < scheme_.rounds(); ++round)
            if (const Group *group = scheme_.group_of(place_, round))
                if (const Status error = merge(round, *group))
                    return error;
        return hand_out();
    }

  private:
    /// Where pixels of the picture are: those of `at` begin at the side's origin.
    struct Where {
        Plan::Side side;
        pixMPI_Rect at; ///< x and y
        Plan::Steps over;
    };

    int rank_in(int place) const { return how_.order[static_cast<std::size_t>(place)]; }

    /// In the picture, what a share has.
    pixMPI_Rect rows_of(const Share &share) const {
        return {cut_.x, cut_.y + share.top, cut_.width, share.bottom - share.top};
    }
    pixMPI_Rect content_of(const Share &share) const {
        pixMPI_Rect content{};
        for (int place = share.front; place < share.back; ++place)
            if (const pixMPI_Rect &rect = facts_.active[static_cast<std::size_t>(rank_in(place))]; !empty(rect))
                content = around(content, rect);
        return common(content, rows_of(share));
    }
    static Plan::Part in(const Where &where, const pixMPI_Rect &rect) {
        return part_of_rects({{rect.x - where.at.x, rect.y - where.at.y, rect.width, rect.height}});
    }

    Status merge(std::size_t round, const Group &group);
    Status make_room(const pixMPI_Rect &rect);
    Status hand_out();
    Status without_depth(Where &where, const pixMPI_Rect &rect);
    Status fill_background(Plan::Side picture, const pixMPI_Rect &rect);
    bool loses_depth() const { return surfaces_.drawn->has_depth() && !facts_.with_depth; }

    Plan &plan_;
    const Scheme &scheme_;
    const Reduction &how_;
    const FrameFacts &facts_;
    const FrameSurfaces &surfaces_;
    const int place_;
    const pixMPI_Rect all_;
    pixMPI_Rect touched_{}; ///< around all that is active on any rank
    pixMPI_Rect cut_{};     ///< whose rows are shared out
    Plan::Side drawn_ = 0;
    Where now_;           ///< of what this rank has merged
    Plan::Steps readers_; ///< read `drawn`
};

/// What the others of the group merge goes to them; what this rank does, comes here and is combined, the nearest
/// neighbours first.
Status Composing::merge(std::size_t round, const Group &group) {
    const int label = 1 + static_cast<int>(round);
    const std::vector<Share> before = scheme_.shares(cut_.height, round), after = scheme_.shares(cut_.height, round + 1);
    const auto share_of = [](const std::vector<Share> &shares, int place) -> const Share & {
        return shares[static_cast<std::size_t>(place)];
    };
    const auto me = std::find(group.places.begin(), group.places.end(), place_);
    const pixMPI_Rect mine = content_of(share_of(before, place_));
    for (const int other : group.places) {
        const Share &theirs = share_of(after, other);
        const pixMPI_Rect rect = theirs.takes_part ? common(mine, rows_of(theirs)) : pixMPI_Rect{};
        if (other == place_ || empty(rect))
            continue;
        const Plan::Step sent = plan_.send(now_.side, in(now_, rect), rank_in(other), label, now_.over);
        if (now_.side == drawn_)
            readers_.push_back(sent);
    }
    const Share &share = share_of(after, place_);
    if (!share.takes_part)
        return PIXMPI_SUCCESS;
    const auto take = [&](int other, Order operands) -> Status {
        const pixMPI_Rect content = common(content_of(share_of(before, other)), rows_of(share));
        if (empty(content))
            return PIXMPI_SUCCESS;
        if (const Status error = make_room(common(touched_, rows_of(share))))
            return error;
        now_.over = {
            plan_.recv(now_.side, in(now_, content), rank_in(other), label, now_.over, how_.with(operands))};
        return PIXMPI_SUCCESS;
    };
    for (auto other = me; other != group.places.begin();)
        if (const Status error = take(*--other, Order::incoming_first))
            return error;
    for (auto other = me + 1; other != group.places.end(); ++other)
        if (const Status error = take(*other, Order::present_first))
            return error;
    return PIXMPI_SUCCESS;
}

/// What is merged lies in memory of the library's, unless the program gives what it has drawn away.
Status Composing::make_room(const pixMPI_Rect &rect) {
    if (now_.side != drawn_ || (surfaces_.in_place && plan_.combines_in_place(drawn_)))
        return PIXMPI_SUCCESS;
    Where room{0, rect, {}};
    if (const Status error =
            plan_.add_scratch(drawn_, {rect.width, rect.height}, Plan::Memory::to_combine, room.side))
        return error;
    room.over = {plan_.copy(drawn_, in(now_, rect), room.side, in(room, rect), now_.over)};
    readers_.push_back(room.over.front());
    now_ = std::move(room);
    return PIXMPI_SUCCESS;
}

/// The colours of these pixels as a side of their own.
Status Composing::without_depth(Where &where, const pixMPI_Rect &rect) {
    if (where.side == drawn_) {
        Where room{0, rect, {}};
        if (const Status error = plan_.add_scratch(drawn_, {rect.width, rect.height}, Plan::Memory::device, room.side))
            return error;
        room.over = {plan_.copy(drawn_, in(where, rect), room.side, in(room, rect), where.over)};
        where = std::move(room);
    }
    where.side = plan_.colors_of_scratch(where.side);
    return PIXMPI_SUCCESS;
}

/// What lies outside of `rect` is as this rank has it.
Status Composing::fill_background(Plan::Side picture, const pixMPI_Rect &rect) {
    const pixMPI_Rect whole = facts_.result == PIXMPI_RESULT_ROWS
                                  ? rows_of(scheme_.shares(cut_.height, scheme_.rounds())[static_cast<std::size_t>(
                                        place_)])
                                  : all_;
    const pixMPI_Rect inner = empty(rect) ? pixMPI_Rect{whole.x, whole.y, 0, 0} : rect;
    const int right = inner.x + inner.width, top = inner.y + inner.height;
    for (const pixMPI_Rect &one :
         {pixMPI_Rect{whole.x, whole.y, whole.width, inner.y - whole.y},
          pixMPI_Rect{whole.x, inner.y, inner.x - whole.x, inner.height},
          pixMPI_Rect{right, inner.y, whole.x + whole.width - right, inner.height},
          pixMPI_Rect{whole.x, top, whole.width, whole.y + whole.height - top}}) {
        if (one.width == 0 || one.height == 0)
            continue;
        Where from{drawn_, {}, {}};
        if (loses_depth())
            if (const Status error = without_depth(from, one))
                return error;
        plan_.copy(from.side, in(from, one), picture, part_of_rects({one}), from.over);
    }
    return PIXMPI_SUCCESS;
}

Status Composing::hand_out() {
    const std::vector<Share> shares = scheme_.shares(cut_.height, scheme_.rounds());
    const auto content = [&](int place) {
        const Share &share = shares[static_cast<std::size_t>(place)];
        return share.takes_part ? content_of(share) : pixMPI_Rect{};
    };
    const bool rows = facts_.result == PIXMPI_RESULT_ROWS, has_picture = surfaces_.in_place || surfaces_.picture;
    const pixMPI_Rect mine = content(place_);
    std::vector<int> dests;
    for (int rank = 0; !rows && !empty(mine) && rank < plan_.size(); ++rank)
        if (rank != plan_.rank() && (facts_.result == PIXMPI_RESULT_ALL || rank == facts_.result))
            dests.push_back(rank);
    const bool moves = !empty(mine) && has_picture && !(surfaces_.in_place && now_.side == drawn_);
    Where merged = now_;
    if (loses_depth() && (moves || !dests.empty()))
        if (const Status error = without_depth(merged, mine))
            return error;
    // Nothing is received where these pixels are, so nothing waits for them: all ranks' do, when the result is for all.
    if (!dests.empty())
        plan_.share(merged.side, in(merged, mine), dests, result_label, merged.over);
    if (!has_picture)
        return PIXMPI_SUCCESS;

    const Plan::Side picture = surfaces_.in_place ? drawn_ : plan_.add(surfaces_.picture);
    const Plan::Steps before = surfaces_.in_place ? readers_ : Plan::Steps();
    if (moves) {
        Plan::Steps after = merged.over;
        after.insert(after.end(), before.begin(), before.end());
        plan_.copy(merged.side, in(merged, mine), picture, part_of_rects({mine}), after);
    }
    for (int place = 0; !rows && place < plan_.size(); ++place)
        if (const pixMPI_Rect theirs = content(place); place != place_ && !empty(theirs))
            plan_.recv(picture, part_of_rects({theirs}), rank_in(place), result_label, before);
    if (surfaces_.in_place)
        return PIXMPI_SUCCESS;
    return rows && !shares[static_cast<std::size_t>(place_)].takes_part
               ? PIXMPI_SUCCESS
               : fill_background(picture, rows ? mine : touched_);
}

} // namespace

Status compose(Plan &plan, const Scheme &scheme, const Reduction &how, const FrameFacts &facts,
               const FrameSurfaces &surfaces) {
    return Composing(plan, scheme, how, facts, surfaces).write();
}

} // namespace pixmpi
