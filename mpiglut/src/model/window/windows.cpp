// Making, moving and ending windows.
#include "model/window/windows.h"

#include "base/state.h"
#include "clock/clock.h"
#include "gl/context/parts.h"
#include "gl/present/over.h"
#include "gl/present/present.h"
#include "model/frame/sharing.h"
#include "model/frame/wall_capture.h"
#include "model/loop/end.h"
#include "model/window/behind.h"
#include "model/window/window_system.h"

#include <algorithm>
#include <utility>

namespace mpiglut {
namespace {

using pixmpi::Rect;

std::vector<int> &siblings(const Window &window) {
    State &s = state();
    return window.parent ? s.window(window.parent)->children : s.top_level;
}

// What every window needs once its real twin is there and has the current context.
int adopt(std::unique_ptr<Window> made) {
    State &s = state();
    Window &window = *made;
    window.surface.window = window.id;
    window.surface.double_buffered = window.double_buffered;
    window.status_by_rank.assign(s.wall.tiles.size(), Event::whole);
    window.moved = window.place.x != 0 || window.place.y != 0; // FreeGLUT tells of a place that is not the corner
    spare_children_the_driver();
    {
        const auto lock = lock_geometry();
        s.windows[window.id] = std::move(made);
        siblings(window).push_back(window.id);
        gl::post(window.surface);
    }
    window_system().listen(window);
    // The window is mapped by now; with its first exposure in the queue, the first turn of the loop takes it in, and
    // it does not count as damage later.
    window_system().settle();
    window_system().engage_swap_control(window);
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

// The place of a window where the program leaves it open: next to the others or below them, where there is room.
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

// Lays the wall over a top-level window. Questions of the program about "the wall" are answered by the first window's.
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
        const int before = window_system().current();
        window_system().make_current(id);
        close();
        if (s.window(before))
            window_system().make_current(before);
        if (!s.window(id))
            return;
    }
    if (id == s.game_mode_window)
        s.game_mode_window = 0;
    gl::drop_presenter(*window);
    gl::drop_over(*window);
    gl::detach(window->x_window);
    window_system().destroy(*window);
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

namespace {

/// A top-level window; all is known of it except what the window system makes.
int make_real(std::unique_ptr<Window> window, const char *title) {
    State &s = state();
    const bool first = window->id == s.first;
    cut_wall(*window);
    const Rect real = compute_part(*window);
    const Creating creating(*window);
    window_system().create(*window, title, real);
    if (first)
        s.first = window->id;
    return adopt(std::move(window));
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
    return make_real(std::move(window), title);
}

int create_placed(const Rect &place, bool visible) {
    State &s = state();
    stop_sharing();
    auto window = std::make_unique<Window>();
    window->placed = window->announced = true;
    window->redisplay = window->reshaped = window->fresh = false;
    window->place = place;
    window->visible = visible;
    if (!s.first) {
        s.first = window->id = -1;
        s.first_asked = place;
    }
    return make_real(std::move(window), "");
}

int create_child(int parent, int x, int y, int width, int height) {
    State &s = state();
    Window *above = s.window(parent);
    if (!above)
        return 0;
    stop_sharing();
    from_far_edge(x, width, above->place.width);
    from_far_edge(y, height, above->place.height);
    auto window = std::make_unique<Window>();
    window->parent = parent;
    window->place = {x, y, width, height};
    const Rect real = compute_part(*window);
    const Creating creating(*window);
    window_system().create(*window, {}, real);
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
    if (window.id == s.first && !window.placed && !s.plan.from_window)
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
    if (window.id == s.first && !window.placed && !s.plan.from_window)
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

void restack(Window &window, bool to_top) {
    std::vector<int> &order = siblings(window);
    std::erase(order, window.id);
    order.insert(to_top ? order.end() : order.begin(), window.id);
    note(Did::windows, window.id, to_top);
}

} // namespace mpiglut
