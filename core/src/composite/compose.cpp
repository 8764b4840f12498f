#include "composite/compose.h"

#include <algorithm>

namespace pixmpi {
namespace {

constexpr int result_label = 0; ///< rounds have theirs from 1 on

class Composing {
  public:
    Composing(Plan &plan, const Scheme &scheme, const Reduction &how, const FrameFacts &facts, const FrameSides &sides)
        : plan_(plan), scheme_(scheme), how_(how), facts_(facts), sides_(sides),
          place_(static_cast<int>(std::find(how.order.begin(), how.order.end(), plan.rank()) - how.order.begin())),
          touched_(facts.extent) {
        for (const Cells &cells : facts.active)
            touched_.add(cells);
        weigh_rows();
    }

    Status write() {
        plan_.cut(pixels_of(pixMPI_Rect{0, 0, facts_.extent.width, facts_.extent.height}));
        now_.side = sides_.drawn;
        now_.is_picture = sides_.in_place;
        for (std::size_t round = 0; round < scheme_.rounds(); ++round)
            if (const Group *group = scheme_.group_of(place_, round))
                if (const Status error = merge(round, *group))
                    return error;
        return hand_out();
    }

  private:
    /// Where pixels of the picture are: the side's origin is at (x, y) of the picture.
    struct Where {
        Plan::Side side = 0;
        int x = 0, y = 0;
        bool is_picture = false; ///< the result is written there
        Plan::Steps over{};
    };

    int rank_in(int place) const { return how_.order[static_cast<std::size_t>(place)]; }
    void weigh_rows();
    std::vector<Share> shares(std::size_t round) const { return scheme_.shares(row_begins_.back(), round); }

    /// The first row of which so much lies below it.
    int row_at(int weight) const {
        return static_cast<int>(std::lower_bound(row_begins_.begin(), row_begins_.end(), weight) - row_begins_.begin());
    }
    Plan::Part part_of(const Cells &cells, const Share &rows, const Where &where) const {
        return cells.region(row_at(rows.top), row_at(rows.bottom), where.x, where.y);
    }
    /// What there is of these places.
    Cells content_of(const Share &places) const {
        if (places.front == 0 && places.back == plan_.size())
            return touched_;
        Cells content(facts_.extent);
        for (int place = places.front; place < places.back; ++place)
            content.add(facts_.active[static_cast<std::size_t>(rank_in(place))]);
        return content;
    }

    Status merge(std::size_t round, const Group &group);
    Status make_room(const Share &rows, const Cells &incoming, Plan::Side &into);
    Status find_room(const pixMPI_Rect &bounds, Where &room);
    Status hand_out();
    bool loses_depth() const { return plan_.surface(sides_.drawn).has_depth() && !facts_.with_depth; }

