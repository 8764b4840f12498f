#include "model/loop/dispatch.h"

#include "base/state.h"
#include "clock/clock.h"
#include "model/console/console.h"
#include "model/frame/frame.h"
#include "model/window/behind.h"
#include "model/window/window_system.h"
#include "model/window/windows.h"

#include <GL/gl.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace mpiglut {
namespace {

using Kind = Event::Kind;

// A callback may end the window that it is called for, if it runs the main loop from within: who goes on after a call
// looks the window up again.
template <class... Args> void call(Window &window, Kind kind, const Callback<Args...> &callback, Args... args) {
    if (!callback)
        return;
    note(Did::callbacks, window.id, static_cast<int>(kind), args...);
    window_system().make_current(window.id);
    // A copy: the callback may register another, or destroy its window.
    const Callback<Args...> copy = callback;
    copy(args...);
}

// A window is as visible as its most visible part.
void report_status(Window &window) {
    const int best = *std::min_element(window.status_by_rank.begin(), window.status_by_rank.end(), [](int a, int b) {
        auto order = [](int status) { return status == Event::hidden ? Event::covered + 1 : status; };
        return order(a) < order(b);
    });
    if (best == window.status)
        return;
    window.status = best;
    const bool visible = best == Event::whole || best == Event::partial;
    if (window.window_status)
        call(window, Kind::visibility, window.window_status, best);
    else
        call(window, Kind::visibility, window.visibility, visible ? 1 : 0);
}

void wheel(Window &window, const Event &event) {
    if (window.wheel)
        return call(window, event.kind, window.wheel, event.a, event.b, event.x, event.y);
    // Without a wheel callback FreeGLUT reports the buttons that X makes of the wheel.
    const int button = event.b > 0 ? 3 : 4;
    call(window, Kind::mouse, window.mouse, button, static_cast<int>(Event::down), event.x, event.y);
    if (state().window(event.window))
        call(window, Kind::mouse, window.mouse, button, static_cast<int>(Event::up), event.x, event.y);
}

void menu_chosen(Window &window, const Event &event) {
    Menus &menus = state().menus;
    auto found = menus.callbacks.find(event.b);
    if (found == menus.callbacks.end())
        return;
    const int before = menus.current;
    window_system().make_menu_current(event.b);
    call(window, event.kind, found->second, event.a);
    menus.current = before;
    if (before)
        window_system().make_menu_current(before);
}

void menu_status(Window &window, const Event &event) {
    call(window, event.kind, state().menu_state, event.a);
    if (state().window(event.window))
        call(window, event.kind, state().menu_status, event.a, event.x, event.y);
}

// Somebody has pulled at a tile's window, on a wall that is cut from the program's: the whole follows in proportion.
void resize_wall(Window &window, const Event &event) {
    const pixmpi::Wall &wall = wall_of(window);
    if (window.parent || !wall.from_window || static_cast<std::size_t>(event.rank) >= wall.tiles.size())
        return;
    const pixmpi::Tile &tile = wall.tiles[event.rank];
    const bool turned = tile.rotation % 180 != 0;
    const int width = turned ? event.b : event.a, height = turned ? event.a : event.b;
    resize_window(window, wall.width + (width - tile.rect.width) * wall.columns,
                  wall.height + (height - tile.rect.height) * wall.rows);
}

void close_window(Window &window) {
    State &s = state();
    const bool top_level = !window.parent;
    destroy_window(window.id);
    destroy_marked_windows();
    if (!top_level)
        return;
    if (s.on_close == OnClose::exit)
        std::exit(0);
    if (s.on_close == OnClose::leave_loop)
        s.leave = true;
}

void reshape(Window &window) {
    const int width = window.place.width, height = window.place.height;
    if (window.reshape)
        return call(window, Kind::damage, window.reshape, width, height);
    if (window.placed)
        return;
    window_system().make_current(window.id);
    ::glViewport(0, 0, width, height); // FreeGLUT's default; the interposed one, which shifts it
}

void report_geometry(int id) {
    Window *window = state().window(id);
    if (window && std::exchange(window->moved, false))
        call(*window, Kind::damage, window->position, window->place.x, window->place.y);
    window = state().window(id);
    if (window && std::exchange(window->reshaped, false))
        reshape(*window);
}

void display_if_due(Window &window) {
    if (!window.redisplay || !window.visible)
        return;
    window.redisplay = false;
    if (!window.display)
        return;
    window.drawn = true;
    window_system().make_current(window.id);
    begin_display(window);
    const int id = window.id;
    call(window, Kind::damage, window.display);
    if (Window *still = state().window(id))
        end_display(*still);
}

/// Each window, before the ones in it. A callback of one may end any of them.
void walk(const std::vector<int> &ids, void (*what)(Window &)) {
    for (const int id : std::vector<int>(ids)) {
        if (Window *window = state().window(id))
            what(*window);
        if (const Window *window = state().window(id))
            walk(window->children, what);
    }
}

void display(Window &window) {
    const State &s = state();
    const int id = window.id;
    if (!std::exchange(window.announced, true)) {
        call(window, Kind::damage, window.init_context);
        if (!state().window(id))
            return;
        // One that game mode covers may wait for its callback.
        if (!window.display && (!s.game_mode_window || id == s.game_mode_window))
            fail("no display callback registered for window " + std::to_string(id) + " before glutMainLoop");
    }
    display_if_due(window);
}

void resize_if_wanted(Window &window) {
    if (std::exchange(window.reshape_wanted, false))
        resize_window(window, window.wanted_width, window.wanted_height);
}

/// The sizes and places that windows were made with, in FreeGLUT's order: it puts what it says of a new window in front
/// of all that the X server has said.
void report_new_windows() {
    State &s = state();
    std::vector<int> fresh;
    for (const auto &[id, window] : s.windows)
        if (std::exchange(window->fresh, false))
            fresh.push_back(id);
    std::for_each(fresh.rbegin(), fresh.rend(), report_geometry);
}

void dispatch(const Event &event) {
    State &s = state();
    if (console::dispatch(event))
        return;
    Window *window = s.window(event.window);
    if (event.window && !window)
        return;
    window_system().tells(event); // also of what is below the windows
    if (!window)
        return;
    const int before = std::exchange(s.modifiers, event.modifiers);
    switch (event.kind) {
    case Kind::key:
        call(*window, event.kind, window->keyboard, static_cast<unsigned char>(event.a), event.x, event.y);
        break;
    case Kind::key_up:
        call(*window, event.kind, window->keyboard_up, static_cast<unsigned char>(event.a), event.x, event.y);
        break;
    case Kind::special:
        call(*window, event.kind, window->special, event.a, event.x, event.y);
        break;
    case Kind::special_up:
        call(*window, event.kind, window->special_up, event.a, event.x, event.y);
        break;
    case Kind::mouse:
        call(*window, event.kind, window->mouse, event.a, event.b, event.x, event.y);
        break;
    case Kind::wheel:
        wheel(*window, event);
        break;
    case Kind::motion:
        call(*window, event.kind, window->motion, event.x, event.y);
        break;
    case Kind::passive:
        call(*window, event.kind, window->passive, event.x, event.y);
        break;
    case Kind::entry:
        call(*window, event.kind, window->entry, event.a);
        break;
    case Kind::visibility:
        if (event.rank >= 0 && static_cast<std::size_t>(event.rank) < window->status_by_rank.size()) {
            window->status_by_rank[event.rank] = event.a;
            report_geometry(event.window); // before a window is seen it has its size
            if (s.window(event.window))
                report_status(*window);
        }
        break;
    case Kind::menu:
        menu_chosen(*window, event);
        break;
    case Kind::menu_status:
        menu_status(*window, event);
        break;
    case Kind::joystick:
        call(*window, event.kind, window->joystick, static_cast<unsigned>(event.a), event.x, event.y, event.z);
        break;
    case Kind::spaceball_motion:
        call(*window, event.kind, window->spaceball_motion, event.x, event.y, event.z);
        break;
    case Kind::spaceball_rotate:
        call(*window, event.kind, window->spaceball_rotate, event.x, event.y, event.z);
        break;
    case Kind::spaceball_button:
        call(*window, event.kind, window->spaceball_button, event.a, event.b);
        break;
    case Kind::dials:
        call(*window, event.kind, window->dials, event.a, event.b);
        break;
    case Kind::button_box:
        call(*window, event.kind, window->button_box, event.a, event.b);
        break;
    case Kind::resize:
        resize_wall(*window, event);
        break;
    case Kind::close:
        close_window(*window);
        break;
    case Kind::damage:
    case Kind::redisplay:
        window->redisplay = true;
        break;
    case Kind::show:
    case Kind::still:
    case Kind::quit:
    case Kind::place:
    case Kind::correct:
    case Kind::record:
    case Kind::replay:
    case Kind::count:
        break;
    }
    s.modifiers = before;
}

} // namespace

void dispatch(const std::vector<Event> &events) {
    report_new_windows();
    for (const Event &event : events)
        dispatch(event);
}

// One step for all windows after the other: programs keep the size that they were told last for all of their windows.
void process_windows() {
    const State &s = state();
    report_new_windows();
    walk(s.top_level, resize_if_wanted);
    walk(s.top_level, [](Window &window) { report_geometry(window.id); });
    draw_evenly_if_needed();
    walk(s.top_level, display);
}

bool windows_pending() {
    State &s = state();
    return !s.to_destroy.empty() || std::any_of(s.windows.begin(), s.windows.end(), [](auto &entry) {
        const Window &w = *entry.second;
        return !w.announced || w.reshape_wanted || w.moved || w.reshaped || (w.redisplay && w.visible);
    });
}

} // namespace mpiglut
