// The common part of demos with ranks that draw each frame together: options, times, and what becomes of the picture.
#pragma once

#include "demo.h"
#include "gl_world.h"

namespace demo {

/// Their options, in addition to those of all demos.
struct TeamOptions {
    bool alone = false, compare = false;
    std::string save, wall, trace;

    std::vector<Flag> flags() {
        return {{"--alone", "rank 0 first draws everything itself, for the efficiency", &alone},
                {"--compare", "rank 0 also draws each frame itself, and compares", &compare}};
    }
    /// Where a frame is saved; empty: nowhere.
    std::string file_of(int frame) const;
    Text save_text() { return {"--save", "a folder for all frames as PNG files", &save}; }
    Text trace_text() { return {"--trace", "what frames take, for Perfetto: FILE.RANK.json for FILE.json", &trace}; }
    Text wall_text() {
        return {"--wall", "CxR, CxR@WxH or a wall file: each rank shows its tile, not rank 0 all", &wall};
    }
};

/// Where a rank's time goes. The first frame makes shaders and routes ready. It does not count, unless it is the only
/// one.
class Times {
  public:
    double draw = 0, compose = 0, wait = 0;

    /// Once before each frame.
    void begin_frame(int frame);
    int frames() const { return frames_; }
    double seconds() const { return now() - begin_; }
    /// Lines about them. `alone`: seconds of a frame that one rank alone has drawn; 0: not measured. Collective.
    void say(const World &world, double alone) const;

  private:
    double begin_ = 0;
    int frames_ = 0;
};

/// Adds the seconds of a scope to a sum.
class Stopwatch {
  public:
    explicit Stopwatch(double &sum) : sum_(sum), begin_(now()) {}
    ~Stopwatch() { sum_ += now() - begin_; }
    Stopwatch(const Stopwatch &) = delete;
    Stopwatch &operator=(const Stopwatch &) = delete;

  private:
    double &sum_;
    const double begin_;
};

/// Seconds of a frame that this rank draws alone: the mean of some frames after a first one. `draw` takes a frame's
/// number.
double seconds_alone(const std::function<void(int)> &draw);

/// How a picture that the ranks have drawn may differ from rank 0's, by shares of its pixels: any difference, and one
/// by more than some of the 255 levels from 0 to 1.
struct Tolerance {
    double any = 0.0005, larger = 0.0001;
    float levels = 2;
};

/// Rank 0's drawing compared with that of all ranks, for --compare.
class Comparison {
  public:
    explicit Comparison(Tolerance allowed) : allowed_(allowed) {}
    /// RGBA values of all pixels. Throws Error where more differs than is allowed.
    void add(int frame, const std::vector<float> &together, const std::vector<float> &alone);
    void say(const World &world) const;

  private:
    const Tolerance allowed_;
    double any_ = 0, larger_ = 0;
    int frames_ = 0;
};

/// Shows a finished frame, and saves it in a file, unless that has no name.
void present(GlWorld &world, const Texture &picture, const std::string &file);

} // namespace demo
