#include "model/window/pointer.h"

#include "base/state.h"
#include "model/window/window_system.h"
#include "sync/comm.h"

#include <algorithm>
#include <iterator>

namespace mpiglut {
namespace {

// By then the other tile's ENTERED has come: every rank looks at its window system between two ticks, sends what it
// found, and says that it is done with the next. Rank 0 waits for that before it collects input for the one after.
constexpr std::uint64_t ticks_to_wait = 3;

// A tile of this rank's display shows the point.
bool on_own_display(const Window &window, int x, int y) {
    const State &s = state();
    const pixmpi::Rect whole = wall_rect(window);
    const pixmpi::Rect point = pixmpi::intersect({x + whole.x, y + whole.y, 1, 1}, clip_rect(window));
    for (const pixmpi::Tile &tile : wall_of(window).tiles)
        if (s.displays[tile.rank] == s.displays[comm::rank()] && !pixmpi::intersect(point, tile.rect).empty())
            return true;
    return false;
}

} // namespace

void Crossings::report_left(Over &over, std::vector<Event> &input) {
    input.push_back(over.left->event);
    over.left.reset();
    over.entered = false;
}

void Crossings::handle(const Event &event, std::vector<Event> &input) {
    const State &s = state();
    if (event.kind != Event::Kind::entry || static_cast<std::size_t>(event.rank) >= s.displays.size())
        return input.push_back(event);
    Over &over = windows_[event.window];
    const std::string &display = s.displays[event.rank];
    if (event.a == Event::entered) {
        // From one window of a tile to another the pointer leaves before it comes.
        for (auto &[id, other] : windows_)
            if (id != event.window && other.left && other.left->event.rank == event.rank)
                report_left(other, input);
        over.on[display] = event.rank;
        over.left.reset();
        if (!over.entered)
            input.push_back(event);
        over.entered = true;
    } else if (auto on = over.on.find(display); on != over.on.end() && on->second == event.rank) {
        over.on.erase(on);
        if (over.entered && over.on.empty())
            over.left = Left{event, s.tick};
    }
}

void Crossings::release(std::vector<Event> &input) {
    const State &s = state();
    for (auto &[id, over] : windows_)
        if (over.left && s.tick >= over.left->tick + ticks_to_wait)
            report_left(over, input);
}

bool Crossings::waiting() const {
    return std::any_of(windows_.begin(), windows_.end(), [](const auto &one) { return one.second.left.has_value(); });
}

void Crossings::forget(const std::vector<std::int32_t> &ranks) {
    for (auto &[window, over] : windows_)
        for (auto on = over.on.begin(); on != over.on.end();) {
            const auto [display, rank] = *on;
            const bool gone = std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
            on = gone ? over.on.erase(on) : std::next(on);
            if (!gone || !over.entered || !over.on.empty())
                continue;
            Event left{Event::Kind::entry, rank, window};
            left.a = Event::left;
            over.left = Left{left, state().tick};
        }
}

void follow_warps(int &x, int &y) {
    x += state().warped_x;
    y += state().warped_y;
}

bool leaves(const Window &window) {
    const WindowSystem::Pointer pointer = window_system().pointer_in(window);
    int x = pointer.x, y = pointer.y;
    to_whole(window, x, y);
    const pixmpi::Rect whole{0, 0, window.place.width, window.place.height};
    const bool inside = !pixmpi::intersect({x, y, 1, 1}, whole).empty();
    if (pointer.held && inside)
        return false; // it is dragged on to another tile
    if (!pointer.here)
        state().warped_x = state().warped_y = 0;
    return true;
}

bool warp_here(const Window &window, int &x, int &y) {
    State &s = state();
    s.warped_x = s.warped_y = 0;
    if (comm::catching_up())
        return false; // that was long ago
    int real_x = x, real_y = y;
    const bool goes_there = to_real(window, real_x, real_y);
    if (!goes_there && (on_own_display(window, x, y) || !window_system().pointer_in(window).here))
        return false;
    if (!goes_there) {
        // Motion is relative from then on: the real pointer goes to where it has room on all sides, and is reported as
        // if it were where the program wants it.
        int middle_x = real_x = window.on_screen.width / 2, middle_y = real_y = window.on_screen.height / 2;
        to_whole(window, middle_x, middle_y);
        s.warped_x = x - middle_x;
        s.warped_y = y - middle_y;
    }
    x = real_x;
    y = real_y;
    return true;
}

} // namespace mpiglut
