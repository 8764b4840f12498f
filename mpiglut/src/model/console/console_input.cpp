// What comes from the operator's page on rank 0: clicks and keys become events of the windows that they belong to.
#include "model/console/console.h"

#include "base/state.h"
#include "clock/clock.h"
#include "clock/role.h"
#include "model/console/operator_menu.h"
#include "model/console/recording.h"
#include "run/dashboard.h"
#include "sync/comm.h"

namespace mpiglut::console {
namespace {

/// Where the operator's pointer is, on rank 0.
struct Pointer {
    int over = 0, held = 0; ///< windows: under it, and the one where a button went down
    unsigned buttons = 0;
    int x = 0, y = 0;
};
Pointer pointer;

/// The visible window at this point of the wall, the uppermost; 0 where there is none.
int window_at(const std::vector<int> &bottom_to_top, int x, int y) {
    State &s = state();
    for (auto id = bottom_to_top.rbegin(); id != bottom_to_top.rend(); ++id) {
        const Window *window = s.window(*id);
        if (!window || !window->visible || pixmpi::intersect(wall_rect(*window), {x, y, 1, 1}).empty())
            continue;
        const int child = window_at(window->children, x, y);
        return child ? child : *id;
    }
    return 0;
}

/// `top`: the window of the wall that the point is on, where each window has its own wall.
int find_window(int top, int x, int y) {
    State &s = state();
    if (pointer.held && s.window(pointer.held))
        return pointer.held;
    if (s.plan.from_window)
        return window_at({s.window(top) ? top : s.first}, x, y);
    return window_at(s.top_level, x, y);
}

void add(std::vector<Event> &events, Event event, Event::Kind kind, int window) {
    event.kind = kind;
    event.window = window;
    event.rank = comm::size(); // no tile's
    const Window *found = state().window(window);
    if (!found)
        return;
    const pixmpi::Rect place = wall_rect(*found);
    event.x -= place.x;
    event.y -= place.y;
    events.push_back(event);
}

void cross(std::vector<Event> &events, const Event &event, int to) {
    if (to == pointer.over)
        return;
    Event crossing = event;
    crossing.a = Event::left;
    add(events, crossing, Event::Kind::entry, pointer.over);
    crossing.a = Event::entered;
    add(events, crossing, Event::Kind::entry, to);
    pointer.over = to;
}

bool menu_consumes(std::vector<Event> &events, const Event &event, int id) {
    const Window *const window = state().window(id);
    if (event.kind != Event::Kind::mouse || !window)
        return operator_menu::is_open();
    const pixmpi::Rect place = wall_rect(*window);
    Event inside = event;
    inside.rank = comm::size();
    inside.x -= place.x;
    inside.y -= place.y;
    return operator_menu::press(events, *window, inside, event);
}

void handle_pointer(std::vector<Event> &events, const Event &event) {
    const int window = find_window(event.window, event.x, event.y);
    pointer.x = event.x;
    pointer.y = event.y;
    cross(events, event, window);
    if (menu_consumes(events, event, window))
        return;
    if (event.kind == Event::Kind::mouse) {
        const unsigned button = 1u << (event.a & 7);
        if (event.b != Event::down && !(pointer.buttons & button))
            return; // the page has kept its going down to itself
        if (event.b == Event::down && !pointer.buttons)
            pointer.held = window;
        pointer.buttons = event.b == Event::down ? pointer.buttons | button : pointer.buttons & ~button;
    }
    const bool moves = event.kind == Event::Kind::motion;
    add(events, event, moves && !pointer.buttons ? Event::Kind::passive : event.kind, window);
    if (!pointer.buttons)
        pointer.held = 0;
}

void handle_key(std::vector<Event> &events, Event event) {
    const int window = state().window(pointer.over) ? pointer.over : state().first;
    event.x = pointer.x;
    event.y = pointer.y;
    add(events, event, event.kind, window);
}

/// Rank 0: frames that come soon after each other are not all looked at. When the last of them has been there for a
/// while, the windows are displayed once more, as if something had lain over them, so that the operator sees it.
struct Rest {
    std::int64_t begins_ns = 0; ///< 0: all has been looked at
    std::uint64_t tick = 0;     ///< the last one that displays windows for this reason
};
Rest rest;

void display_at_rest(std::vector<Event> &events) {
    if (!rest.begins_ns || clock::real_monotonic_ns() < rest.begins_ns)
        return;
    rest = {0, state().tick + 1};
    for (const auto &[id, window] : state().windows)
        add(events, {}, Event::Kind::damage, id);
}

} // namespace

// All tiles look at a frame that comes two intervals after the one before. Who shows frames at a steady rate, however
// slow, is never at rest.
void write_frame(std::int64_t before, std::int64_t now) {
    const std::int64_t interval = live_interval();
    if (comm::rank() == 0 && role() == Role::ticks && state().tick != rest.tick)
        rest.begins_ns = interval > 0 && now - before < 2 * interval ? now + 5 * interval / 2 : 0;
}

void receive_input(std::vector<Event> &events) {
    Dashboard *const b = dashboard();
    Event event;
    while (b && b->input.pop(event)) {
        if (recording::handle(event))
            continue;
        switch (event.kind) {
        case Event::Kind::mouse:
        case Event::Kind::wheel:
        case Event::Kind::motion:
            handle_pointer(events, event);
            break;
        case Event::Kind::key:
        case Event::Kind::key_up:
        case Event::Kind::special:
        case Event::Kind::special_up:
            handle_key(events, event);
            break;
        case Event::Kind::entry:
            cross(events, event, 0);
            break; // the pointer has left the page's picture
        case Event::Kind::menu:
            event.rank = comm::size();
            operator_menu::choose(events, event);
            break;
        case Event::Kind::damage:
            for (const auto &[id, window] : state().windows)
                add(events, event, Event::Kind::damage, id);
            break;
        default:
            if (is_of_operator(event.kind))
                events.push_back(event);
        }
    }
    operator_menu::tell();
    display_at_rest(events);
}

} // namespace mpiglut::console
