#include "projection.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace icet {
namespace {

Vertex transform(const double *matrix, const Vertex &vertex) {
    Vertex result{};
    for (int row = 0; row < 4; ++row)
        for (int column = 0; column < 4; ++column)
            result.at[row] += matrix[4 * column + row] * vertex.at[column];
    return result;
}

/// Along one axis, -1 to 1 are `extent` pixels from `first` on.
struct Span {
    double least = std::numeric_limits<double>::infinity(), most = -std::numeric_limits<double>::infinity();
    void add(double value) {
        least = std::min(least, value);
        most = std::max(most, value);
    }
    void to_pixels(int first, int extent, int &from, int &count) const {
        const auto pixel = [&](double value) { return (std::clamp(value, -1.0, 1.0) + 1) / 2 * extent; };
        const int begin = static_cast<int>(std::floor(pixel(least)));
        from = first + begin;
        count = std::max(static_cast<int>(std::ceil(pixel(most))) - begin, 1); // lines have a width, too
    }
};

/// Whether all points are on the far side of one of the six planes of the view.
bool out_of_view(const std::vector<Vertex> &points) {
    for (int axis = 0; axis < 3; ++axis)
        for (const double side : {-1.0, 1.0})
            if (std::all_of(points.begin(), points.end(),
                            [&](const Vertex &point) { return side * point.at[axis] > point.at[3]; }))
                return true;
    return false;
}

} // namespace

Matrix project_on(const double *projection, const pixMPI_Rect &display, const pixMPI_Rect &part) {
    const double scale[2] = {static_cast<double>(display.width) / part.width,
                             static_cast<double>(display.height) / part.height};
    const double shift[2] = {(2.0 * (display.x - part.x) + display.width) / part.width - 1,
                             (2.0 * (display.y - part.y) + display.height) / part.height - 1};
    Matrix result;
    std::copy(projection, projection + 16, result.begin());
    for (std::size_t column = 0; column < 4; ++column)
        for (std::size_t axis = 0; axis < 2; ++axis)
            result[4 * column + axis] = scale[axis] * result[4 * column + axis] + shift[axis] * result[4 * column + 3];
    return result;
}

pixMPI_Rect covered(const std::vector<Vertex> &bounds, const double *projection, const double *modelview,
                    const pixMPI_Rect &display) {
    if (bounds.empty())
        return display;
    std::vector<Vertex> points;
    for (const Vertex &vertex : bounds)
        points.push_back(transform(projection, transform(modelview, vertex)));
    if (out_of_view(points))
        return {0, 0, 0, 0};
    // A box that reaches behind the eye may cover anything.
    Span along[2];
    for (const Vertex &point : points) {
        if (!(point.at[3] > 0))
            return display;
        along[0].add(point.at[0] / point.at[3]);
        along[1].add(point.at[1] / point.at[3]);
    }
    pixMPI_Rect pixels{};
    along[0].to_pixels(display.x, display.width, pixels.x, pixels.width);
    along[1].to_pixels(display.y, display.height, pixels.y, pixels.height);
    return common(pixels, display);
}

std::pair<double, double> depths_of(const std::vector<Vertex> &bounds, const double *projection,
                                    const double *modelview) {
    Span depths;
    for (const Vertex &vertex : bounds) {
        const Vertex point = transform(projection, transform(modelview, vertex));
        if (!(point.at[3] > 0))
            return {-1, 1}; // it reaches behind the eye
        depths.add(std::clamp(point.at[2] / point.at[3], -1.0, 1.0));
    }
    return bounds.empty() ? std::pair(-1.0, 1.0) : std::pair(depths.least, depths.most);
}

pixMPI_Rect share_of(const std::vector<int> &group, int rank, const pixMPI_Rect &part) {
    const std::int64_t place = std::lower_bound(group.begin(), group.end(), rank) - group.begin();
    const auto ranks = static_cast<std::int64_t>(group.size());
    const auto row = [&](std::int64_t of) { return static_cast<int>(part.height * of / ranks); };
    return {part.x, part.y + row(place), part.width, row(place + 1) - row(place)};
}

pixMPI_Rect common(const pixMPI_Rect &first, const pixMPI_Rect &second) {
    const int left = std::max(first.x, second.x), bottom = std::max(first.y, second.y);
    const int right = std::min(first.x + first.width, second.x + second.width);
    const int top = std::min(first.y + first.height, second.y + second.height);
    if (left >= right || bottom >= top)
        return {0, 0, 0, 0};
    return {left, bottom, right - left, top - bottom};
}

} // namespace icet
