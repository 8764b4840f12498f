// The part of the plane that is drawn, and its colours.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

/// Where pixels lie in the complex plane: pixel (x, y) at corner + (x, y) * scale, y downwards.
struct View {
    std::array<float, 2> corner;
    float scale;
};

/// From the whole set into the valley of seahorses, and back.
inline View view_of(int frame, int width, int height) {
    const double depth = 3.6 * (1.0 - std::cos(0.05 * frame)), zoom = std::exp(-depth);
    const double target[2] = {-0.743644, 0.131826}, middle[2] = {-0.6, 0.0};
    const double scale = zoom * std::max(3.2 / width, 2.4 / height);
    const auto corner = [&](int axis, int pixels) {
        return static_cast<float>(target[axis] + (middle[axis] - target[axis]) * zoom - 0.5 * scale * pixels);
    };
    return {{corner(0, width), corner(1, height)}, static_cast<float>(scale)};
}

/// A rank's colour; the strongest of its parts is 1.
inline std::array<float, 3> tint_of(int rank) {
    const double hue = 0.10 + 0.618034 * rank;
    std::array<float, 3> colour;
    for (int i = 0; i < 3; ++i)
        colour[i] = static_cast<float>(0.58 + 0.42 * std::cos(6.283185 * (hue - i / 3.0)));
    const float most = *std::max_element(colour.begin(), colour.end());
    for (float &part : colour)
        part /= most;
    return colour;
}
