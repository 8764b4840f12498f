// Pixels like those of a program that draws, for codecs to be measured and tested with.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

/// What a program draws: a shaded sky, a lit ball with a highlight, a chequered floor, without texture or noise.
/// Red, green, blue and alpha, 0 to 1, at (x, y) of width x height.
inline std::array<double, 4> rendered(double x, double y, double width, double height) {
    const double u = (x + 0.5) / width, v = (y + 0.5) / height;
    std::array<double, 4> colour{0.35 + 0.3 * v, 0.5 + 0.3 * v, 0.85, 1};
    if (v > 0.6) {
        const double depth = 1 / (v - 0.55), check = std::sin(u * depth * 9) * std::sin(depth * 6);
        const double light = 0.5 + 0.12 * std::tanh(check * 2);
        colour = {light, light * 0.9, light * 0.75, 1};
    }
    const double dx = (u - 0.5) * width / height / 0.35, dy = (v - 0.5) / 0.35, r = dx * dx + dy * dy;
    if (r < 1) {
        const double z = std::sqrt(1 - r), lit = std::max(0.0, 0.5 * z - 0.5 * dx - 0.6 * dy);
        const double shine = std::pow(lit / 0.93, 40);
        const double edge = std::min(1.0, (1 - std::sqrt(r)) * 0.35 * height / 2); // two pixels of antialiasing
        const double ball[3] = {0.25 + 0.5 * lit + 0.3 * shine, 0.15 + 0.3 * lit + 0.3 * shine,
                                0.12 + 0.2 * lit + 0.3 * shine};
        for (int k = 0; k < 3; ++k) {
            double &c = colour[static_cast<std::size_t>(k)];
            c += (std::min(1.0, ball[k]) - c) * edge;
        }
        colour[3] = 1 - 0.5 * edge;
    }
    return colour;
}
