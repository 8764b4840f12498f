#include "model/window/window.h"

#include "base/state.h"
#include "gl/context/parts.h"
#include "gl/present/present.h"
#include "model/window/behind.h"
#include "model/window/window_system.h"
#include "sync/comm.h"

#include <algorithm>

namespace mpiglut {

using pixmpi::Rect;

namespace {

bool is_first(const Window &window) { return window.id == state().first; }

// A tile's rectangle, relative to the tile, as its framebuffer has it.
Rect to_framebuffer(const pixmpi::Tile &tile, const Rect &r) {
    int x0, y0, x1, y1;
    pixmpi::to_framebuffer(tile, r.x, r.y, x0, y0);
    pixmpi::to_framebuffer(tile, r.right() - 1, r.bottom() - 1, x1, y1);
    return {std::min(x0, x1), std::min(y0, y1), std::abs(x1 - x0) + 1, std::abs(y1 - y0) + 1};
}

// What a top-level window's place counts from: the first window's, which is the wall itself where that has a size; else
// the corner around all of them, so that a single window lies in the corner of each display.
Rect places_begin(const Window &window) {
    State &s = state();
    if (!s.plan.from_window)
        return s.first_asked;
    Rect corner = window.place;
    for (int id : s.top_level) {
        corner.x = std::min(corner.x, s.window(id)->place.x);
        corner.y = std::min(corner.y, s.window(id)->place.y);
    }
    return corner;
}

// The place of a top-level window among its neighbours. As a window manager would: a window outside of `bounds`
// altogether comes inside.
Rect outer_place(const Window &window, const Rect &bounds) {
    const Rect begin = places_begin(window);
    Rect rect = window.place;
    rect.x -= begin.x;
    rect.y -= begin.y;
    if (pixmpi::intersect(rect, bounds).empty()) {
        rect.x = std::clamp(rect.x, 0, std::max(0, bounds.width - rect.width));
        rect.y = std::clamp(rect.y, 0, std::max(0, bounds.height - rect.height));
    }
    return rect;
}

// Where the framebuffer of this rank's tile starts on its display.
Rect screen_place(const pixmpi::Wall &wall) {
    const State &s = state();
    const pixmpi::Tile &tile = wall.tiles[comm::rank()];
    std::vector<pixmpi::Tile> neighbours; // on the same display
    std::size_t index = 0;
    for (const pixmpi::Tile &other : wall.tiles)
        if (s.displays.empty() || s.displays[other.rank] == s.displays[tile.rank]) {
            if (other.rank == tile.rank)
                index = neighbours.size();
            neighbours.push_back(other);
        }
    Rect size;
    Rect at = pixmpi::arrange_on_screen(neighbours, size)[index];
    if (tile.screen_x)
        at.x = *tile.screen_x;
    if (tile.screen_y)
        at.y = *tile.screen_y;
    return at;
}

Rect screen_place(const Window &window) {
    const State &s = state();
    Rect at = screen_place(wall_of(window));
    if (s.plan.from_window) {
        const Rect beside = outer_place(window, {0, 0, s.screen_width, s.screen_height});
        at.x += beside.x;
        at.y += beside.y;
    }
    return at;
}

Rect real_place(const Window &window) {
    Rect to = window.on_screen;
    if (window.parent) {
        const Rect &parent = state().window(window.parent)->on_screen;
        to.x -= parent.x;
        to.y -= parent.y;
    } else {
        const Rect tile = screen_place(window);
        to.x += tile.x;
        to.y += tile.y;
    }
    return to;
}

void resize_drawable(Window &window) {
    with_current(window, [&window] { gl::resize_drawable(window); });
}

// What a tile renders, of whatever lies there.
Rect rendered_by(const pixmpi::Tile &tile, const Window &window) {
    if (window.shared)
        return state().sharing.rects[tile.rank];
    if (window.whole_on == tile.rank)
        return wall_rect(window);
    return window.behind ? pixmpi::unite(tile.rect, tile.share) : tile.rect;
}

gl::Part part_of(const Rect &whole, const Rect &clip) {
    return {clip.x - whole.x, whole.bottom() - clip.bottom(), clip.width, clip.height, whole.width, whole.height};
}

} // namespace

std::unique_lock<std::recursive_mutex> lock_geometry() {
    static auto *const mutex = new std::recursive_mutex; // threads may still draw while static objects are destroyed
    std::unique_lock lock(*mutex);
    if (comm::ended_by_another()) { // which had this lock when it began to: this is no inner one
        lock.unlock();
        comm::stay_if_over();
    }
    return lock;
}

Window *window_of(unsigned long x_window) {
    const auto lock = lock_geometry();
    for (auto &[id, window] : state().windows)
        if (window->x_window == x_window)
            return window.get();
    return nullptr;
}

const pixmpi::Wall &wall_of(const Window &window) {
    return window.parent ? wall_of(*state().window(window.parent)) : window.wall;
}

const pixmpi::Tile &tile_of(const Window &window) { return wall_of(window).tiles[comm::rank()]; }

Rect wall_rect(const Window &window) {
    if (window.parent) {
        const Rect parent = wall_rect(*state().window(window.parent));
        return {parent.x + window.place.x, parent.y + window.place.y, window.place.width, window.place.height};
    }
    if (window.placed && !window.wall.from_window)
        return window.place;
    if (is_first(window) || window.wall.from_window || window.full_screen)
        return {0, 0, window.wall.width, window.wall.height};
    return outer_place(window, {0, 0, window.wall.width, window.wall.height});
}

Rect clip_rect(const Window &window) {
    const Rect rect = wall_rect(window);
    return window.parent ? pixmpi::intersect(rect, clip_rect(*state().window(window.parent))) : rect;
}

Rect tile_on_display() {
    const pixmpi::Wall &wall = state().plan;
    const pixmpi::Tile &tile = wall.tiles[comm::rank()];
    const Rect at = screen_place(wall);
    return {at.x, at.y, tile.framebuffer_width(), tile.framebuffer_height()};
}

Rect on_real(const Window &window, const Rect &rect) {
    const pixmpi::Tile &tile = tile_of(window);
    Rect here = pixmpi::intersect(rect, window.clip);
    if (here.empty())
        return {};
    here.x -= tile.rect.x;
    here.y -= tile.rect.y;
    here = to_framebuffer(tile, here);
    return {here.x - window.on_screen.x, here.y - window.on_screen.y, here.width, here.height};
}

void stay_on_screen(pixmpi::Wall &wall) {
    const Rect at = screen_place(state().plan);
    wall.tiles[comm::rank()].screen_x = at.x;
    wall.tiles[comm::rank()].screen_y = at.y;
}

Rect compute_part(Window &window) {
    const pixmpi::Wall &wall = wall_of(window);
    const pixmpi::Tile &tile = tile_of(window);
    const Rect whole = wall_rect(window), clipped = clip_rect(window);
    gl::Surface &surface = window.surface;
    surface.parts.assign(wall.tiles.size(), {});
    window.shown_by.assign(wall.tiles.size(), {});
    window.rendered_by.assign(wall.tiles.size(), {});
    for (const pixmpi::Tile &any : wall.tiles) {
        window.shown_by[any.rank] = pixmpi::intersect(clipped, any.rect);
        const Rect here = pixmpi::intersect(clipped, rendered_by(any, window));
        window.rendered_by[any.rank] = window.even && !window.shared ? begun_evenly(here, whole) : here;
        if (!here.empty())
            surface.parts[any.rank] = part_of(whole, here);
    }
    window.clip = window.shown_by[tile.rank];
    window.rendered = window.rendered_by[tile.rank];
    // There has to be a context, if only for a pixel beyond the window's corner.
    surface.part = window.rendered.empty() ? gl::Part{whole.width, whole.height, 1, 1, whole.width, whole.height}
                                           : part_of(whole, window.rendered);
    if (window.clip.empty()) {
        window.on_screen = {-2, -2, 1, 1};
    } else {
        Rect relative = window.clip;
        relative.x -= tile.rect.x;
        relative.y -= tile.rect.y;
        window.on_screen = to_framebuffer(tile, relative);
    }
    return real_place(window);
}

void move_real(Window &window) {
    window.real = real_place(window);
    window_system().move(window, window.real, window.visible && !window.clip.empty());
}

void place(Window &window) {
    const auto lock = lock_geometry();
    const gl::Part before = window.surface.part;
    const Rect screen_before = window.on_screen;
    if (compute_part(window) != window.real)
        move_real(window);
    gl::post(window.surface);
    if (screen_before != window.on_screen || before != window.surface.part) {
        if (!window.beside)
            resize_drawable(window);
        gl::moved(&window.surface);
    }
    for (int child : window.children)
        place(*state().window(child));
}

void place_with_others(Window &window) {
    if (window.parent)
        return place(window);
    for (int id : state().top_level)
        place(*state().window(id));
}

void to_whole(const Window &window, int &x, int &y) {
    const pixmpi::Tile &tile = tile_of(window);
    const Rect whole = wall_rect(window);
    int wx, wy;
    pixmpi::from_framebuffer(tile, x + window.on_screen.x, y + window.on_screen.y, wx, wy);
    x = wx + tile.rect.x - whole.x;
    y = wy + tile.rect.y - whole.y;
}

bool to_real(const Window &window, int &x, int &y) {
    const pixmpi::Tile &tile = tile_of(window);
    const Rect whole = wall_rect(window);
    const Rect point{x + whole.x, y + whole.y, 1, 1};
    int fx, fy;
    pixmpi::to_framebuffer(tile, point.x - tile.rect.x, point.y - tile.rect.y, fx, fy);
    x = fx - window.on_screen.x;
    y = fy - window.on_screen.y;
    return !pixmpi::intersect(point, window.clip).empty();
}

} // namespace mpiglut
