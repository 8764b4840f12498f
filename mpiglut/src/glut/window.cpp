#include "glut/window.h"

#include "base/real.h"
#include "base/state.h"
#include "gl/present.h"
#include "sync/comm.h"

#include <GL/freeglut.h>
#include <GL/glx.h>
#include <X11/Xlib.h>

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

gl::Part part_of(const Rect &whole, const Rect &clip) {
    return {clip.x - whole.x, whole.bottom() - clip.bottom(), clip.width, clip.height, whole.width, whole.height};
}

} // namespace

Rect wall_rect(const Window &window) {
    State &s = state();
    if (window.parent) {
        const Rect parent = wall_rect(*s.window(window.parent));
        return {parent.x + window.place.x, parent.y + window.place.y, window.place.width, window.place.height};
    }
    if (is_first(window))
        return {0, 0, s.wall.width, s.wall.height};
    Rect rect = window.place;
    if (const Window *first = s.window(s.first)) {
        rect.x -= first->place.x;
        rect.y -= first->place.y;
    }
    // As a window manager would: what lies outside of the screen altogether comes inside.
    if (pixmpi::intersect(rect, {0, 0, s.wall.width, s.wall.height}).empty()) {
        rect.x = std::clamp(rect.x, 0, std::max(0, s.wall.width - rect.width));
        rect.y = std::clamp(rect.y, 0, std::max(0, s.wall.height - rect.height));
    }
    return rect;
}

Rect clip_rect(const Window &window) {
    const Rect rect = wall_rect(window);
    return window.parent ? pixmpi::intersect(rect, clip_rect(*state().window(window.parent))) : rect;
}

void compute_part(Window &window) {
    State &s = state();
    const Rect whole = wall_rect(window), clipped = clip_rect(window);
    gl::Surface &surface = window.surface;
    surface.parts.assign(s.wall.tiles.size(), {});
    for (const pixmpi::Tile &tile : s.wall.tiles)
        if (Rect here = pixmpi::intersect(clipped, tile.rect); !here.empty())
            surface.parts[tile.rank] = part_of(whole, here);
    window.clip = pixmpi::intersect(clipped, s.tile().rect);
    if (window.clip.empty()) {
        // There has to be a context; it draws a pixel beyond the window's corner.
        window.on_screen = {-2, -2, 1, 1};
        surface.part = {whole.width, whole.height, 1, 1, whole.width, whole.height};
    } else {
        Rect relative = window.clip;
        relative.x -= s.tile().rect.x;
        relative.y -= s.tile().rect.y;
        window.on_screen = to_framebuffer(s.tile(), relative);
        surface.part = surface.parts[comm::rank()];
    }
}

// Xlib rather than FreeGLUT, whose requests wait for its next turn of the main loop.
void move_real(const Window &window) {
    Display *display = glXGetCurrentDisplay();
    if (!display || !window.x_window)
        return;
    const bool shown = window.visible && !window.clip.empty();
    Rect to = window.on_screen;
    if (window.parent) {
        const Window &parent = *state().window(window.parent);
        to.x -= parent.on_screen.x;
        to.y -= parent.on_screen.y;
    } else {
        const Rect origin = screen_place(comm::rank());
        to.x += origin.x;
        to.y += origin.y;
    }
    XMoveResizeWindow(display, window.x_window, to.x, to.y, to.width, to.height);
    shown ? XMapWindow(display, window.x_window) : XUnmapWindow(display, window.x_window);
    XSync(display, False);
}

void place(Window &window, bool parent_moved) {
    const gl::Part before = window.surface.part;
    const Rect screen_before = window.on_screen;
    compute_part(window);
    const bool moved = screen_before != window.on_screen;
    if (moved || parent_moved) // what stays where it is on the screen has another place in a parent that does not
        move_real(window);
    if (moved || before != window.surface.part) {
        gl::resize_presenter(window);
        gl::moved(&window.surface);
    }
    for (int child : window.children)
        place(*state().window(child), moved || parent_moved);
}

void place_all() {
    for (int id : state().top_level)
        place(*state().window(id));
}

void to_whole(const Window &window, int &x, int &y) {
    const pixmpi::Tile &tile = state().tile();
    const Rect whole = wall_rect(window);
    int wx, wy;
    pixmpi::from_framebuffer(tile, x + window.on_screen.x, y + window.on_screen.y, wx, wy);
    x = wx + tile.rect.x - whole.x;
    y = wy + tile.rect.y - whole.y;
}

bool to_real(const Window &window, int &x, int &y) {
    const pixmpi::Tile &tile = state().tile();
    const Rect whole = wall_rect(window);
    const Rect point{x + whole.x, y + whole.y, 1, 1};
    int fx, fy;
    pixmpi::to_framebuffer(tile, point.x - tile.rect.x, point.y - tile.rect.y, fx, fy);
    x = fx - window.on_screen.x;
    y = fy - window.on_screen.y;
    return !pixmpi::intersect(point, window.clip).empty();
}

Rect screen_place(int rank) {
    State &s = state();
    const pixmpi::Tile &tile = s.wall.tiles[rank];
    std::vector<pixmpi::Tile> neighbours; // on the same display
    std::size_t index = 0;
    for (const pixmpi::Tile &other : s.wall.tiles)
        if (s.displays.empty() || s.displays[other.rank] == s.displays[rank]) {
            if (other.rank == rank)
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

} // namespace mpiglut
