// Jacobi's iteration on a field of heat: every cell becomes the mean of its four neighbours. Around the field all is 0.
// The field is cut into bands of rows.
#pragma once

#include "vk_world.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

struct Field {
    int width, height, bands;
    int rows() const { return (height + bands - 1) / bands; } ///< of a band; the last ones may have fewer, or none
    int rows_of(int band) const { return std::clamp(height - band * rows(), 0, rows()); }
    /// In a band's memory, with the row before and the row after it.
    std::size_t band_cells() const { return static_cast<std::size_t>(rows() + 2) * static_cast<std::size_t>(width); }
};

/// How it begins: rings, hot and cold.
inline float cell_at_first(const Field &field, int x, int y) {
    const double u = 2.0 * x / field.width - 0.8, v = 2.0 * y / field.height - 1.1;
    return std::cos(22 * std::hypot(u, v)) + std::cos(17 * std::hypot(u - 0.5, v + 0.4)) > 0.3 ? 1.0f : -0.6f;
}

/// As cells.glsl has it.
struct Push {
    int width, height, rows;
    std::uint32_t first, steps, every;
    float enough;
    int band;
};

class Solver {
  public:
    virtual ~Solver() = default;
    /// Goes on for `steps`, a multiple of `every`, or until the largest change of a cell, which is looked at after
    /// every so many steps, is `enough`. Returns that change, and how many steps it was.
    virtual float go_on(int steps, int every, float enough, int &done) = 0;
    /// The memory of this rank's band, of its bands from the first one on.
    virtual std::vector<float> band(int which) = 0;
};

/// `slots`: bands of a rank, each a workgroup's.
std::unique_ptr<Solver> make_device_solver(const demo::VkWorld &world, const Field &field, int slots);
/// One band a rank.
std::unique_ptr<Solver> make_host_solver(const demo::VkWorld &world, const Field &field);

/// A band as it is at first, with its outer rows.
std::vector<float> band_at_first(const Field &field, int band);
