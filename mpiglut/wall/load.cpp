#include "wall/load.h"

#include <algorithm>
#include <cmath>

namespace pixmpi {

namespace {

constexpr int most_cells = 64; ///< in a row, and in a column
/// How much of the way to what was measured the map goes in a frame, where nothing happens.
constexpr double speed = 0.3;
/// How much of the way to work that is the same everywhere in the rectangle the map goes then.
constexpr double fading = 0.02;
/// A time that differs from what was known by this part of the larger one is noise; by the second value, or more, says
/// that the work has moved. Then the map goes all of the way at once.
constexpr double noise = 0.1, news = 0.4;

/// 0 to 1: how little the earlier knowledge of a rectangle helps, by its time. A difference that is small compared with
/// `common` is no news.
double surprise(double known, double time, double common) {
    if (known <= 0)
        return 1;
    return std::clamp((std::abs(time - known) / std::max({known, time, common}) - noise) / (news - noise), 0.0, 1.0);
}

} // namespace

Load::Load(int width, int height)
    : width_(std::max(width, 1)), height_(std::max(height, 1)), columns_(std::min(width_, most_cells)),
      rows_(std::min(height_, most_cells)), cells_(static_cast<std::size_t>(columns_) * rows_) {}

template <class Visit> void Load::each_cell(const Rect &rect, Visit visit) const {
    if (rect.empty())
        return;
    // In units of cells.
    const double left = double(rect.x) * columns_ / width_, right = double(rect.right()) * columns_ / width_;
    const double top = double(rect.y) * rows_ / height_, bottom = double(rect.bottom()) * rows_ / height_;
    const auto common = [](double from, double to, int cell) {
        return std::max(0.0, std::min(to, cell + 1.0) - std::max(from, double(cell)));
    };
    for (int row = std::max(0, int(top)); row < std::min(rows_, int(std::ceil(bottom))); ++row)
        for (int column = std::max(0, int(left)); column < std::min(columns_, int(std::ceil(right))); ++column)
            visit(static_cast<std::size_t>(row) * columns_ + column,
                  common(top, bottom, row) * common(left, right, column));
}

double Load::of(const Rect &rect) const {
    double work = 0;
    each_cell(rect, [&](std::size_t cell, double share) { work += cells_[cell] * share; });
    return work;
}

double Load::learn(const Rect &rect, double time, double common) {
    const double known = of(rect);
    double area = 0;
    each_cell(rect, [&](std::size_t, double share) { area += share; });
    if (area <= 0)
        return 0;
    const double even = time / area;
    const double factor = known > 0 ? time / known : 0;
    const double surprised = surprise(known, time, common);
    const double blur = std::max(fading, surprised), pace = std::max(speed, surprised);
    each_cell(rect, [&](std::size_t cell, double share) {
        const double measured = cells_[cell] * factor;
        const double wanted = measured + blur * (even - measured);
        cells_[cell] += share * pace * (wanted - cells_[cell]);
    });
    return surprised;
}

bool Load::learn(std::span<const Rect> rects, std::span<const double> times) {
    const std::size_t count = std::min(rects.size(), times.size());
    double all = 0;
    for (std::size_t i = 0; i < count; ++i)
        all += std::max(times[i], 0.0);
    bool moved = false;
    for (std::size_t i = 0; i < count; ++i)
        moved |= learn(rects[i], std::max(times[i], 0.0), all / static_cast<double>(count)) >= 1;
    return moved;
}

} // namespace pixmpi
