#include "composite/compose.h"

#include <algorithm>

namespace pixmpi {
namespace {

/// For each target how many of its rank are before it.
std::vector<int> numbers_of(const FrameFacts &facts) {
    std::vector<int> of_rank(facts.active.size()), numbers;
    for (const Target &target : facts.targets)
        numbers.push_back(of_rank[static_cast<std::size_t>(target.rank)]++);
    return numbers;
}

int most_targets_of_a_rank(const FrameFacts &facts) {
    const std::vector<int> numbers = numbers_of(facts);
    return numbers.empty() ? 0 : 1 + *std::max_element(numbers.begin(), numbers.end());
}

class Composing {
  public:
    Composing(Plan &plan, const Scheme &scheme, const Reduction &how, const FrameFacts &facts, const FrameSides &sides)
        : plan_(plan), scheme_(scheme), how_(how), facts_(facts), sides_(sides),
          place_(static_cast<int>(std::find(how.order.begin(), how.order.end(), plan.rank()) - how.order.begin())),
          touched_(facts.extent), target_numbers_(numbers_of(facts)) {
        for (const Cells &cells : facts.active)
            touched_.add(cells);
        weigh_rows();
        if (!facts.lone.empty())
            first_lone_label_ = result_label(0) + most_targets_of_a_rank(facts);
    }

