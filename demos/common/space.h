// The little geometry that demos with a scene need: points, a camera, and where a box is seen.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <pixmpi.h>

namespace demo {

struct Point : std::array<float, 3> {};
using Matrix = std::array<float, 16>; ///< by columns, as OpenGL takes it

inline Point operator+(const Point &a, const Point &b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
inline Point operator-(const Point &a, const Point &b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
inline Point operator*(float s, const Point &a) { return {s * a[0], s * a[1], s * a[2]}; }
inline float dot(const Point &a, const Point &b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Point cross(const Point &a, const Point &b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline Point normalize(const Point &a) { return 1 / std::sqrt(dot(a, a)) * a; }

/// An axis-aligned box.
struct Box {
    Point low, high;
    Point corner(int i) const { return {i & 1 ? high[0] : low[0], i & 2 ? high[1] : low[1], i & 4 ? high[2] : low[2]}; }
};

/// An eye that looks at a point; y is up.
class Camera {
  public:
    /// `height`: of the picture's plane at distance 1.
    Camera(const Point &eye, const Point &at, float height, int pixels_across, int pixels_up, float near, float far)
        : eye_(eye), forward_(normalize(at - eye)), width_(pixels_across), height_(pixels_up), near_(near), far_(far) {
        const Point right = normalize(cross(forward_, {0, 1, 0}));
        up_ = height / 2 * cross(right, forward_);
        right_ = height / 2 * static_cast<float>(width_) / static_cast<float>(height_) * right;
    }

    const Point &eye() const { return eye_; }
    /// To the middle of the picture at distance 1, and from there to its right and to its upper edge.
    const Point &forward() const { return forward_; }
    const Point &right() const { return right_; }
    const Point &up() const { return up_; }

    /// From the world to OpenGL's clip coordinates.
    Matrix matrix() const {
        const Point x = 1 / dot(right_, right_) * right_, y = 1 / dot(up_, up_) * up_;
        const float a = (far_ + near_) / (far_ - near_), b = -2 * far_ * near_ / (far_ - near_);
        Matrix m{};
        for (std::size_t i = 0; i < 3; ++i) {
            m[4 * i] = x[i];
            m[4 * i + 1] = y[i];
            m[4 * i + 2] = a * forward_[i];
            m[4 * i + 3] = forward_[i];
        }
        m[12] = -dot(x, eye_);
        m[13] = -dot(y, eye_);
        m[14] = b - a * dot(forward_, eye_);
        m[15] = -dot(forward_, eye_);
        return m;
    }

    /// The pixels that may show something of the box; none where it is out of sight.
    pixMPI_Rect seen(const Box &box) const {
        float low[2] = {1, 1}, high[2] = {-1, -1};
        int behind = 0;
        for (int i = 0; i < 8; ++i) {
            const Point at = box.corner(i) - eye_;
            const float depth = dot(at, forward_);
            if (depth <= near_) {
                ++behind;
                continue;
            }
            const float seen[2] = {dot(at, right_) / dot(right_, right_) / depth, dot(at, up_) / dot(up_, up_) / depth};
            for (int k = 0; k < 2; ++k) {
                low[k] = std::min(low[k], seen[k]);
                high[k] = std::max(high[k], seen[k]);
            }
        }
        if (behind == 8)
            return {};
        if (behind > 0) // it may reach anywhere
            return {0, 0, width_, height_};
        const auto pixel = [](float at, int size, float rounding) {
            const float pixels = (std::clamp(at, -1.0f, 1.0f) + 1) / 2 * static_cast<float>(size) + rounding;
            return std::clamp(static_cast<int>(std::floor(pixels)), 0, size);
        };
        if (low[0] >= 1 || low[1] >= 1 || high[0] <= -1 || high[1] <= -1)
            return {};
        const int x = pixel(low[0], width_, -1), y = pixel(low[1], height_, -1);
        return {x, y, pixel(high[0], width_, 2) - x, pixel(high[1], height_, 2) - y};
    }

  private:
    Point eye_, forward_, right_, up_;
    int width_, height_;
    float near_, far_;
};

/// The smallest rectangle around both.
inline pixMPI_Rect around(const pixMPI_Rect &a, const pixMPI_Rect &b) {
    if (a.width == 0 || a.height == 0)
        return b;
    if (b.width == 0 || b.height == 0)
        return a;
    const int x = std::min(a.x, b.x), y = std::min(a.y, b.y);
    return {x, y, std::max(a.x + a.width, b.x + b.width) - x, std::max(a.y + a.height, b.y + b.height) - y};
}

} // namespace demo
