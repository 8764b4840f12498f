// The model of windows, driven by a window system that is made up: no X server, no GLUT, no context of OpenGL. The
// program runs as two ranks of a wall of two tiles with a gap between them, on one display.
// This is part of a library, as libmpiglut is one, and of the program that calls it: what the library calls itself is not
// the program's.
#ifdef MODEL_PROGRAM

int model_test();
int main() { return model_test(); }

#else

#include "model/frame/frame.h"
#include "model/loop/end.h"
#include "model/loop/join.h"
#include "model/loop/loop.h"
#include "model/window/windows.h"

#include "base/real.h"
#include "base/state.h"
#include "clock/clock.h"
#include "run/options.h"
#include "sync/comm.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <unistd.h>

namespace mpiglut {
namespace {

using pixmpi::Rect;

int failures = 0;

void check(bool good, const char *what, int line) {
    if (!good) {
        std::fprintf(stderr, "model_test.cpp:%d: rank %d: %s\n", line, comm::rank(), what);
        ++failures;
    }
}
#define CHECK(condition) check(condition, #condition, __LINE__)

struct MakeBelieve : WindowSystem {
    struct Real {
        Rect place;
        bool shown = true, heard = false;
        int shows = 0;
    };
    std::map<int, Real> windows;
    std::vector<Event> coming; ///< in coordinates of real windows
    int made = 0, now = 0, opened = 0, closed = 0, told = 0;

