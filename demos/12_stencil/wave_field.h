// The field at the beginning, and a step of it on the CPU.
#pragma once

#include <cmath>
#include <vector>

constexpr int radius = 4; ///< of the stencil, in cells
constexpr float speed = 0.15f;

/// Two pulses, one of them below zero.
inline float field_at_first(int cells, int x, int y, int z) {
    const auto pulse = [&](double px, double py, double pz) {
        const double dx = x - px * cells, dy = y - py * cells, dz = z - pz * cells, width = 0.05 * cells + 1.5;
        return std::exp(-(dx * dx + dy * dy + dz * dz) / (width * width));
    };
    return static_cast<float>(pulse(0.36, 0.5, 0.42) - 0.8 * pulse(0.62, 0.48, 0.63));
}

class FieldOnCpu {
  public:
    explicit FieldOnCpu(int cells) : cells_(cells), now_(volume()), next_(volume()) {
        for (int z = 0; z < cells; ++z)
            for (int y = 0; y < cells; ++y)
                for (int x = 0; x < cells; ++x)
                    now_[place(x, y, z)] = next_[place(x, y, z)] = field_at_first(cells, x, y, z);
    }
    void step() {
        constexpr float weights[] = {-205.0f / 72.0f, 8.0f / 5.0f, -1.0f / 5.0f, 8.0f / 315.0f, -1.0f / 560.0f};
        const std::size_t row = side(), plane = row * row;
        for (int z = 0; z < cells_; ++z)
            for (int y = 0; y < cells_; ++y)
                for (int x = 0; x < cells_; ++x) {
                    const float *const here = &now_[place(x, y, z)];
                    float sum = 3.0f * weights[0] * *here;
                    for (std::size_t i = 1; i <= radius; ++i)
                        sum += weights[i] * (*(here - i) + here[i] + *(here - i * row) + here[i * row] +
                                             *(here - i * plane) + here[i * plane]);
                    float &next = next_[place(x, y, z)];
                    next = 2.0f * *here - next + speed * sum;
                }
        now_.swap(next_);
    }
    float at(int x, int y, int z) const { return now_[place(x, y, z)]; }

  private:
    /// With zeros all around.
    std::size_t side() const { return static_cast<std::size_t>(cells_) + 2 * radius; }
    std::vector<float> volume() const { return std::vector<float>(side() * side() * side()); }
    std::size_t place(int x, int y, int z) const {
        const auto inner = [](int i) { return static_cast<std::size_t>(i + radius); };
        return (inner(z) * side() + inner(y)) * side() + inner(x);
    }
    const int cells_;
    std::vector<float> now_, next_;
};
