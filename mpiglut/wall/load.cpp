#include "wall/load.h"

#include <algorithm>
#include <cmath>

namespace pixmpi {

namespace {

constexpr int most_cells = 64; ///< in a row, and in a column
/// How much of the way to what was measured the map goes at once, and to work that is the same everywhere in the
/// rectangle.
constexpr double speed = 0.8, fading = 0.04;

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

void Load::learn(const Rect &rect, double time) {
    const double known = of(rect);
    double area = 0;
    each_cell(rect, [&](std::size_t, double share) { area += share; });
    if (area <= 0)
        return;
    const double even = time / area;
    const double factor = known > 0 ? time / known : 0;
    each_cell(rect, [&](std::size_t cell, double share) {
        const double measured = known > 0 ? cells_[cell] * factor : even;
        const double wanted = measured + fading * (even - measured);
        cells_[cell] += share * (known > 0 ? speed : 1) * (wanted - cells_[cell]);
    });
}

void Load::learn(std::span<const Rect> rects, std::span<const double> times) {
    for (std::size_t i = 0; i < std::min(rects.size(), times.size()); ++i)
        learn(rects[i], std::max(times[i], 0.0));
}

} // namespace pixmpi
