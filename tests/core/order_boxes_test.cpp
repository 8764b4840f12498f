// Orders of boxes from front to back, against rays.
#include "pixmpi_compositor.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace {

using Boxes = std::vector<pixMPI_Box>;

/// Cuts a box by random planes into so many.
Boxes cut(std::mt19937_64 &random, int count) {
    Boxes boxes{{{0, 0, 0}, {1, 1, 1}}};
    std::uniform_real_distribution<double> part(0.2, 0.8);
    while (boxes.size() < static_cast<std::size_t>(count)) {
        const std::size_t which = random() % boxes.size(), axis = random() % 3;
        pixMPI_Box &one = boxes[which], other = one;
        one.max[axis] = other.min[axis] = one.min[axis] + part(random) * (one.max[axis] - one.min[axis]);
        boxes.push_back(other);
    }
    std::shuffle(boxes.begin(), boxes.end(), random);
    return boxes;
}

/// Where a ray enters the box; infinity when it misses it.
double entry(const pixMPI_Box &box, const double eye[3], const std::array<double, 3> &ray) {
    double in = 0, out = std::numeric_limits<double>::infinity();
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double a = (box.min[axis] - eye[axis]) / ray[axis], b = (box.max[axis] - eye[axis]) / ray[axis];
        in = std::max(in, std::min(a, b));
        out = std::min(out, std::max(a, b));
    }
    return in < out ? in : std::numeric_limits<double>::infinity();
}

TEST(OrderBoxes, RaysEnterThemInOrder) {
    std::mt19937_64 random(5);
    std::uniform_real_distribution<double> anywhere(-1.5, 2.5), direction(-1, 1);
    for (int turn = 0; turn < 200; ++turn) {
        const int count = 1 + turn % 17;
        const Boxes boxes = cut(random, count);
        const double eye[3] = {anywhere(random), anywhere(random), anywhere(random)};
        std::vector<int> order(static_cast<std::size_t>(count), -1);
        ASSERT_EQ(pixMPI_Order_boxes(count, boxes.data(), eye, order.data()), PIXMPI_SUCCESS);
        std::vector<int> sorted = order;
        std::sort(sorted.begin(), sorted.end());
        for (int i = 0; i < count; ++i)
            ASSERT_EQ(sorted[static_cast<std::size_t>(i)], i);
        for (int rays = 0; rays < 100; ++rays) {
            const std::array<double, 3> ray{direction(random), direction(random), direction(random)};
            double last = 0;
            for (const int box : order) {
                const double at = entry(boxes[static_cast<std::size_t>(box)], eye, ray);
                if (at == std::numeric_limits<double>::infinity())
                    continue;
                ASSERT_GE(at, last - 1e-9) << "turn " << turn;
                last = at;
            }
        }
    }
}

TEST(OrderBoxes, BoxesThatOverlapStandByDistance) {
    const Boxes boxes{{{0, 0, 2}, {4, 4, 6}}, {{1, 1, 1}, {5, 5, 5}}, {{0, 0, 3}, {4, 4, 7}}};
    const double eye[3] = {2, 2, 0};
    int order[3] = {};
    ASSERT_EQ(pixMPI_Order_boxes(3, boxes.data(), eye, order), PIXMPI_SUCCESS);
    EXPECT_EQ(order[0], 1);
    EXPECT_EQ(order[1], 0);
    EXPECT_EQ(order[2], 2);
}

TEST(OrderBoxes, WrongArgumentsLeaveTheOrder) {
    const pixMPI_Box good{{0, 0, 0}, {1, 1, 1}}, turned{{1, 0, 0}, {0, 1, 1}};
    const double eye[3] = {0, 0, 0}, nowhere[3] = {std::numeric_limits<double>::quiet_NaN(), 0, 0};
    int order[1] = {7};
    EXPECT_EQ(pixMPI_Order_boxes(0, &good, eye, order), PIXMPI_ERR_ARGUMENT);
    EXPECT_EQ(pixMPI_Order_boxes(1, nullptr, eye, order), PIXMPI_ERR_ARGUMENT);
    EXPECT_EQ(pixMPI_Order_boxes(1, &good, nullptr, order), PIXMPI_ERR_ARGUMENT);
    EXPECT_EQ(pixMPI_Order_boxes(1, &good, eye, nullptr), PIXMPI_ERR_ARGUMENT);
    EXPECT_EQ(pixMPI_Order_boxes(1, &turned, eye, order), PIXMPI_ERR_ARGUMENT);
    EXPECT_EQ(pixMPI_Order_boxes(1, &good, nowhere, order), PIXMPI_ERR_ARGUMENT);
    EXPECT_EQ(order[0], 7);
}

} // namespace
