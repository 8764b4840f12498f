// The frame around a demo: MPI, options, a context for each rank, a window or none, and how it ends.
//
//     void wave(demo::World &world) { ... }
//     int main(int argc, char **argv) { return demo::run(argc, argv, {.name = "wave", ...}, wave); }
#pragma once

#include "error.h"
#include "gl.h"
#include "picture.h"

#include <memory>
#include <string>

namespace demo {

class Headless;
class Window;

struct Options {
    int width = 1280, height = 720; ///< --size WxH
    int frames = 100;               ///< --frames N
    bool headless = false;          ///< --headless
    std::string output;             ///< --output FILE.png
    std::string input;              ///< --input FILE.png
    bool check = false;             ///< --check
};

/// What `run` has to know of a demo.
struct About {
    const char *name = "", *text = "";
    Options defaults;
    const char *input = nullptr, *check = nullptr; ///< what these options are for; null: the demo does not have them
};

/// What a rank has.
class World {
  public:
    World(const About &about, const Options &options, int rank, int ranks);
    ~World();

    const Options options;
    const int rank, ranks;

    /// Goes on to the next frame: false after the last one, or, on all ranks alike, when the window has been closed.
    bool next_frame();
    int frame() const { return frame_; }
    /// Shows a texture in the window, if there is one. For rank 0.
    void show(const Texture &texture);
    /// A line on standard output, from rank 0 only.
    [[gnu::format(printf, 2, 3)]] void say(const char *format, ...) const;

  private:
    std::unique_ptr<Headless> context_;
    std::unique_ptr<Window> window_;
    std::unique_ptr<Shader> shown_;
    int frame_ = -1;
};

/// Everything around `body`; returns the exit status: 0, 1 after an error, 2 after wrong arguments.
int run(int argc, char **argv, const About &about, void (*body)(World &));

/// Seconds, from some beginning.
double now();

} // namespace demo
