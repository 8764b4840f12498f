// Two galaxies that collide, and what one step should make of them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

using Vec4 = std::array<float, 4>; ///< x, y, z, mass

/// All bodies. The constant of gravitation and the mass of all are 1, the momentum is 0 except for rounding.
struct Galaxies {
    explicit Galaxies(int bodies) : positions(bodies), velocities(bodies) {
        add(0, bodies / 2, {-1.0, -0.35, 0.0}, {0.35, 0.10, 0.0}, 0.5);
        add(bodies / 2, bodies, {1.0, 0.35, 0.0}, {-0.35, -0.10, 0.0}, 1.1);
        double momentum[3] = {};
        for (const Vec4 &velocity : velocities)
            for (int i = 0; i < 3; ++i)
                momentum[i] += double(velocity[3]) * velocity[i];
        for (Vec4 &velocity : velocities)
            for (int i = 0; i < 3; ++i)
                velocity[i] -= static_cast<float>(momentum[i]);
    }

    std::vector<Vec4> positions, velocities; ///< in both the fourth is the mass

    static constexpr float time = 0.01f, softening = 0.05f; ///< of a step

  private:
    static constexpr double centre = 0.7; ///< of a galaxy's mass is in its first body

    /// A disc that turns, inclined about the x axis.
    void add(int first, int end, std::array<double, 3> place, std::array<double, 3> speed, double tilt) {
        const double mass = double(end - first) / double(positions.size());
        std::mt19937 random(static_cast<unsigned>(first) + 1);
        for (int i = first; i < end; ++i) {
            const double part = (double(random()) + 0.5) / 4294967296.0;
            const double radius = i == first ? 0 : 0.12 + 0.58 * part;
            const double angle = 2 * std::numbers::pi * (double(random()) / 4294967296.0);
            const double inside = mass * (end - first > 1 ? centre + (1 - centre) * part : 1);
            const double turn = radius * std::sqrt(inside) * std::pow(radius * radius + softening * softening, -0.75);
            const double flat[2][2] = {{radius * std::cos(angle), radius * std::sin(angle)},
                                       {-turn * std::sin(angle), turn * std::cos(angle)}};
            const double share = end - first == 1 ? 1 : i == first ? centre : (1 - centre) / (end - first - 1);
            const auto inclined = [&](const double(&v)[2], const std::array<double, 3> &base) {
                return Vec4{static_cast<float>(base[0] + v[0]), static_cast<float>(base[1] + v[1] * std::cos(tilt)),
                            static_cast<float>(base[2] + v[1] * std::sin(tilt)), static_cast<float>(mass * share)};
            };
            positions[i] = inclined(flat[0], place);
            velocities[i] = inclined(flat[1], speed);
        }
    }
};

/// Computes the first step once more, on the CPU; says which of these velocities after it is wrong, or nothing.
inline std::string wrong_velocity(const Galaxies &start, const std::vector<Vec4> &after) {
    for (std::size_t body = 0; body < after.size(); ++body) {
        double pull[3] = {}, sum = 0;
        for (const Vec4 &other : start.positions) {
            double way[3], square = double(Galaxies::softening) * Galaxies::softening;
            for (int i = 0; i < 3; ++i) {
                way[i] = double(other[i]) - start.positions[body][i];
                square += way[i] * way[i];
            }
            for (int i = 0; i < 3; ++i)
                pull[i] += other[3] * way[i] / (square * std::sqrt(square));
            sum += other[3] / square;
        }
        const double bound = 1e-5 * Galaxies::time * sum + 1e-6; // single precision has 24 bits
        for (int i = 0; i < 3; ++i) {
            const double expected = start.velocities[body][i] + Galaxies::time * pull[i];
            if (!(std::abs(after[body][i] - expected) <= bound))
                return "body " + std::to_string(body) + ", axis " + std::to_string(i) + ": " +
                       std::to_string(after[body][i]) + ", expected " + std::to_string(expected);
        }
    }
    return "";
}
