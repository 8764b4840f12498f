// Regions as tests look at them: pixel by pixel.
#pragma once

#include "region/region.h"

#include <algorithm>
#include <ostream>
#include <utility>
#include <vector>

inline bool operator==(const pixMPI_Rect &a, const pixMPI_Rect &b) {
    return a.x == b.x && a.y == b.y && a.width == b.width && a.height == b.height;
}

inline std::ostream &operator<<(std::ostream &out, const pixMPI_Rect &r) {
    return out << r.width << "x" << r.height << " at (" << r.x << ", " << r.y << ")";
}

namespace regions {

/// In packed order.
using Pixels = std::vector<std::pair<int, int>>;

inline pixMPI_Rect bounds_of(const Pixels &pixels) {
    if (pixels.empty())
        return {0, 0, 0, 0};
    int left = pixels[0].first, right = left, bottom = pixels[0].second, top = bottom;
    for (const auto &[x, y] : pixels) {
        left = std::min(left, x);
        right = std::max(right, x);
        bottom = std::min(bottom, y);
        top = std::max(top, y);
    }
    return {left, bottom, right - left + 1, top - bottom + 1};
}

} // namespace regions
