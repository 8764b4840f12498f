// Which matrices are multiplied, and what should come out.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

/// The product has rows x columns elements, each a sum of `inner` products.
struct Shape {
    int rows, columns, inner;
};

constexpr int waves = 13; // prime, so that blocks that do not belong together do not look as if they did
inline int wave_of(int k) { return 1 + k % waves; }

/// Sums of their products are rings and hyperbolas: cos a cos b is half of cos(a + b) + cos(a - b).
inline float element_of_a(const Shape &shape, int row, int k) {
    const double y = 2.0 * row / shape.rows - 0.9;
    return static_cast<float>(std::cos(wave_of(k) * 11.0 * y * y));
}
inline float element_of_b(const Shape &shape, int k, int column) {
    const double x = 2.0 * column / shape.columns - 1.2;
    return static_cast<float>(std::cos(wave_of(k) * 11.0 * x * x + 0.6) / wave_of(k));
}
/// About the largest element of the product.
inline float largest_element(const Shape &shape) {
    double sum = 0;
    for (int k = 0; k < shape.inner; ++k)
        sum += 1.0 / wave_of(k);
    return static_cast<float>(sum);
}

/// Computes the product once more, on the CPU; says what is different, or nothing.
inline std::string differences(const Shape &shape, const std::vector<float> &product) {
    std::vector<double> b(std::size_t(shape.inner) * shape.columns), line(shape.columns);
    for (int k = 0; k < shape.inner; ++k)
        for (int column = 0; column < shape.columns; ++column)
            b[std::size_t(k) * shape.columns + column] = element_of_b(shape, k, column);
    const double bound = 1e-5 * largest_element(shape); // single precision has 24 bits
    for (int row = 0; row < shape.rows; ++row) {
        std::fill(line.begin(), line.end(), 0.0);
        for (int k = 0; k < shape.inner; ++k) {
            const double a = element_of_a(shape, row, k);
            for (int column = 0; column < shape.columns; ++column)
                line[column] += a * b[std::size_t(k) * shape.columns + column];
        }
        for (int column = 0; column < shape.columns; ++column) {
            const double here = product[std::size_t(row) * shape.columns + column];
            if (!(std::abs(here - line[column]) <= bound))
                return "row " + std::to_string(row) + ", column " + std::to_string(column) + ": " +
                       std::to_string(here) + ", expected " + std::to_string(line[column]);
        }
    }
    return "";
}
