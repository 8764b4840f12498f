// When the cuts leave the tiles' borders, where they go, and what sends them home.
#include "balance/policy.h"

#include <gtest/gtest.h>

using mpiglut::balance::Measured;
using mpiglut::balance::Policy;
using namespace pixmpi;

namespace {

/// A wall whose frames take what `time` says of each rectangle.
struct Simulated {
    Wall wall = read_wall("2x1@400x100").wall.value();
    Partition partition = *Partition::of(wall);
    Policy policy{partition, wall};
    double now_ms = 0, ship_ms = 0.5;
    int away = 0, moves = 0;

    std::vector<Rect> rects() const {
        if (!policy.cuts().empty())
            return partition.rects(policy.cuts(), mpiglut::balance::least_pixels);
        return {wall.tiles[0].rect, wall.tiles[1].rect};
    }
    template <class Time> double frame(Time time) {
        Measured measured;
        double most = 0;
        for (const Rect &rect : rects()) {
            measured.render_ms.push_back(time(rect));
            measured.ship_ms.push_back(policy.cuts().empty() ? 0 : ship_ms);
            most = std::max(most, measured.render_ms.back() + measured.ship_ms.back());
        }
        measured.now_ms = now_ms += most;
        const auto before = policy.cuts();
        policy.take(measured);
        away += !policy.cuts().empty();
        moves += before != policy.cuts();
        return most;
    }
};

double left_half(const Rect &r) { return 1 + 0.05 * intersect(r, {0, 0, 400, 100}).width; }
double right_half(const Rect &r) { return 1 + 0.05 * intersect(r, {400, 0, 400, 100}).width; }

} // namespace

TEST(Balance, SharesOutWhatOneTileHas) {
    Simulated run;
    double last = 0;
    for (int i = 0; i < 60; ++i)
        last = run.frame(left_half);
    EXPECT_LT(last, 13); // of 21
    EXPECT_GT(run.away, 40);
    EXPECT_LT(run.moves, 6);
}

TEST(Balance, FollowsTheWorkWithinAFewFrames) {
    Simulated run;
    for (int i = 0; i < 40; ++i)
        run.frame(left_half);
    for (int i = 0; i < 15; ++i)
        run.frame(right_half);
    EXPECT_LT(run.frame(right_half), 1.5 * 11);
}

TEST(Balance, LeavesAnEvenLoadAlone) {
    Simulated run;
    for (int i = 0; i < 300; ++i) // a tenth more or less is noise
        run.frame([i](const Rect &r) { return 0.05 * r.width * (1 + 0.1 * ((i + r.x) % 3 - 1)); });
    EXPECT_EQ(run.away, 0);
}

TEST(Balance, LeavesGeometryAlone) {
    // One rank is slow, however little it renders.
    Simulated run;
    for (int i = 0; i < 2000; ++i)
        run.frame([](const Rect &r) { return r.x == 0 ? 20.0 : 8.0; });
    EXPECT_LT(run.away, 100);
}

TEST(Balance, GoesHomeWhenShippingTakesWhatIsGained) {
    Simulated run;
    run.ship_ms = 12;
    for (int i = 0; i < 2000; ++i)
        run.frame(left_half);
    EXPECT_LT(run.away, 150);
    EXPECT_GT(run.away, 0);
}

TEST(Balance, LeavesTinyFramesAlone) {
    Simulated run;
    for (int i = 0; i < 100; ++i)
        run.frame([](const Rect &r) { return 0.02 * left_half(r); });
    EXPECT_EQ(run.away, 0);
}
