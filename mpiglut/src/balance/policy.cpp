#include "balance/policy.h"

#include <algorithm>
#include <utility>

namespace mpiglut::balance {

namespace {

using pixmpi::Rect;

constexpr std::size_t frames_kept = 9;
constexpr int frames_at_home = 5;    ///< before the cuts leave
constexpr int frames_promising = 3;  ///< the same
constexpr int frames_after_move = 2; ///< the first one pays for the move
constexpr int frames_on_trial = 8;
constexpr double least_ms = 1.5;       ///< nothing is gained below
constexpr double worth_leaving = 0.15; ///< of the busiest rank's time
constexpr double worth_moving = 0.95;
constexpr double dead_band = 1.08;     ///< the busiest rank's time over the mean
constexpr double worth_staying = 0.95; ///< of the busiest rank's time at home
constexpr double faster = 0.97;        ///< of the time between frames at home
constexpr double first_pause_ms = 2000, longest_pause_ms = 60'000;

double median(std::deque<double> values) {
    if (values.empty())
        return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

} // namespace

Policy::Policy(pixmpi::Partition partition, const pixmpi::Wall &wall)
    : partition_(std::move(partition)), load_(wall.width, wall.height), pause_ms_(first_pause_ms) {
    for (const pixmpi::Tile &tile : wall.tiles)
        tiles_.push_back(tile.rect);
    rects_ = tiles_;
}

double Policy::busiest(const std::vector<Rect> &rects) const {
    double most = 0;
    for (const Rect &rect : rects)
        most = std::max(most, load_.of(rect));
    return most;
}

void Policy::Recent::add(double busy, double between) {
    busy_ms.push_back(busy);
    between_ms.push_back(between);
    if (busy_ms.size() > frames_kept) {
        busy_ms.pop_front();
        between_ms.pop_front();
    }
}

void Policy::Recent::clear() {
    busy_ms.clear();
    between_ms.clear();
}

void Policy::observe(const Measured &frame) {
    if (frame.render_ms.size() != tiles_.size() || frame.busy_ms.size() != tiles_.size())
        return;
    const double between = frame.now_ms - std::exchange(last_ms_, frame.now_ms);
    // The first frame with other cuts makes drawables, and says little of the scene.
    ++since_move_;
    ++since_left_;
    if (since_move_ < frames_after_move)
        return;
    // The map has to find the work again before it can say how long frames would take at home. If work seems to move
    // forever, the wall is judged all the same, each time that there are enough frames.
    if (load_.learn(rects_, frame.render_ms) && recent_.busy_ms.size() >= frames_on_trial)
        recent_.clear();
    recent_.add(*std::max_element(frame.busy_ms.begin(), frame.busy_ms.end()), between);
    cuts_.empty() ? consider_leaving(frame) : consider_moving(frame);
}

void Policy::consider_leaving(const Measured &frame) {
    const double most = busiest(tiles_);
    if (frame.now_ms < not_before_ms_ || most < least_ms) {
        promising_ = 0;
        return;
    }
    std::vector<int> cuts = partition_.even([this](const Rect &rect) { return load_.of(rect); }, least_pixels);
    std::vector<Rect> rects = partition_.rects(cuts, least_pixels);
    home_busy_ms_ = std::max(median(recent_.busy_ms), most);
    home_between_ms_ = median(recent_.between_ms);
    home_other_ms_ = home_busy_ms_ - most;
    promising_ = most - busiest(rects) >= worth_leaving * home_busy_ms_ ? promising_ + 1 : 0;
    if (since_left_ < frames_at_home || promising_ < frames_promising)
        return;
    move_to(std::move(cuts), std::move(rects));
    recent_.clear();
    since_left_ = promising_ = 0;
}

void Policy::consider_moving(const Measured &frame) {
    // On trial what was measured at home counts, later what the map says of it.
    const bool on_trial = since_left_ < 2 * frames_on_trial;
    const bool known = on_trial ? since_left_ >= frames_on_trial : recent_.busy_ms.size() >= frames_on_trial;
    const double at_home = on_trial ? home_busy_ms_ : busiest(tiles_) + home_other_ms_;
    if (known && (median(recent_.busy_ms) > worth_staying * at_home ||
                  (on_trial && median(recent_.between_ms) > faster * home_between_ms_)))
        return go_home(frame.now_ms);
    double all = 0;
    for (const Rect &rect : rects_)
        all += load_.of(rect);
    const double most = busiest(rects_), mean = all / static_cast<double>(rects_.size());
    if (most < dead_band * mean)
        return;
    std::vector<int> cuts = partition_.even([this](const Rect &rect) { return load_.of(rect); }, least_pixels);
    std::vector<Rect> rects = partition_.rects(cuts, least_pixels);
    if (rects != rects_ && busiest(rects) <= worth_moving * most)
        move_to(std::move(cuts), std::move(rects));
}

void Policy::move_to(std::vector<int> cuts, std::vector<Rect> rects) {
    cuts_ = std::move(cuts);
    rects_ = std::move(rects);
    since_move_ = 0;
}

void Policy::go_home(double now_ms) {
    // What has helped for long may help again soon.
    if (since_left_ > 20 * frames_on_trial)
        pause_ms_ = first_pause_ms;
    not_before_ms_ = now_ms + pause_ms_;
    pause_ms_ = std::min(2 * pause_ms_, longest_pause_ms);
    sent_home();
}

void Policy::sent_home() {
    cuts_.clear();
    rects_ = tiles_;
    recent_.clear();
    promising_ = since_move_ = since_left_ = 0;
}

} // namespace mpiglut::balance