    Plan &plan_;
    const Scheme &scheme_;
    const Reduction &how_;
    const FrameFacts &facts_;
    const FrameSides &sides_;
    const int place_;
    Cells touched_;               ///< active on any rank
    std::vector<int> row_begins_; ///< for each row how much work lies below it; and the end
    Where now_;                   ///< of what this rank has merged
    Plan::Steps readers_;         ///< use pixels of the picture before they are the result's
};

/// Ranks share out the work, not the rows: a row weighs as much as it has active cells on all ranks. With rows as the
/// result each has the same weight, so that whose they are does not depend on what was drawn.
void Composing::weigh_rows() {
    const auto ranks = static_cast<int>(facts_.active.size());
    std::vector<int> weights(static_cast<std::size_t>(touched_.rows()), facts_.result == PIXMPI_RESULT_ROWS);
    for (int row = 0; row < touched_.rows() && facts_.result != PIXMPI_RESULT_ROWS; ++row) {
        int cells = 0;
        for (const Cells &active : facts_.active)
            cells += active.active_in_row(row);
        weights[static_cast<std::size_t>(row)] = (cells + ranks - 1) / ranks;
    }
    row_begins_ = {0};
    for (int y = 0; y < facts_.extent.height; ++y)
        row_begins_.push_back(row_begins_.back() + weights[static_cast<std::size_t>(y / touched_.height())]);
}

/// What the others of the group merge goes to them; what this rank does, comes here and is combined, the nearest
/// neighbours first.
Status Composing::merge(std::size_t round, const Group &group) {
    const int label = 1 + static_cast<int>(round);
    const std::vector<Share> before = shares(round), after = shares(round + 1);
    const auto share_of = [](const std::vector<Share> &all, int place) -> const Share & {
        return all[static_cast<std::size_t>(place)];
    };
    const auto me = std::find(group.places.begin(), group.places.end(), place_);
    const Cells mine = content_of(share_of(before, place_));
    for (const int other : group.places) {
        const Share &theirs = share_of(after, other);
        if (other == place_ || !theirs.takes_part)
            continue;
        const Plan::Part part = part_of(mine, theirs, now_);
        if (part->pixels == 0)
            continue;
        const Plan::Step sent = plan_.send(now_.side, part, rank_in(other), label, now_.over);
        if (now_.is_picture)
            readers_.push_back(sent);
    }
    const Share &share = share_of(after, place_);
    if (!share.takes_part)
        return PIXMPI_SUCCESS;
    const auto take = [&](int other, Order operands) -> Status {
        const Cells content = content_of(share_of(before, other));
        if (part_of(content, share, now_)->pixels == 0)
            return PIXMPI_SUCCESS;
        Plan::Side into = 0;
        if (const Status error = make_room(share, content, into))
            return error;
        now_.over = {
            plan_.recv(into, part_of(content, share, now_), rank_in(other), label, now_.over, how_.with(operands))};
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

/// What is merged lies in memory of the library's, unless the program gives what it has drawn away, or in the picture.
/// `into`: for what comes next, and `incoming` are its cells.
Status Composing::make_room(const Share &rows, const Cells &incoming, Plan::Side &into) {
    into = now_.side;
    if (now_.side != sides_.drawn || (sides_.in_place && plan_.combines_in_place(sides_.drawn)))
        return PIXMPI_SUCCESS;
    Where room;
    if (const Status error = find_room(part_of(touched_, rows, now_)->bounds, room))
        return error;
    into = room.side;
    Cells copied = touched_;
    if (const auto onto = plan_.add_onto(room.side, sides_.drawn, room.x, room.y)) {
        into = *onto;
        copied.remove(incoming);
    }
    if (const Plan::Part from = part_of(copied, rows, now_); from->pixels) {
        room.over = {plan_.copy(sides_.drawn, from, room.side, part_of(copied, rows, room), now_.over)};
        if (now_.is_picture || room.is_picture) // it reads or writes what results come to
            readers_.push_back(room.over.front());
    }
    now_ = std::move(room);
    return PIXMPI_SUCCESS;
}

// Rows that others merge in the end are the picture's, too, but where rows are the result: there only its own are
// written.
Status Composing::find_room(const pixMPI_Rect &bounds, Where &room) {
    const bool only_own = facts_.result == PIXMPI_RESULT_ROWS && scheme_.rounds() > 1;
    if (sides_.picture && !only_own && plan_.combines_in_place(*sides_.picture) &&
        plan_.combines_where(sides_.drawn, *sides_.picture) && (!loses_depth() || plan_.joins(*sides_.picture))) {
        room.side = *sides_.picture;
        room.is_picture = true;
        if (!loses_depth())
            return PIXMPI_SUCCESS;
        Plan::Side depths = 0;
        if (const Status error = plan_.add_scratch(plan_.add_plane(sides_.drawn, Plan::Plane::depths), facts_.extent,
                                                   Plan::Memory::to_combine, depths))
            return error;
        room.side = plan_.add_joined(*sides_.picture, depths);
        return PIXMPI_SUCCESS;
    }
    room.x = bounds.x;
    room.y = bounds.y;
    return plan_.add_scratch(sides_.drawn, {bounds.width, bounds.height}, Plan::Memory::to_combine, room.side);
}

Status Composing::hand_out() {
    const std::vector<Share> last = shares(scheme_.rounds());
    const auto content = [&](int place, const Where &where) -> Plan::Part {
        const Share &share = last[static_cast<std::size_t>(place)];
        return part_of(share.takes_part ? content_of(share) : Cells(facts_.extent), share, where);
    };
    const bool rows = facts_.result == PIXMPI_RESULT_ROWS, has_picture = sides_.in_place || sides_.picture;
    const Plan::Part mine = content(place_, now_);
    std::vector<int> dests;
    for (int rank = 0; !rows && mine->pixels && rank < plan_.size(); ++rank)
        if (rank != plan_.rank() && (facts_.result == PIXMPI_RESULT_ALL || rank == facts_.result))
            dests.push_back(rank);
    const auto without_depth = [&](Plan::Side side) {
        return loses_depth() ? plan_.add_plane(side, Plan::Plane::colors) : side;
    };
    // Nothing is received where these pixels are, so nothing waits for them: all ranks' do, when the result is for all.
    if (!dests.empty())
        plan_.share(without_depth(now_.side), mine, dests, result_label, now_.over);
    if (!has_picture)
        return PIXMPI_SUCCESS;

    const Plan::Side picture = sides_.in_place ? sides_.drawn : *sides_.picture;
    if (mine->pixels && !now_.is_picture) {
        Plan::Steps after = now_.over;
        after.insert(after.end(), readers_.begin(), readers_.end());
        plan_.copy(without_depth(now_.side), mine, picture, content(place_, {}), std::move(after));
    }
    for (int place = 0; !rows && place < plan_.size(); ++place)
        if (const Plan::Part theirs = content(place, {}); place != place_ && theirs->pixels)
            plan_.recv(picture, theirs, rank_in(place), result_label, readers_);
    if (sides_.in_place)
        return PIXMPI_SUCCESS;
    const Share &share = last[static_cast<std::size_t>(place_)];
    if (rows && !share.takes_part)
        return PIXMPI_SUCCESS;
    // Where nobody has drawn there is this rank's background.
    const Plan::Part rest =
        touched_.inactive().region(rows ? row_at(share.top) : 0, rows ? row_at(share.bottom) : facts_.extent.height);
    if (rest->pixels)
        plan_.copy(without_depth(sides_.drawn), rest, picture, rest);
    return PIXMPI_SUCCESS;
}

} // namespace

Status compose(Plan &plan, const Scheme &scheme, const Reduction &how, const FrameFacts &facts,
               const FrameSides &sides) {
    return Composing(plan, scheme, how, facts, sides).write();
}

} // namespace pixmpi
