// Making, moving and ending windows.
#include "model/windows.h"

#include "base/export.h"
#include "base/real.h"
#include "base/state.h"
#include "clock/clock.h"
#include "clock/role.h"
#include "gl/over.h"
#include "gl/parts.h"
#include "gl/present.h"
#include "system/system/system/glut/backend.h"
#include "model/behind.h"
#include "model/end.h"
#include "model/frame.h"
#include "model/sharing.h"

#include <GL/freeglut.h>
#include <GL/glx.h>
#include <X11/Xlib.h>

#include <algorithm>
#include <utility>

namespace mpiglut {
namespace {

using pixmpi::Rect;

std::vector<int> &siblings(const Window &window) {
    State &s = state();
    return window.parent ? s.window(window.parent)->children : s.top_level;
}

// FreeGLUT's creation functions look at its initial size, position and display mode.
class InitialGeometry {
  public:
    InitialGeometry(int x, int y, int width, int height)
        : x_(REAL(glutGet)(GLUT_INIT_WINDOW_X)), y_(REAL(glutGet)(GLUT_INIT_WINDOW_Y)),
          width_(REAL(glutGet)(GLUT_INIT_WINDOW_WIDTH)), height_(REAL(glutGet)(GLUT_INIT_WINDOW_HEIGHT)) {
        REAL(glutInitWindowPosition)(x, y);
        REAL(glutInitWindowSize)(width, height);
    }
    ~InitialGeometry() {
        REAL(glutInitWindowPosition)(x_, y_);
        REAL(glutInitWindowSize)(width_, height_);
    }

