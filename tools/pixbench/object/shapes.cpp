#include "object/shapes.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <tuple>
#include <utility>

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

/// A plane of a volume of numbers of 8 bytes that has one in each row, as programs with grids exchange it.
RegionCase halo(int n) {
    RegionCase what{"halo in x of " + std::to_string(n) + "^3 float64", n, n * n};
    what.format = PIXMPI_RG32UI;
    what.rects = {{1, 0, 1, n * n}};
    return what;
}

std::string square(int n) { return std::to_string(n) + "x" + std::to_string(n); }

/// Half of each of its rows and half of the rows, in the middle.
RegionCase sub_matrix(int n) {
    const int half = std::max(n / 2, 1);
    RegionCase what{"sub-matrix of " + square(half) + " in " + square(n), n, n};
    what.rects = {{n / 4, n / 4, half, half}};
    return what;
}

/// A lower triangle with rows that are lengthened to the next step.
RegionCase stair(int n) {
    const int step = std::max(n / 16, 1);
    RegionCase what{"stair of " + square(n) + ", steps of " + std::to_string(step), n, n};
    for (int y = 0; y < n; ++y)
        what.rects.push_back({0, y, std::min(y / step * step + step, n), 1});
    return what;
}

/// Half of each row; and as many pixels one after the other.
std::pair<std::vector<pixMPI_Rect>, std::vector<pixMPI_Rect>> vector_and_contiguous(int n) {
    const int half = std::max(n / 2, 1);
    std::vector<pixMPI_Rect> vector, contiguous;
    for (int y = 0; y < n; ++y) {
        vector.push_back({n - half, y, half, 1});
        contiguous.push_back({y % 2 * half, y / 2, half, 1});
    }
    return {vector, contiguous};
}

RegionCase vector_to_contiguous(int n) {
    RegionCase what{"vector of half rows of " + square(n) + " to contiguous", n, n};
    std::tie(what.rects, what.there) = vector_and_contiguous(n);
    return what;
}

RegionCase contiguous_to_vector(int n) {
    RegionCase what{"contiguous to vector of half rows of " + square(n), n, n};
    std::tie(what.there, what.rects) = vector_and_contiguous(n);
    return what;
}

/// Rows become columns.
RegionCase transpose(int n) {
    RegionCase what{"transpose of " + square(n), n, n};
    for (int i = 0; i < n; ++i) {
        what.rects.push_back({0, i, n, 1});
        what.there.push_back({i, 0, 1, n});
    }
    return what;
}

std::vector<RegionCase> in_format(std::vector<RegionCase> cases, pixMPI_Format format) {
    for (RegionCase &what : cases)
        what.format = format == PIXMPI_FORMAT_NONE ? what.format : format;
    return cases;
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
    return in_format({column(width, height), tiles(width, height), triangle(std::min(width, height))}, s.format);
}

std::vector<RegionCase> datatype_cases(const Settings &s) {
    const int n = s.width ? std::min(s.width, s.height) : 2048;
    std::vector<RegionCase> more = {sub_matrix(n), stair(n), vector_to_contiguous(n), contiguous_to_vector(n),
                                    transpose(n)};
    for (RegionCase &what : more)
        what.format = PIXMPI_R32F;
    more = in_format(std::move(more), s.format);
    std::vector<RegionCase> all = region_cases(s);
    all.insert(all.end(), more.begin(), more.end());
    if (s.api == "cuda" || s.api == "host") // of others no surface is as high
        all.push_back(halo(s.width ? std::min(n, 256) : 256));
    return all;
}

std::vector<Run> runs_of(const std::vector<pixMPI_Rect> &rects, int width) {
    std::vector<Run> runs;
    for (const pixMPI_Rect &r : rects)
        for (int y = r.y; y < r.y + r.height; ++y)
            runs.push_back({y * width + r.x, r.width});
    return runs;
}
