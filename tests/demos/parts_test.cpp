// Parts of demos, without ranks.
#include "bricks.h"
#include "space.h"
#include "team.h"

#include <gtest/gtest.h>
#include <random>

namespace {

using demo::Box;
using demo::Camera;
using demo::Point;

struct Pixel {
    float x, y, depth; ///< depth from -1 to 1 is within the picture
};

Pixel projected(const Camera &camera, const Point &at, int width, int height) {
    const demo::Matrix m = camera.matrix();
    float clip[4];
    for (std::size_t i = 0; i < 4; ++i)
        clip[i] = m[i] * at[0] + m[4 + i] * at[1] + m[8 + i] * at[2] + m[12 + i];
    return {(clip[0] / clip[3] + 1) / 2 * static_cast<float>(width),
            (clip[1] / clip[3] + 1) / 2 * static_cast<float>(height), clip[3] > 0 ? clip[2] / clip[3] : 2};
}

/// What lies in a box is seen within the box's pixels.
TEST(DemoCamera, SeesABoxWhereItsPointsAre) {
    constexpr int width = 131, height = 77;
    std::mt19937 random(1);
    std::uniform_real_distribution<float> within(-1, 1);
    int seen = 0, unseen = 0;
    for (int i = 0; i < 400; ++i) {
        const auto point = [&](float size) {
            return Point{size * within(random), size * within(random), size * within(random)};
        };
        const Camera camera(point(3), point(1), 0.9f, width, height, 0.1f, 20);
        Box box{point(1), {}};
        for (std::size_t k = 0; k < 3; ++k)
            box.high[k] = box.low[k] + 0.01f + std::abs(within(random));
        const pixMPI_Rect rect = camera.seen(box);
        (rect.width * rect.height > 0 ? seen : unseen) += 1;
        ASSERT_TRUE(rect.x >= 0 && rect.y >= 0 && rect.x + rect.width <= width && rect.y + rect.height <= height);
        for (int n = 0; n < 50; ++n) {
            Point at;
            for (std::size_t k = 0; k < 3; ++k)
                at[k] = box.low[k] + (within(random) + 1) / 2 * (box.high[k] - box.low[k]);
            const Pixel pixel = projected(camera, at, width, height);
            if (pixel.depth < -1 || pixel.depth > 1 || pixel.x < 0 || pixel.x >= width || pixel.y < 0 ||
                pixel.y >= height)
                continue;
            EXPECT_TRUE(static_cast<int>(pixel.x) >= rect.x && static_cast<int>(pixel.x) < rect.x + rect.width);
            EXPECT_TRUE(static_cast<int>(pixel.y) >= rect.y && static_cast<int>(pixel.y) < rect.y + rect.height);
        }
    }
    EXPECT_GT(seen, 50);
    EXPECT_GT(unseen, 20);
}

TEST(DemoCamera, LooksAtAPointInTheMiddle) {
    const Camera camera({1, 2, 3}, {0, 0.5f, 0}, 0.8f, 200, 100, 0.1f, 20);
    const Pixel middle = projected(camera, {0, 0.5f, 0}, 200, 100);
    EXPECT_NEAR(middle.x, 100, 1e-3);
    EXPECT_NEAR(middle.y, 50, 1e-3);
    const Pixel corner = projected(camera, camera.eye() + camera.forward() + camera.right() + camera.up(), 200, 100);
    EXPECT_NEAR(corner.x, 200, 1e-3);
    EXPECT_NEAR(corner.y, 100, 1e-3);
}

TEST(DemoComparison, RefusesMoreDifferenceThanIsAllowed) {
    const std::vector<float> one(4 * 1000, 0.5f);
    const auto add = [&](int any, int larger) {
        std::vector<float> other = one;
        for (int i = 0; i < any; ++i)
            other[4 * i + 2] += (i < larger ? -3.0f : 1.0f) / 255;
        demo::Comparison({.any = 0.01, .larger = 0.002, .levels = 2}).add(0, one, other);
    };
    EXPECT_NO_THROW(add(0, 0));
    EXPECT_NO_THROW(add(10, 2));
    EXPECT_THROW(add(11, 0), demo::Error);
    EXPECT_THROW(add(10, 3), demo::Error);
}

/// Each voxel is in one brick.
TEST(DemoBricks, ShareOutTheVolume) {
    for (const auto &[voxels, ranks] : {std::pair{1, 3}, {5, 1}, {7, 5}, {9, 16}, {16, 7}}) {
        const Bricks bricks(voxels, ranks);
        std::vector<int> owners(static_cast<std::size_t>(voxels) * voxels * voxels);
        for (int rank = 0; rank < ranks; ++rank) {
            const auto &[low, high] = bricks.of(rank);
            for (int z = low[2]; z < high[2]; ++z)
                for (int y = low[1]; y < high[1]; ++y)
                    for (int x = low[0]; x < high[0]; ++x)
                        ++owners.at((static_cast<std::size_t>(z) * voxels + y) * voxels + x);
        }
        EXPECT_EQ(std::count(owners.begin(), owners.end(), 1), std::ssize(owners)) << voxels << ", " << ranks;
    }
}

/// Wherever the eye is, a ray meets the bricks in their order.
TEST(DemoBricks, FollowEachOtherAlongEveryRay) {
    constexpr int voxels = 32;
    std::mt19937 random(2);
    std::uniform_real_distribution<float> anywhere(-40, 72), within(0, voxels);
    for (int i = 0; i < 300; ++i) {
        const int ranks = 1 + i % 13;
        const Bricks bricks(voxels, ranks);
        const Point eye{anywhere(random), anywhere(random), anywhere(random)};
        std::vector<int> place(static_cast<std::size_t>(ranks), -1);
        const std::vector<int> order = bricks.order(eye);
        ASSERT_EQ(std::ssize(order), ranks);
        for (int k = 0; k < ranks; ++k)
            place.at(order[k]) = k;
        ASSERT_EQ(std::count(place.begin(), place.end(), -1), 0);
        const Point ray = Point{within(random), within(random), within(random)} - eye;
        int last = 0;
        for (float t = 0; t < 4; t += 0.01f) {
            const Point at = eye + t * ray;
            for (int rank = 0; rank < ranks; ++rank) {
                const auto &[low, high] = bricks.of(rank);
                bool inside = true;
                for (std::size_t k = 0; k < 3; ++k)
                    inside = inside && at[k] >= low[k] && at[k] < high[k];
                if (inside) {
                    ASSERT_GE(place[rank], last);
                    last = place[rank];
                }
            }
        }
    }
}

} // namespace
