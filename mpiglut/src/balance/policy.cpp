#include "balance/policy.h"

#include <algorithm>
#include <utility>

namespace mpiglut::balance {

namespace {

using pixmpi::Rect;

constexpr std::size_t frames_kept = 9;
constexpr int frames_at_home = 5;    ///< before the cuts leave
constexpr int frames_after_move = 2; ///< the first one pays for the move
constexpr int frames_on_trial = 8;
constexpr double least_ms = 1.5;       ///< nothing is gained below
constexpr double worth_leaving = 0.85; ///< of the busiest rank's time
constexpr double worth_moving = 0.95;
constexpr double dead_band = 1.08;     ///< the busiest rank's time over the mean
constexpr double worth_staying = 0.95; ///< of the busiest rank's time at home
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

void Policy::take(const Measured &frame) {
    if (frame.render_ms.size() != tiles_.size() || frame.ship_ms.size() != tiles_.size())
        return;
    // The first frame with other cuts makes drawables, and says little of the scene.
    ++since_move_;
    ++since_left_;
    if (!cuts_.empty() && since_move_ < frames_after_move)
        return;
    // The map has to find the work again before it can say how long frames would take at home. A wall whose work seems
    // to move for ever is judged all the same, each time that there are enough frames.
    if (load_.learn(rects_, frame.render_ms) && frames_.size() >= frames_on_trial)
        frames_.clear();
    cuts_.empty() ? consider_leaving(frame) : consider_moving(frame);
}

void Policy::consider_leaving(const Measured &frame) {
    const double most = busiest(tiles_);
    if (since_left_ < frames_at_home || frame.now_ms < not_before_ms_ || most < least_ms)
        return;
    std::vector<int> cuts = partition_.even([this](const Rect &rect) { return load_.of(rect); }, least_pixels);
    std::vector<Rect> rects = partition_.rects(cuts, least_pixels);
    if (busiest(rects) > worth_leaving * most)
        return;
    cuts_ = std::move(cuts);
    rects_ = std::move(rects);
    left_at_ms_ = most;
    frames_.clear();
    since_move_ = since_left_ = 0;
}

void Policy::consider_moving(const Measured &frame) {
    double busy = 0;
    for (std::size_t rank = 0; rank < tiles_.size(); ++rank)
        busy = std::max(busy, frame.render_ms[rank] + frame.ship_ms[rank]);
    frames_.push_back(busy);
    if (frames_.size() > frames_kept)
        frames_.pop_front();
    // On trial what was measured at home counts, later what the map says of it.
    const bool on_trial = since_left_ < 2 * frames_on_trial;
    const bool known = on_trial ? since_left_ >= frames_on_trial : frames_.size() >= frames_on_trial;
    const double at_home = on_trial ? left_at_ms_ : busiest(tiles_);
    if (known && median(frames_) > worth_staying * at_home)
        return go_home(frame.now_ms);
    double all = 0;
    for (const Rect &rect : rects_)
        all += load_.of(rect);
    const double most = busiest(rects_), mean = all / static_cast<double>(rects_.size());
    if (most < dead_band * mean)
        return;
    std::vector<int> cuts = partition_.even([this](const Rect &rect) { return load_.of(rect); }, least_pixels);
    std::vector<Rect> rects = partition_.rects(cuts, least_pixels);
    if (rects == rects_ || busiest(rects) > worth_moving * most)
        return;
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
    frames_.clear();
    since_move_ = since_left_ = 0;
}

} // namespace mpiglut::balance
