// The measurements, each with its baseline in the same run.
#pragma once

#include "screen.h"

#include <string>
#include <vector>

struct Programs {
    std::string mpiglutrun, scene;
};

struct FpsResult {
    int width = 0, height = 0, quads = 0;
    double plain = 0, wall = 0; ///< medians, frames per second
    double ratio = 0;           ///< median of the pairs' ratios
};
/// Plain FreeGLUT and one tile alternately, `repetitions` of each.
FpsResult measure_fps(const Programs &programs, const TestScreen &screen, int width, int height, int quads, int frames,
                      int repetitions);

struct IdleResult {
    int tiles = 0;
    double seconds = 0;
    double plain_percent = 0; ///< of one core
    double mean_percent = 0, worst_percent = 0; ///< for a rank: the program and its agent
};
IdleResult measure_idle(const Programs &programs, const TestScreen &screen, int tiles, double seconds);

struct LatencyResult {
    int tiles = 0, presses = 0, lost = 0; ///< lost: not shown by every tile within two seconds
    double plain_p50 = 0, plain_p99 = 0, wall_p50 = 0, wall_p99 = 0; ///< ms, key press to display callback
};
/// On a wall the last tile counts, whichever that is.
LatencyResult measure_latency(const Programs &programs, TestScreen &screen, int tiles, int presses);

/// Frames from half a second after the work has moved, and how many of them took more than 1.5 times the median of
/// their run. Where it does not move, the same frames count.
struct Settled {
    int frames = 0, slow = 0;
    double worst_ms = 0;
};
/// Of one way to share the work out, or none.
struct Sharing {
    double fps = 0;      ///< median, frames per second
    double ratio = 0;    ///< median of the pairs' ratios, to the wall without --balance
    double frame_ms = 0; ///< median
    Settled settled;
};
struct BalanceResult {
    Sharing home, shared, late; ///< without --balance, with it, with --balance latency:1
};
/// Of the scene that has its work here and there.
struct Load {
    int frames = 200, width = 1024, height = 512;
    int rounds = 500; ///< of each fragment that has work
};
/// That scene, without --balance, with it, and with its latency alternately, `repetitions` of each.
BalanceResult measure_balance(const Programs &programs, const TestScreen &screen, const std::string &kind,
                              const std::string &wall, int helpers, const Load &load, int repetitions);

/// `values` is sorted; quantile 0..1.
double quantile(std::vector<double> values, double q);
