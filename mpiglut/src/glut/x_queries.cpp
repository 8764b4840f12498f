// What the program asks of the X server and of GLX about its windows: the real ones have the sizes of this rank's
// parts, the program's are whole.
#include "base/export.h"
#include "base/real.h"
#include "base/state.h"
#include "clock/callers.h"
#include "clock/virtual.h"

#include <GL/glx.h>
#include <X11/Xlib.h>

#include <optional>

namespace mpiglut {
namespace {

/// As the program has the window; nothing for other callers and other drawables.
std::optional<pixmpi::Rect> place_for(clock::Caller caller, unsigned long drawable) {
    if (!active() || clock::origin_of_call(caller) != clock::Origin::program)
        return std::nullopt;
    const auto lock = lock_geometry();
    const Window *window = window_of(drawable);
    return window ? std::optional(window->place) : std::nullopt;
}

} // namespace
} // namespace mpiglut

using namespace mpiglut;

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
    REAL(glXQueryDrawable)(display, drawable, attribute, value);
    if (attribute != GLX_WIDTH && attribute != GLX_HEIGHT)
        return;
    if (const auto place = place_for(MPIGLUT_CALLER, drawable))
        *value = static_cast<unsigned>(attribute == GLX_WIDTH ? place->width : place->height);
}
