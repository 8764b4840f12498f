#include "system/glx/windows.h"

#include "base/process.h"
#include "base/real.h"
#include "base/state.h"
#include "base/x_errors.h"
#include "run/report.h"

#include <GL/glx.h>
#include <X11/Xatom.h>
#include <X11/Xlib.h>

#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace mpiglut::glx {
namespace {

/// What a window manager puts around a window: left and top.
void frame_around(Display *display, ::Window window, int &left, int &top) {
    left = top = 0;
    Atom type = None;
    int format = 0;
    unsigned long count = 0, more = 0;
    unsigned char *data = nullptr;
    const Atom extents = XInternAtom(display, "_NET_FRAME_EXTENTS", False);
    if (XGetWindowProperty(display, window, extents, 0, 4, False, XA_CARDINAL, &type, &format, &count, &more, &data) !=
        Success)
        return;
    if (type == XA_CARDINAL && format == 32 && count == 4) {
        long sides[4]; // left, right, top, bottom
        std::memcpy(sides, data, sizeof sides);
        left = static_cast<int>(sides[0]);
        top = static_cast<int>(sides[2]);
    }
    XFree(data);
}

bool is_in_its_place(const Window &window) {
    Display *const display = state().display;
    const auto drawable = static_cast<::Window>(window.x_window);
    ::Window root = 0, child = 0;
    int x = 0, y = 0, left = 0, top = 0;
    unsigned width = 0, height = 0, border = 0, depth = 0;
    if (!REAL(XGetGeometry)(display, drawable, &root, &x, &y, &width, &height, &border, &depth) ||
        !REAL(XTranslateCoordinates)(display, drawable, root, 0, 0, &x, &y, &child))
        return true;
    frame_around(display, drawable, left, top);
    return pixmpi::Rect{x - left, y - top, static_cast<int>(width), static_cast<int>(height)} == window.real;
}

} // namespace

void move(unsigned long x_window, const pixmpi::Rect &place, bool shown) {
    Display *const display = state().display;
    if (!display || !x_window)
        return;
    XMoveResizeWindow(display, x_window, place.x, place.y, place.width, place.height);
    shown ? XMapWindow(display, x_window) : XUnmapWindow(display, x_window);
    XSync(display, False);
}

void settle() {
    if (Display *const display = state().display)
        XSync(display, False);
}

int descriptor() {
    Display *const display = state().display;
    return display ? ConnectionNumber(display) : -1;
}

void show(const Window &window) { REAL(glXSwapBuffers)(state().display, window.x_window); }

WindowSystem::Pointer pointer_in(const Window &window) {
    Display *const display = REAL(glXGetCurrentDisplay)();
    WindowSystem::Pointer found;
    ::Window root, child;
    int root_x, root_y;
    unsigned buttons = 0;
    if (!display ||
        !REAL(XQueryPointer)(display, window.x_window, &root, &child, &root_x, &root_y, &found.x, &found.y, &buttons))
        return found;
    found.held = buttons & (Button1Mask | Button2Mask | Button3Mask);
    found.here =
        !pixmpi::intersect({found.x, found.y, 1, 1}, {0, 0, window.on_screen.width, window.on_screen.height}).empty() &&
        !window.clip.empty();
    return found;
}

void put_back_if_moved(Window &window) {
    constexpr int most_times = 100; // a window manager may insist
    if (!window.drawn || window.parent || window.clip.empty() || !window.visible || is_in_its_place(window) ||
        window.put_back++ >= most_times)
        return;
    move_real(window);
    report_once(Report::note, "tile " + tile_of(window).name +
                                  ": its window was moved or got another size, and is put "
                                  "back; expected a window manager that leaves it alone, or mode = \"fullscreen\"");
}

void take_keyboard(Display *display, unsigned long x_window) {
    const QuietErrors quiet(display); // the window may be gone by now
    XWindowAttributes window{};
    ::Window has_it = None;
    int revert = 0;
    XGetInputFocus(display, &has_it, &revert);
    if (has_it != PointerRoot && has_it != x_window && REAL(XGetWindowAttributes)(display, x_window, &window) &&
        window.override_redirect && window.map_state == IsViewable)
        XSetInputFocus(display, x_window, RevertToPointerRoot, CurrentTime);
}

// Xlib would call exit. Its handlers wait for answers that a lost server never gives.
void watch_connection() {
    XSetIOErrorHandler([](Display *) -> int {
        if (!is_rank())
            REAL(_exit)(EXIT_FAILURE);
        fail("the connection to the X server is lost");
    });
}

} // namespace mpiglut::glx
