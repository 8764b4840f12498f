// A picture in a window of another shape.
#pragma once

#include <algorithm>

namespace demo {

struct Fit {
    int x, y, width, height;
};

/// As large as it can be, in the middle.
inline Fit fit(int picture_width, int picture_height, int window_width, int window_height) {
    const double scale = std::min(double(window_width) / picture_width, double(window_height) / picture_height);
    const int w = static_cast<int>(picture_width * scale), h = static_cast<int>(picture_height * scale);
    return {(window_width - w) / 2, (window_height - h) / 2, w, h};
}

} // namespace demo
