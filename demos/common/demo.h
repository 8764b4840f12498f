// The frame around a demo: MPI, options, what each rank draws with, and how it ends.
//
//     void wave(demo::GlWorld &world) { ... }
//     int main(int argc, char **argv) { return demo::run(argc, argv, {.name = "wave", ...}, wave); }
#pragma once

#include "error.h"

#include <pixmpi.h>
#include "picture.h"

#include <functional>
#include <string>
#include <vector>

namespace demo {

struct Options {
    int width = 1280, height = 720; ///< --size WxH
    int frames = 100;               ///< --frames N
    bool headless = false;          ///< --headless
    std::string output;             ///< --output FILE.png
    std::string input;              ///< --input FILE.png
    bool check = false;             ///< --check
};

/// An option of one demo's own: a whole number within bounds, a flag, or a word. `value` has the default, and receives
/// what the user typed.
struct Number {
    const char *name, *text;
    int *value, least, most;
};
struct Flag {
    const char *name, *text;
    bool *value;
};
struct Text {
    const char *name, *text;
    std::string *value;
};

/// What `run` has to know of a demo.
struct About {
    const char *name = "", *text = "";
    Options defaults;
    const char *input = nullptr, *check = nullptr; ///< what these options are for; null: the demo does not have them
    std::vector<Number> numbers = {};
    std::vector<Flag> flags = {};
    std::vector<Text> texts = {};
    bool draws = true; ///< it has frames and a picture: --frames, --size and --output
};

/// What a world is made of.
struct Start {
    const About &about;
    const Options &options;
    int rank, ranks;
};

/// What a rank has. GlWorld and VkWorld also have something to draw with.
class World {
  public:
    explicit World(const Start &start) : options(start.options), rank(start.rank), ranks(start.ranks) {}
    virtual ~World() = default;

    const Options options;
    const int rank, ranks;

    /// Goes on to the next frame: false after the last one, or, on all ranks alike, when the window has been closed.
    bool next_frame();
    int frame() const { return frame_; }
    /// A line on standard output, from rank 0 only.
    [[gnu::format(printf, 2, 3)]] void say(const char *format, ...) const;

  private:
    /// Handles what happened to the window, if there is one; false once the user has closed it.
    virtual bool open() { return true; }
    int frame_ = -1;
};

/// Everything around `body`; returns the exit status: 0, 1 after an error, 2 after wrong arguments.
int run(int argc, char **argv, const About &about, const std::function<void(const Start &)> &body);

/// The same for a body that wants a world of its kind.
template <class Kind> int run(int argc, char **argv, const About &about, void (*body)(Kind &)) {
    return run(argc, argv, about, std::function<void(const Start &)>([body](const Start &start) {
                   Kind world(start);
                   body(world);
               }));
}

/// Seconds, from some beginning.
double now();
/// A moment for others: ranks that poll should not take the processor from those that work.
void pause();
/// MPI_Wait and MPI_Barrier with pauses.
void wait(MPI_Request &request);
void meet();

} // namespace demo
