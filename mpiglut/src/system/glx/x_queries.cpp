// What the program asks of the X server and of GLX about its windows: the real ones have the sizes of this rank's
// parts, the program's are whole.
#include "system/glx/windows.h"

#include "base/export.h"
#include "base/real.h"
#include "base/state.h"
#include "clock/callers.h"
#include "clock/virtual.h"
#include "system/x11/glx_drawables.h"
#include "system/x11/tile_system.h"
#include "system/x11/x11.h"

#include <GL/glx.h>
#include <X11/Xlib.h>

#include <algorithm>
#include <optional>

namespace mpiglut {
namespace {

/// To an X11 program its X server answers.
bool answers(clock::Caller caller) {
    return active() && !x11::active() && clock::origin_of_call(caller) == clock::Origin::program;
}

/// As the program has the window; nothing for other callers and other drawables.
std::optional<pixmpi::Rect> place_for(clock::Caller caller, unsigned long drawable) {
    if (!answers(caller))
        return std::nullopt;
    const auto lock = lock_geometry();
    const Window *window = window_of(drawable);
    return window ? std::optional(window->place) : std::nullopt;
}

struct Point {
    int x, y;
};

/// The upper left corner on the program's screen.
Point origin_of(const Window &window) {
    Point origin{0, 0};
    for (const Window *w = &window; w; w = state().window(w->parent)) {
        origin.x += w->place.x;
        origin.y += w->place.y;
    }
    return origin;
}

/// The same of an X window; nothing for those that are neither the wall's nor the screen itself.
std::optional<Point> origin_of(Display *display, ::Window window) {
    if (window == DefaultRootWindow(display))
        return Point{0, 0};
    const Window *found = window_of(window);
    return found ? std::optional(origin_of(*found)) : std::nullopt;
}

/// The window directly within `parent` that this point of the screen lies in.
::Window child_at(Display *display, ::Window parent, Point at) {
    const Window *const outer = window_of(parent);
    std::vector<int> candidates = outer ? outer->children : std::vector<int>{};
    if (parent == DefaultRootWindow(display))
        candidates = state().top_level;
    const auto found = std::find_if(candidates.rbegin(), candidates.rend(), [at](int id) {
        const Window *window = state().window(id);
        if (!window || !window->visible)
            return false;
        const auto [x, y] = origin_of(*window);
        return at.x >= x && at.y >= y && at.x < x + window->place.width && at.y < y + window->place.height;
    });
    return found == candidates.rend() ? None : static_cast<::Window>(state().window(*found)->x_window);
}

/// The pointer as the last events had it: the pointers of the ranks are at different places.
struct Pointer {
    int window = 0, x = 0, y = 0;
    unsigned buttons = 0, modifiers = 0;
};
Pointer pointer;

} // namespace

void glx::note_pointer(const Event &event) {
    if (event.kind > Event::Kind::passive)
        return;
    const unsigned button = event.a >= 0 && event.a < 5 ? static_cast<unsigned>(Button1Mask) << event.a : 0;
    const auto lock = lock_geometry();
    pointer.window = event.window;
    pointer.x = event.x;
    pointer.y = event.y;
    pointer.modifiers = (event.modifiers & Event::shift ? ShiftMask : 0) |
                        (event.modifiers & Event::control ? ControlMask : 0) |
                        (event.modifiers & Event::alt ? Mod1Mask : 0);
    if (event.kind == Event::Kind::mouse)
        pointer.buttons = event.b == Event::down ? pointer.buttons | button : pointer.buttons & ~button;
}

} // namespace mpiglut

using namespace mpiglut;

MPIGLUT_EXPORT Bool XQueryPointer(Display *display, ::Window window, ::Window *root, ::Window *child, int *root_x,
                                  int *root_y, int *x, int *y, unsigned *mask) {
    const Bool done = REAL(XQueryPointer)(display, window, root, child, root_x, root_y, x, y, mask);
    if (!answers(MPIGLUT_CALLER))
        return done;
    const auto lock = lock_geometry();
    const auto origin = origin_of(display, window);
    if (!origin)
        return done;
    const mpiglut::Window *const over = state().window(pointer.window);
    const Point corner = over ? origin_of(*over) : Point{0, 0};
    const Point at{corner.x + pointer.x, corner.y + pointer.y};
    *root = DefaultRootWindow(display);
    *child = child_at(display, window, at);
    *root_x = at.x;
    *root_y = at.y;
    *x = at.x - origin->x;
    *y = at.y - origin->y;
    *mask = pointer.buttons | pointer.modifiers;
    return True;
}

MPIGLUT_EXPORT Bool XTranslateCoordinates(Display *display, ::Window from, ::Window to, int from_x, int from_y, int *x,
                                          int *y, ::Window *child) {
    if (answers(MPIGLUT_CALLER)) {
        const auto lock = lock_geometry();
        const auto source = origin_of(display, from), target = origin_of(display, to);
        if (source && target) {
            *x = source->x + from_x - target->x;
            *y = source->y + from_y - target->y;
            *child = child_at(display, to, {source->x + from_x, source->y + from_y});
            return True;
        }
    }
    return REAL(XTranslateCoordinates)(display, from, to, from_x, from_y, x, y, child);
}

MPIGLUT_EXPORT Status XGetGeometry(Display *display, Drawable drawable, ::Window *root, int *x, int *y, unsigned *width,
                                   unsigned *height, unsigned *border, unsigned *depth) {
    const Status done = REAL(XGetGeometry)(display, drawable, root, x, y, width, height, border, depth);
    const auto place = done ? place_for(MPIGLUT_CALLER, drawable) : std::nullopt;
    if (place) {
        *x = place->x;
        *y = place->y;
        *width = static_cast<unsigned>(place->width);
        *height = static_cast<unsigned>(place->height);
    }
    return done;
}

MPIGLUT_EXPORT Status XGetWindowAttributes(Display *display, ::Window window, XWindowAttributes *attributes) {
    const Status done = REAL(XGetWindowAttributes)(display, window, attributes);
    const auto place = done ? place_for(MPIGLUT_CALLER, window) : std::nullopt;
    if (place) {
        attributes->x = place->x;
        attributes->y = place->y;
        attributes->width = place->width;
        attributes->height = place->height;
    }
    return done;
}

MPIGLUT_EXPORT void glXQueryDrawable(Display *display, GLXDrawable drawable, int attribute, unsigned *value) {
    if (x11::is_redirected(display))
        return x11::query_drawable(display, drawable, attribute, value);
    REAL(glXQueryDrawable)(display, drawable, attribute, value);
    if (attribute != GLX_WIDTH && attribute != GLX_HEIGHT)
        return;
    if (const auto place = place_for(MPIGLUT_CALLER, drawable))
        *value = static_cast<unsigned>(attribute == GLX_WIDTH ? place->width : place->height);
}
