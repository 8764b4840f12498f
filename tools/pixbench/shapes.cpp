#include "shapes.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace {

RegionCase column(int width, int height) {
    RegionCase what{"column of " + std::to_string(height), width, height};
    what.rects = {{width / 2, 0, 1, height}};
    return what;
}

/// Distinct ones of a grid in random order, 10,000 of 2048x2048 and as many in proportion of other sizes.
RegionCase tiles(int width, int height) {
    constexpr int most = 16;
    const int w = std::min(most, width), h = std::min(most, height), columns = width / w, rows = height / h;
    std::vector<int> order(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows));
    std::iota(order.begin(), order.end(), 0);
    std::mt19937 random(1); // both ranks make the same list
    for (std::size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1], order[random() % i]);
    order.resize(std::max<std::size_t>(order.size() * 10000 / 16384, 1));
    RegionCase what{std::to_string(order.size()) + " random tiles of " + std::to_string(w) + "x" + std::to_string(h),
                    width, height};
    for (int i : order)
        what.rects.push_back({i % columns * w, i / columns * h, w, h});
    return what;
}

RegionCase triangle(int n) {
    RegionCase what{"lower triangle of " + std::to_string(n) + "x" + std::to_string(n), n, n};
    what.format = PIXMPI_R32F;
    for (int y = 0; y < n; ++y)
        what.rects.push_back({0, y, y + 1, 1});
    return what;
}

} // namespace

std::int64_t RegionCase::pixels() const {
    std::int64_t sum = 0;
    for (const pixMPI_Rect &r : rects)
        sum += std::int64_t{r.width} * r.height;
    return sum;
}

std::vector<RegionCase> region_cases(const Settings &s) {
    const int width = s.width ? s.width : 2048, height = s.width ? s.height : 2048;
    std::vector<RegionCase> all = {column(width, height), tiles(width, height), triangle(std::min(width, height))};
    for (RegionCase &what : all)
        what.format = s.format == PIXMPI_FORMAT_NONE ? what.format : s.format;
    return all;
}

std::vector<Run> runs_of(const RegionCase &what) {
    std::vector<Run> runs;
    for (const pixMPI_Rect &r : what.rects)
        for (int y = r.y; y < r.y + r.height; ++y)
            runs.push_back({y * what.width + r.x, r.width});
    return runs;
}