    void open() override { ++opened; }
    void close() override { ++closed; }
    void screen_size(int &width, int &height) override {
        width = 640;
        height = 480;
    }
    void receive_events() override {
        for (Event event : coming) {
            event.rank = comm::rank();
            to_whole(*state().window(event.window), event.x, event.y);
            state().outbox.push_back(event);
        }
        coming.clear();
    }
    int descriptor() override { return -1; }
    void settle() override {}
    int current() override { return now; }
    void make_current(int window) override { now = window; }
    void create(Window &window, const std::string &, const Rect &place) override {
        window.id = now = ++made;
        window.x_window = 1000u + static_cast<unsigned>(now);
        windows[now].place = window.real = place;
    }
    void listen(Window &window) override { windows[window.id].heard = true; }
    void destroy(Window &window) override { windows.erase(window.id); }
    void move(const Window &window, const Rect &place, bool shown) override {
        windows[window.id].place = place;
        windows[window.id].shown = shown;
    }
    void show(const Window &window) override { ++windows[window.id].shows; }
    void engage_swap_control(Window &) override {}
    Pointer pointer_in(const Window &) override { return {}; }
    void tells(const Event &) override { ++told; }
    void make_menu_current(int) override {}
};

MakeBelieve believe;

/// What the program has been called with, in order.
std::string calls;

void note(const std::string &call) { calls += call + "; "; }

void tick() {
    calls.clear();
    run_tick(false, false);
}

void make_windows() {
    const int id = create_top_level("a wall", 3, 4, 50, 50, false);
    const int child = create_child(id, 80, 10, 60, 20);
    CHECK(id == 1 && child == 2);
    for (const int window : {id, child}) {
        Window &w = *state().window(window);
        w.reshape = +[](int width, int height) {
            note("reshape " + std::to_string(width) + "x" + std::to_string(height));
        };
        w.mouse = +[](int button, int up, int x, int y) {
            note("mouse " + std::to_string(button) + (up ? " up " : " down ") + std::to_string(x) + "," +
                 std::to_string(y));
        };
        w.display = +[] {
            const int drawn = window_system().current();
            note("display " + std::to_string(drawn));
            swap(*state().window(drawn), [drawn] { ++believe.windows[drawn].shows; });
        };
        w.close = +[] { note("close"); };
    }
}

void windows_have_parts() {
    const bool first = comm::rank() == 0;
    // The first window is the wall, 210x80; the tiles are on the display as they are on the wall.
    CHECK((believe.windows[1].place == (first ? Rect{0, 0, 100, 80} : Rect{110, 0, 100, 80})));
    const gl::Part &whole = state().window(1)->surface.part;
    CHECK(whole.x == (first ? 0 : 110) && whole.width == 100 && whole.full_width == 210);
    // The child is 80..140 of the wall: 20 columns on the left tile, 30 on the right one.
    CHECK((believe.windows[2].place == (first ? Rect{80, 10, 20, 20} : Rect{0, 10, 30, 20})));
    CHECK(state().window(2)->surface.part.x == (first ? 0 : 30));
    CHECK(believe.windows[1].heard && believe.windows[2].heard && believe.windows[2].shown);
}

void first_tick_displays_all() {
    tick();
    CHECK(calls == "reshape 60x20; reshape 210x80; display 1; display 2; ");
    CHECK(state().frames.complete == 1); // both windows in one frame
    CHECK(believe.windows[1].shows == 1 && believe.windows[2].shows == 1);
}

/// What one rank's window system says, all programs hear, in coordinates of the whole window.
void input_comes_to_all() {
    if (comm::rank() == 1)
        believe.coming.push_back({Event::Kind::mouse, 0, 2, 5, 6, 0, 1, Event::down});
    std::string heard;
    for (int i = 0; i < 3; ++i) { // it is on its way to rank 0 for a tick or two
        tick();
        heard += calls;
    }
    CHECK(heard == "mouse 1 down 35,6; ");
    CHECK(believe.told == 1);
    CHECK(state().complete_frames() == 1);
}

void timers_go_by_ticks() {
    State &s = state();
    s.timers.push_back({s.elapsed_ms(program_clock_now()) + 150, s.tick, [] { note("timer"); }, 0});
    tick(); // each is a tenth of a second
    CHECK(calls.empty());
    tick();
    CHECK(calls == "timer; ");
}

/// One that is hidden is unmapped on all tiles, and is not displayed.
void hidden_windows_rest() {
    set_visible(*state().window(2), false);
    CHECK(!believe.windows[2].shown);
    state().window(1)->redisplay = state().window(2)->redisplay = true;
    tick();
    CHECK(calls == "display 1; ");
    move_window(*state().window(2), 0, 10); // all of it is on the left tile now
    set_visible(*state().window(2), true);
    CHECK(believe.windows[2].shown == (comm::rank() == 0));
}

void closing_ends_the_loop() {
    state().on_close = OnClose::leave_loop;
    tick();
    if (comm::rank() == 1)
        believe.coming.push_back({Event::Kind::close, 0, 1});
    calls.clear();
    run_main_loop();
    CHECK(calls == "close; close; "); // the child's first
    CHECK(believe.windows.empty() && state().windows.empty());
    end_session();
    CHECK(believe.opened == 1 && believe.closed == 1);
}

/// The library reads its options before main().
void become_a_rank() {
    RunOptions options;
    options.wall = pixmpi::format_wall(*pixmpi::read_wall("2x1@100x80+10").wall);
    options.clock = ClockMode::step;
    options.step_hz = 10;
    ::setenv(run_variable, to_json(options).c_str(), 1);
    ::execl("/proc/self/exe", "model_test", nullptr);
    std::perror("/proc/self/exe");
}

} // namespace
} // namespace mpiglut

__attribute__((visibility("default"))) int model_test();
int model_test() {
    using namespace mpiglut;
    if (!std::getenv(run_variable)) {
        become_a_rank();
        return 1;
    }
    ::unsetenv("DISPLAY");
    clock::run_ticks_here();
    join(believe);
    state().running = true;
    CHECK(state().screen_width == 210 && state().screen_height == 80);
    make_windows();
    windows_have_parts();
    first_tick_displays_all();
    input_comes_to_all();
    timers_go_by_ticks();
    hidden_windows_rest();
    closing_ends_the_loop();
    return failures != 0;
}

#endif
