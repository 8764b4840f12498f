// The numbers that are transformed, and their transform on the CPU.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

using Complex = std::complex<double>;

/// Some tones, one of them rising, in noise.
inline std::complex<float> signal_at(std::uint32_t n, std::uint32_t count) {
    const double t = static_cast<double>(n) / count, turn = 2 * std::numbers::pi;
    std::uint32_t noise = n * 2654435761u;
    noise ^= noise >> 15;
    noise *= 2246822519u;
    noise ^= noise >> 13;
    const double random = static_cast<double>(noise) / 4294967296.0 - 0.5;
    return {static_cast<float>(std::cos(turn * 0.11 * count * t) + 0.5 * std::cos(turn * 0.2 * count * t * t) + random),
            static_cast<float>(0.7 * std::sin(turn * 3 * t))};
}

/// In place; the number is a power of two.
inline void transform_on_cpu(std::vector<Complex> &all) {
    const std::size_t count = all.size();
    for (std::size_t i = 1, j = 0; i < count; ++i) {
        std::size_t bit = count / 2;
        for (; j & bit; bit /= 2)
            j ^= bit;
        j ^= bit;
        if (i < j)
            std::swap(all[i], all[j]);
    }
    for (std::size_t size = 2; size <= count; size *= 2) {
        std::vector<Complex> turns(size / 2);
        for (std::size_t k = 0; k < turns.size(); ++k)
            turns[k] = std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(size));
        for (std::size_t base = 0; base < count; base += size)
            for (std::size_t k = 0; k < size / 2; ++k) {
                const Complex a = all[base + k], b = all[base + k + size / 2] * turns[k];
                all[base + k] = a + b;
                all[base + k + size / 2] = a - b;
            }
    }
}
