// When the cuts leave the tiles' borders, where they go, and what sends them home.
#include "balance/policy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

using mpiglut::balance::Measured;
using mpiglut::balance::Policy;
using namespace pixmpi;

namespace {

Wall with_helpers(const char *spec, int helpers) {
    Wall wall = read_wall(spec).wall.value();
    add_helpers(wall, helpers);
    return wall;
}

/// A wall with frames that take what `time` says of each rectangle.
struct Simulated {
    Wall wall = with_helpers("2x1@400x100", 0);
    Partition partition = *Partition::of(wall);
    Policy policy{partition, wall};
    double now_ms = 0, ship_ms = 0.5;
    double elsewhere_ms = 0; ///< frames take so long all the same
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
            measured.busy_ms.push_back(measured.render_ms.back() + (policy.cuts().empty() ? 0 : ship_ms));
            most = std::max(most, measured.busy_ms.back());
        }
        most = std::max(most, elsewhere_ms);
        measured.now_ms = now_ms += most;
        const auto before = policy.cuts();
        policy.observe(measured);
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

// The work lies on the other tile every 3 s, and times vary by some percent from frame to frame.
class Wandering : public testing::TestWithParam<int> {};

TEST_P(Wandering, WorkIsFollowedWithinHalfASecond) {
    Simulated run;
    std::mt19937 random(7);
    std::normal_distribution<double> noise(1, GetParam() / 100.0);
    std::vector<double> frames;
    double worst_settled = 0, at_home = 0;
    while (run.now_ms < 30'000) {
        const double since = std::fmod(run.now_ms, 3000);
        const auto busy = std::fmod(run.now_ms, 6000) < 3000 ? left_half : right_half;
        frames.push_back(run.frame([&](const Rect &r) { return 3 * busy(r) * noise(random); }));
        at_home += 3 * busy(busy == left_half ? run.wall.tiles[0].rect : run.wall.tiles[1].rect);
        if (since > 500 && run.now_ms > 3000)
            worst_settled = std::max(worst_settled, frames.back());
    }
    std::nth_element(frames.begin(), frames.begin() + frames.size() / 2, frames.end());
    EXPECT_LT(worst_settled, 1.5 * frames[frames.size() / 2]);
    EXPECT_GT(at_home / run.now_ms, 1.55);
    EXPECT_LT(run.moves, frames.size() / 10);
}

INSTANTIATE_TEST_SUITE_P(Balance, Wandering, testing::Values(0, 5, 10),
                         [](const auto &noise) { return "noise_of_" + std::to_string(noise.param) + "_percent"; });

TEST(Balance, ASlowHelperGetsLess) {
    Simulated run{with_helpers("1x1@800x100", 1)};
    double last = 0;
    for (int i = 0; i < 60; ++i)
        last = run.frame([](const Rect &r) { return 0.05 * r.width * (r.x > 0 ? 3 : 1); });
    EXPECT_LT(last, 34); // of 40; 30 where both take as long
    EXPECT_GT(run.away, 40);
    EXPECT_NEAR(run.rects()[1].width, 200, 40);
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

TEST(Balance, StaysWhereItIsForOneSlowFrame) {
    Simulated run;
    for (int i = 0; i < 60; ++i)
        run.frame(left_half);
    run.ship_ms = 40;
    run.frame(left_half);
    run.ship_ms = 0.5;
    const int before = run.away;
    for (int i = 0; i < 30; ++i)
        run.frame(left_half);
    EXPECT_EQ(run.away - before, 30);
}

TEST(Balance, GoesHomeWhenShippingTakesWhatIsGained) {
    Simulated run;
    run.ship_ms = 12;
    for (int i = 0; i < 2000; ++i)
        run.frame(left_half);
    EXPECT_LT(run.away, 150);
    EXPECT_GT(run.away, 0);
}

TEST(Balance, LeavesFramesAloneThatComeNoFaster) {
    Simulated run;
    run.elsewhere_ms = 30; // a rank's processor, say, or a timer
    for (int i = 0; i < 2000; ++i)
        run.frame([](const Rect &r) { return left_half(r); });
    EXPECT_LT(run.away, 250);
    EXPECT_GT(run.away, 0);
}

TEST(Balance, TakesNoNoticeOfSingleSlowFrames) {
    Simulated run;
    for (int i = 0; i < 500; ++i)
        run.frame([i](const Rect &r) { return 0.05 * r.width * (i % 20 == 10 && r.x == 0 ? 3 : 1); });
    EXPECT_EQ(run.away, 0);
}

TEST(Balance, LeavesTinyFramesAlone) {
    Simulated run;
    for (int i = 0; i < 100; ++i)
        run.frame([](const Rect &r) { return 0.02 * left_half(r); });
    EXPECT_EQ(run.away, 0);
}