    Status write() {
        plan_.cut(pixels_of(pixMPI_Rect{0, 0, facts_.extent.width, facts_.extent.height}));
        if (!facts_.lone.empty())
            if (const Status error = hand_out_lone())
                return error;
        plan_.begin_phase(static_cast<int>(FramePhase::blending));
        now_.side = sides_.drawn;
        now_.over = readers_ = sides_.ready;
        now_.is_picture = sides_.in_place;
        for (std::size_t round = 0; round < scheme_.rounds(); ++round)
            if (const Group *group = scheme_.group_of(place_, round))
                if (const Status error = merge(round, *group))
                    return error;
        if (const Status error = put_background())
            return error;
        hand_out();
        return PIXMPI_SUCCESS;
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

    /// The first row with so much below it.
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
    Status put_background();
    Status hand_out_lone();
    Status fill_lone(const Target &target, Plan::Side from, Plan::Side picture, int label);
    void hand_out();
    /// `part_of`: a rectangle of the result. `labels`: from this one on.
    template <class PartOf>
    void send_to_targets(Plan::Side from, int labels, const Plan::Steps &after, const PartOf &part_of);
    /// Calls `fill` with each of this rank's targets, its picture, and its number among them.
    template <class Fill> Status fill_pictures(const Fill &fill);
    void fill(const pixMPI_Rect &rect, Plan::Side picture, Plan::Side merged, const std::vector<Share> &last,
              int label);
    /// What a place has merged of a rectangle; where `where` has it.
    Plan::Part merged_part(const Share &share, const pixMPI_Rect &rect, int x, int y) const {
        const int top = std::max(rect.y, row_at(share.top)),
                  bottom = std::min(rect.y + rect.height, row_at(share.bottom));
        return share.takes_part && top < bottom
                   ? content_of(share).region({rect.x, top, rect.width, bottom - top}, x, y)
                   : region_of({});
    }
    int result_label(int number) const { return facts_.first_label + static_cast<int>(scheme_.rounds()) + number; }
    /// Cells of this rank alone come to its pictures from where those come from where no rank has drawn: by one copy.
    bool lone_goes_with_rest() const {
        return !facts_.lone.empty() && !sides_.background && !sides_.blank && !sides_.onto && !sides_.in_place;
    }
    /// Where this rank's only picture is all of the result.
    std::optional<Plan::Side> whole_picture() const;
    bool loses_depth() const { return plan_.surface(sides_.drawn).has_depth() && !facts_.with_depth; }

    Plan &plan_;
    const Scheme &scheme_;
    const Reduction &how_;
    const FrameFacts &facts_;
    const FrameSides &sides_;
    const int place_;
    Cells touched_;                         ///< to be merged on any rank
    const std::vector<int> target_numbers_; ///< for each how many of its rank are before it
    std::vector<int> row_begins_;           ///< for each row how much work lies below it; and the end
    Where now_;                             ///< of what this rank has merged
    int first_lone_label_ = 0;
    Plan::Steps readers_; ///< use pixels of the picture before they are the result's
};

/// Ranks share out the work, not the rows: a row weighs as much as it has active cells on all ranks. With rows as the
/// result each has the same weight, so that a rank's rows do not depend on what was drawn.
void Composing::weigh_rows() {
    const auto ranks = static_cast<int>(facts_.active.size());
    std::vector<int> weights(static_cast<std::size_t>(touched_.rows()), facts_.by_rows);
    for (int row = 0; row < touched_.rows() && !facts_.by_rows; ++row) {
        int cells = 0;
        for (const Cells &active : facts_.active)
            cells += active.active_in_row(row);
        weights[static_cast<std::size_t>(row)] = (cells + ranks - 1) / ranks;
    }
    row_begins_ = {0};
    row_begins_.reserve(static_cast<std::size_t>(facts_.extent.height) + 1);
    for (int y = 0; y < facts_.extent.height; ++y)
        row_begins_.push_back(row_begins_.back() + weights[static_cast<std::size_t>(y / touched_.height())]);
}

/// What the others of the group merge goes to them; what this rank does, comes here and is combined, the nearest
/// neighbours first.
Status Composing::merge(std::size_t round, const Group &group) {
    const int label = facts_.first_label + static_cast<int>(round);
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
    const auto receive_from = [&](int other, Order operands) -> Status {
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
        if (const Status error = receive_from(*--other, Order::incoming_first))
            return error;
    for (auto other = me + 1; other != group.places.end(); ++other)
        if (const Status error = receive_from(*other, Order::present_first))
            return error;
    return PIXMPI_SUCCESS;
}

/// What is merged lies in memory of the library, unless the program gives what it has drawn away, or in the picture.
/// `into`: for what comes next, and `incoming` are its cells. On GPUs what others wait for goes before the copy.
Status Composing::make_room(const Share &rows, const Cells &incoming, Plan::Side &into) {
    into = now_.side;
    if (now_.side != sides_.drawn || (sides_.in_place && plan_.combines_in_place(sides_.drawn)))
        return PIXMPI_SUCCESS;
    Where room;
    room.over = now_.over;
    if (const Status error = find_room(part_of(touched_, rows, now_)->bounds, room))
        return error;
    into = room.side;
    Cells copied = touched_;
    if (const auto onto = plan_.add_onto(room.side, sides_.drawn, room.x, room.y)) {
        into = *onto;
        copied.remove(incoming);
    }
    if (const Plan::Part from = part_of(copied, rows, now_); from->pixels) {
        room.over = {plan_.copy_meanwhile(sides_.drawn, from, room.side, part_of(copied, rows, room), now_.over)};
        if (now_.is_picture || room.is_picture) // it reads or writes what results come to
            readers_.push_back(room.over.front());
    }
    now_ = std::move(room);
    return PIXMPI_SUCCESS;
}

/// Each rank does that to its share of the merged pixels. By depth the background is what is seen at its own depth, for
/// the colour that ranks have there means nothing.
Status Composing::put_background() {
    const Share mine = shares(scheme_.rounds())[static_cast<std::size_t>(place_)];
    if (!sides_.background || !mine.takes_part)
        return PIXMPI_SUCCESS;
    const Plan::Part part = part_of(touched_, mine, Where());
    if (part->pixels == 0)
        return PIXMPI_SUCCESS;
    Plan::Side into = 0;
    if (const Status error = make_room(mine, touched_, into))
        return error;
    const Order operands = how_.operation == Operation::nearest ? Order::incoming_first : Order::present_first;
    now_.over = {
        plan_.copy(*sides_.background, part, into, part_of(touched_, mine, now_), now_.over, how_.with(operands))};
    return PIXMPI_SUCCESS;
}

std::optional<Plan::Side> Composing::whole_picture() const {
    const pixMPI_Rect whole{0, 0, facts_.extent.width, facts_.extent.height};
    const auto mine = std::find_if(facts_.targets.begin(), facts_.targets.end(),
                                   [&](const Target &one) { return one.rank == plan_.rank(); });
    return sides_.pictures.size() == 1 && same(mine->rect, whole) ? std::optional(sides_.pictures.front())
                                                                  : std::nullopt;
}

// Rows that others merge in the end are also the picture's. Exception: if rows are the result, only the rank's own are
// written.
Status Composing::find_room(const pixMPI_Rect &bounds, Where &room) {
    const bool only_own = facts_.by_rows && scheme_.rounds() > 1;
    const auto picture = whole_picture();
    if (picture && !sides_.onto && !only_own && plan_.combines_in_place(*picture) &&
        plan_.combines_where(sides_.drawn, *picture) && (!loses_depth() || plan_.joins(*picture))) {
        room.side = *picture;
        room.is_picture = true;
        if (!loses_depth())
            return PIXMPI_SUCCESS;
        Plan::Side depths = 0;
        if (const Status error = plan_.add_scratch(plan_.add_plane(sides_.drawn, Plan::Plane::depths), facts_.extent,
                                                   Plan::Memory::to_combine, depths))
            return error;
        room.side = plan_.add_joined(*picture, depths);
        return PIXMPI_SUCCESS;
    }
    room.x = bounds.x;
    room.y = bounds.y;
    return plan_.add_scratch(sides_.drawn, {bounds.width, bounds.height}, Plan::Memory::to_combine, room.side);
}

void Composing::hand_out() {
    plan_.begin_phase(static_cast<int>(FramePhase::collecting));
    const std::vector<Share> last = shares(scheme_.rounds());
    const Plan::Side merged = loses_depth() ? plan_.add_plane(now_.side, Plan::Plane::colors) : now_.side;
    const Share &mine = last[static_cast<std::size_t>(place_)];
    if (!facts_.by_rows)
        send_to_targets(merged, result_label(0), now_.over,
                        [&](const pixMPI_Rect &rect) { return merged_part(mine, rect, now_.x, now_.y); });
    (void)fill_pictures([&](const Target &target, Plan::Side picture, int number) {
        fill(target.rect, picture, merged, last, result_label(number));
        return PIXMPI_SUCCESS;
    });
}

template <class Fill> Status Composing::fill_pictures(const Fill &fill) {
    if (!sides_.in_place && sides_.pictures.empty()) // rows stay where they are merged
        return PIXMPI_SUCCESS;
    int number = 0;
    for (const Target &target : facts_.targets)
        if (target.rank == plan_.rank()) {
            const auto mine = static_cast<std::size_t>(number);
            if (const Status error = fill(target, sides_.in_place ? sides_.drawn : sides_.pictures[mine], number))
                return error;
            ++number;
        }
    return PIXMPI_SUCCESS;
}

/// Nothing is received where these pixels are, so nothing waits for them: all ranks' do, when the result is for all.
template <class PartOf>
void Composing::send_to_targets(Plan::Side from, int labels, const Plan::Steps &after, const PartOf &part_of) {
    std::vector<bool> served(facts_.targets.size());
    for (std::size_t i = 0; i < facts_.targets.size(); ++i) {
        if (served[i])
            continue;
        std::vector<int> dests; // of all that get the same
        for (std::size_t k = i; k < facts_.targets.size(); ++k)
            if (same(facts_.targets[k].rect, facts_.targets[i].rect) && target_numbers_[k] == target_numbers_[i]) {
                served[k] = true;
                if (facts_.targets[k].rank != plan_.rank())
                    dests.push_back(facts_.targets[k].rank);
            }
        const Plan::Part part = part_of(facts_.targets[i].rect);
        if (!dests.empty() && part->pixels)
            plan_.compress(plan_.share(from, part, dests, labels + target_numbers_[i], after), sides_.codec);
    }
}

/// Before all else: nothing is waited for. With a background, depths travel as well, as they decide where it is seen.
Status Composing::hand_out_lone() {
    plan_.begin_phase(static_cast<int>(FramePhase::collecting));
    const Cells &mine = facts_.lone[static_cast<std::size_t>(plan_.rank())];
    const bool colors = loses_depth() && !sides_.background;
    const Plan::Side from = colors ? plan_.add_plane(sides_.drawn, Plan::Plane::colors) : sides_.drawn;
    send_to_targets(from, first_lone_label_, sides_.ready, [&](const pixMPI_Rect &rect) { return mine.region(rect); });
    return fill_pictures([&](const Target &target, Plan::Side picture, int number) {
        return fill_lone(target, from, picture, first_lone_label_ + number);
    });
}

/// Arriving pixels are combined with those of the background, and the result goes to the picture.
Status Composing::fill_lone(const Target &target, Plan::Side from, Plan::Side picture, int label) {
    const pixMPI_Rect &rect = target.rect;
    Combination how = sides_.onto ? how_.with(Order::incoming_first) : Combination();
    Plan::Side into = picture;
    if (sides_.background) {
        how = how_.with(how_.operation == Operation::nearest ? Order::present_first : Order::incoming_first);
        if (loses_depth()) {
            Plan::Side depths = 0;
            if (const Status error = plan_.add_scratch(plan_.add_plane(sides_.drawn, Plan::Plane::depths),
                                                       {rect.width, rect.height}, Plan::Memory::host, depths))
                return error;
            into = plan_.add_joined(picture, depths);
        }
        into = plan_.add_onto(into, *sides_.background, rect.x, rect.y).value_or(into);
    }
    for (int rank = 0; rank < plan_.size(); ++rank) {
        const Cells &cells = facts_.lone[static_cast<std::size_t>(rank)];
        const Plan::Part part = cells.region(rect, rect.x, rect.y);
        if (part->pixels && rank != plan_.rank())
            plan_.recv(into, part, rank, label, sides_.in_place ? sides_.ready : Plan::Steps(), how);
        else if (part->pixels && !sides_.in_place && !lone_goes_with_rest())
            plan_.copy(from, cells.region(rect), into, part, sides_.ready, how);
    }
    return PIXMPI_SUCCESS;
}

/// A picture, of a rectangle of the result.
void Composing::fill(const pixMPI_Rect &rect, Plan::Side picture, Plan::Side merged, const std::vector<Share> &last,
                     int label) {
    const Combination how = sides_.onto ? how_.with(Order::incoming_first) : Combination();
    const Share &mine = last[static_cast<std::size_t>(place_)];
    if (const Plan::Part part = merged_part(mine, rect, now_.x, now_.y); part->pixels && !now_.is_picture) {
        Plan::Steps after = now_.over;
        after.insert(after.end(), readers_.begin(), readers_.end());
        plan_.copy(merged, part, picture, merged_part(mine, rect, rect.x, rect.y), std::move(after), how);
    }
    for (int place = 0; !facts_.by_rows && place < plan_.size(); ++place)
        if (const Plan::Part theirs = merged_part(last[static_cast<std::size_t>(place)], rect, rect.x, rect.y);
            place != place_ && theirs->pixels)
            plan_.recv_late(picture, theirs, rank_in(place), label, readers_, how);
    if ((sides_.in_place && !sides_.background) || sides_.onto || (facts_.by_rows && !mine.takes_part))
        return;
    // Where no rank has drawn there is the background, or what this rank has there.
    pixMPI_Rect rows = rect;
    if (facts_.by_rows) {
        rows.y = row_at(mine.top);
        rows.height = row_at(mine.bottom) - rows.y;
    }
    Cells nobodys = facts_.drawn().inactive();
    if (sides_.unlike_background)
        nobodys.keep(*sides_.unlike_background);
    if (lone_goes_with_rest())
        nobodys.add(facts_.lone[static_cast<std::size_t>(plan_.rank())]);
    const Plan::Side behind = sides_.background.value_or(sides_.blank.value_or(sides_.drawn));
    if (const Plan::Part rest = nobodys.region(rows); rest->pixels)
        plan_.copy_meanwhile(loses_depth() ? plan_.add_plane(behind, Plan::Plane::colors) : behind, rest, picture,
                             nobodys.region(rows, rect.x, rect.y));
}

} // namespace

int labels_of(const Scheme &scheme, const FrameFacts &facts) {
    return static_cast<int>(scheme.rounds()) + most_targets_of_a_rank(facts) * (facts.lone.empty() ? 1 : 2);
}

void FrameFacts::set_lone_apart() {
    Cells once(extent), again(extent);
    for (const Cells &cells : active) {
        Cells both = cells;
        both.keep(once);
        again.add(both);
        once.add(cells);
    }
    lone = active;
    for (Cells &cells : lone)
        cells.remove(again);
    for (Cells &cells : active)
        cells.keep(again);
}

Cells FrameFacts::drawn() const {
    Cells all(extent);
    for (const auto *const cells : {&active, &lone})
        for (const Cells &one : *cells)
            all.add(one);
    return all;
}

Status compose(Plan &plan, const Scheme &scheme, const Reduction &how, const FrameFacts &facts,
               const FrameSides &sides) {
    return Composing(plan, scheme, how, facts, sides).write();
}

} // namespace pixmpi