  private:
    int x_, y_, width_, height_;
};

bool covers_display(const pixmpi::Tile &tile) {
    State &s = state();
    if (tile.mode != pixmpi::Mode::automatic)
        return tile.mode == pixmpi::Mode::fullscreen;
    return !s.options.headless && !s.plan.from_window &&
           tile.framebuffer_width() == REAL(glutGet)(GLUT_SCREEN_WIDTH) &&
           tile.framebuffer_height() == REAL(glutGet)(GLUT_SCREEN_HEIGHT);
}

void create_real_top_level(Window &window, const char *title, const Rect &real) {
    const InitialGeometry geometry(real.x, real.y, real.width, real.height);
    const bool borderless = covers_display(tile_of(window));
    const int mode = REAL(glutGet)(GLUT_INIT_DISPLAY_MODE);
    if (borderless)
        REAL(glutInitDisplayMode)(mode | GLUT_BORDERLESS);
    window.id = REAL(glutCreateWindow)(title);
    if (borderless)
        REAL(glutInitDisplayMode)(mode);
}

// What every window needs once its real twin is there. FreeGLUT has made its context current.
int adopt(std::unique_ptr<Window> made) {
    State &s = state();
    Window &window = *made;
    window.double_buffered = REAL(glutGet)(GLUT_WINDOW_DOUBLEBUFFER) != 0;
    if (REAL(glutGet)(GLUT_INIT_DISPLAY_MODE) & GLUT_ACCUM)
        has_accumulation_buffer();
    window.surface.window = window.id;
    window.surface.double_buffered = window.double_buffered;
    window.status_by_rank.assign(s.wall.tiles.size(), GLUT_FULLY_RETAINED);
    window.moved = window.place.x != 0 || window.place.y != 0; // FreeGLUT tells of a place that is not the corner
    s.display = glXGetCurrentDisplay();
    spare_children_the_driver();
    {
        const auto lock = lock_geometry();
        s.windows[window.id] = std::move(made);
        siblings(window).push_back(window.id);
        gl::post(window.surface);
    }
    listen(window);
    // The window is mapped by now; with its first exposure in the queue, the first turn of the loop takes it in, and
    // it does not count as damage later.
    XSync(s.display, False);
    engage_swap_control(window);
    place_with_others(window); // what does not show here is unmapped
    if (draws_behind())
        draw_behind(window);
    note(Did::windows, window.id, window.place.width, window.place.height);
    return window.id;
}

// FreeGLUT counts a negative position from the far edge and takes a negative size off what is left.
void from_far_edge(int &at, int &size, int parent_size) {
    if (at < 0)
        at += parent_size - std::max(size, 0);
    if (size < 0)
        size += parent_size - at;
    if (size < 0) {
        at += size;
        size = -size;
    }
    size = std::max(size, 1);
}

// Where a window goes whose place the program leaves open: beside the others or below them, where there is room.
void free_place(int width, int height, int &x, int &y) {
    State &s = state();
    x = s.first_asked.x;
    y = s.first_asked.y;
    int right = 0, bottom = 0;
    for (int id : s.top_level) {
        right = std::max(right, s.window(id)->place.right());
        bottom = std::max(bottom, s.window(id)->place.bottom());
    }
    if (right + width <= s.screen_width)
        x = right;
    else if (bottom + height <= s.screen_height)
        y = bottom;
}

// Lays the wall over a top-level window. What the program asks of "the wall" is the first window's.
void cut_wall(Window &window) {
    State &s = state();
    if (window.parent)
        return;
    stop_sharing();
    s.sharing.partition.reset();
    s.sharing.policy.reset();
    const auto lock = lock_geometry();
    window.wall = s.plan.cut(window.place.width, window.place.height);
    if (window.id == s.first)
        s.wall = window.wall;
}

struct Creating {
    explicit Creating(Window &window) { state().creating = &window; }
    ~Creating() { state().creating = nullptr; }
};

void destroy_model(int id) {
    State &s = state();
    // A close callback may run the main loop, and with that destroy any of these.
    Window *window = s.window(id);
    for (; window && !window->children.empty(); window = s.window(id))
        destroy_model(window->children.back());
    if (!window)
        return;
    stop_sharing();
    const bool top_level = !window->parent;
    if (const Callback<> close = std::exchange(window->close, {})) {
        const int before = REAL(glutGetWindow)();
        REAL(glutSetWindow)(id);
        close();
        if (s.window(before))
            REAL(glutSetWindow)(before);
        if (!s.window(id))
            return;
    }
    if (id == s.game_mode_window)
        s.game_mode_window = 0;
    gl::drop_presenter(*window);
    gl::drop_over(*window);
    gl::detach(window->x_window);
    REAL(glutDestroyWindow)(id);
    {
        const auto lock = lock_geometry();
        std::erase(siblings(*window), id);
        gl::forget(window->surface);
        s.windows.erase(id);
    }
    if (id == s.first)
        s.first = 0; // the next window that is made is the wall; what is left keeps its place
    if (top_level && !s.top_level.empty())
        place_with_others(*s.window(s.top_level.front()));
    note(Did::windows, id, 0xdead);
}

} // namespace

int create_top_level(const char *title, int x, int y, int width, int height, bool full_screen) {
    State &s = state();
    stop_sharing();
    auto window = std::make_unique<Window>();
    const bool first = !s.first;
    if (x < 0 || y < 0)
        free_place(width, height, x, y);
    if (first)
        s.first_asked = {x, y, width, height};
    window->place = {x, y, width, height};
    window->full_screen = full_screen;
    if (full_screen || (first && !s.plan.from_window))
        window->place = {0, 0, s.screen_width, s.screen_height};
    if (first)
        s.first = window->id = -1; // stands for the window that has no number yet
    cut_wall(*window);
    const Rect real = compute_part(*window);
    const Creating creating(*window);
    create_real_top_level(*window, title, real);
    if (first)
        s.first = window->id;
    return adopt(std::move(window));
}

int create_child(int parent, int x, int y, int width, int height) {
    State &s = state();
    Window *above = s.window(parent);
    if (!above)
        return REAL(glutCreateSubWindow)(parent, x, y, width, height); // FreeGLUT's own word on a wrong number
    stop_sharing();
    from_far_edge(x, width, above->place.width);
    from_far_edge(y, height, above->place.height);
    auto window = std::make_unique<Window>();
    window->parent = parent;
    window->place = {x, y, width, height};
    const Rect real = compute_part(*window);
    const Creating creating(*window);
    // FreeGLUT would read a negative place from the far edge; what does not show here is unmapped anyway.
    window->id = REAL(glutCreateSubWindow)(parent, std::max(0, real.x), std::max(0, real.y), real.width, real.height);
    return adopt(std::move(window));
}

void destroy_window(int id) {
    State &s = state();
    // FreeGLUT does no more for such a window than to say that it is closed.
    if (Window *window = s.window(id)) {
        Callbacks last;
        last.close = window->close;
        static_cast<Callbacks &>(*window) = last;
        window->announced = true;
        window->redisplay = window->reshaped = window->moved = window->reshape_wanted = window->fresh = false;
    }
    if (std::find(s.to_destroy.begin(), s.to_destroy.end(), id) == s.to_destroy.end())
        s.to_destroy.push_back(id);
}

void destroy_marked_windows() {
    State &s = state();
    keep_last_pictures();
    while (!s.to_destroy.empty()) {
        const int id = s.to_destroy.front();
        s.to_destroy.erase(s.to_destroy.begin());
        destroy_model(id);
    }
}

void resize_window(Window &window, int width, int height) {
    State &s = state();
    if (width <= 0 || height <= 0)
        return;
    if (window.id == s.first && !s.plan.from_window)
        return; // the wall has its size
    const bool changed = width != window.place.width || height != window.place.height;
    window.place.width = width;
    window.place.height = height;
    if (!changed)
        return;
    cut_wall(window);
    place_with_others(window);
    window.reshaped = window.redisplay = true;
    note(Did::windows, window.id, width, height);
}

void move_window(Window &window, int x, int y) {
    State &s = state();
    if (window.id == s.first && !s.plan.from_window)
        return;
    if (window.place.x == x && window.place.y == y)
        return;
    window.place.x = x;
    window.place.y = y;
    window.moved = true;
    place_with_others(window);
    note(Did::windows, window.id, x, y);
}

void set_visible(Window &window, bool visible) {
    window.visible = visible;
    window.redisplay = visible;
    place(window);
    move_real(window);
    note(Did::windows, window.id, visible);
}

void set_full_screen(Window &window, bool full) {
    State &s = state();
    if (window.parent || full == window.full_screen)
        return;
    window.full_screen = full;
    if (full)
        window.before_full_screen = window.place;
    const Rect to = full ? Rect{0, 0, s.screen_width, s.screen_height} : window.before_full_screen;
    move_window(window, to.x, to.y);
    window.reshape_wanted = true;
    window.wanted_width = to.width;
    window.wanted_height = to.height;
}

namespace {

void restack(Window &window, bool to_top) {
    std::vector<int> &order = siblings(window);
    std::erase(order, window.id);
    order.insert(to_top ? order.end() : order.begin(), window.id);
    note(Did::windows, window.id, to_top);
}

} // namespace
} // namespace mpiglut

using namespace mpiglut;

MPIGLUT_EXPORT int glutCreateWindow(const char *title) {
    if (active() && state().windows.empty() && role() == Role::other)
        clock::run_ticks_here(); // glutInit alone may have been called in another thread
    if (!glut_active())
        return REAL(glutCreateWindow)(title);
    return create_top_level(title, REAL(glutGet)(GLUT_INIT_WINDOW_X), REAL(glutGet)(GLUT_INIT_WINDOW_Y),
                            REAL(glutGet)(GLUT_INIT_WINDOW_WIDTH), REAL(glutGet)(GLUT_INIT_WINDOW_HEIGHT), false);
}

MPIGLUT_EXPORT int glutCreateSubWindow(int parent, int x, int y, int width, int height) {
    return glut_active() ? create_child(parent, x, y, width, height)
                    : REAL(glutCreateSubWindow)(parent, x, y, width, height);
}

MPIGLUT_EXPORT void glutDestroyWindow(int id) {
    if (glut_active() && state().window(id))
        destroy_window(id);
    else
        REAL(glutDestroyWindow)(id);
}

// The current window of a running wall, or null when the call has to go to FreeGLUT (which then complains).
static mpiglut::Window *target(const char *call = __builtin_FUNCTION()) {
    return glut_active(call) ? state().current() : nullptr;
}

MPIGLUT_EXPORT void glutReshapeWindow(int width, int height) {
    mpiglut::Window *window = target();
    if (!window)
        return REAL(glutReshapeWindow)(width, height);
    if (window->full_screen)
        set_full_screen(*window, false);
    window->reshape_wanted = true;
    window->wanted_width = width;
    window->wanted_height = height;
}

MPIGLUT_EXPORT void glutPositionWindow(int x, int y) {
    mpiglut::Window *window = target();
    if (!window)
        return REAL(glutPositionWindow)(x, y);
    if (window->full_screen)
        set_full_screen(*window, false);
    move_window(*window, x, y);
}

MPIGLUT_EXPORT void glutShowWindow(void) {
    mpiglut::Window *window = target();
    window ? set_visible(*window, true) : REAL(glutShowWindow)();
}

MPIGLUT_EXPORT void glutHideWindow(void) {
    mpiglut::Window *window = target();
    window ? set_visible(*window, false) : REAL(glutHideWindow)();
}

MPIGLUT_EXPORT void glutPushWindow(void) {
    if (mpiglut::Window *window = target())
        restack(*window, false);
    REAL(glutPushWindow)();
}

MPIGLUT_EXPORT void glutPopWindow(void) {
    if (mpiglut::Window *window = target())
        restack(*window, true);
    REAL(glutPopWindow)();
}

MPIGLUT_EXPORT void glutFullScreen(void) {
    mpiglut::Window *window = target();
    window && !window->parent ? set_full_screen(*window, true) : REAL(glutFullScreen)();
}

MPIGLUT_EXPORT void glutLeaveFullScreen(void) {
    mpiglut::Window *window = target();
    window ? set_full_screen(*window, false) : REAL(glutLeaveFullScreen)();
}

MPIGLUT_EXPORT void glutFullScreenToggle(void) {
    mpiglut::Window *window = target();
    window ? set_full_screen(*window, !window->full_screen) : REAL(glutFullScreenToggle)();
}

/// Another thread's redisplay after the end of the run: FreeGLUT is gone, and ends a program that calls it then.
static bool comes_too_late() { return role() != Role::ticks && state().launched; }

MPIGLUT_EXPORT void glutPostWindowRedisplay(int id) {
    if (!active())
        return comes_too_late() ? void() : REAL(glutPostWindowRedisplay)(id);
    if (role() != Role::ticks)
        return send_redisplay(id);
    if (mpiglut::Window *window = state().window(id)) {
        window->redisplay = true;
        note(Did::redisplays, id);
    }
}

MPIGLUT_EXPORT void glutPostRedisplay(void) {
    if (!active())
        return comes_too_late() ? void() : REAL(glutPostRedisplay)();
    glutPostWindowRedisplay(REAL(glutGetWindow)());
}
