#include "system/system/system/glut/backend.h"

#include "base/export.h"
#include "system/glut/hook.h"
#include "base/real.h"
#include "base/state.h"
#include "run/report.h"
#include "sync/comm.h"

#include <GL/freeglut.h>
#include <GL/freeglut_ucall.h>
#include <GL/glx.h>
#include <X11/Xatom.h>
#include <X11/Xlib.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace mpiglut {
namespace {

using Kind = Event::Kind;

bool with_modifiers(Kind kind) { // the only ones for which FreeGLUT knows them
    return kind <= Kind::passive;
}

void send_at(Kind kind, int x, int y, int a = 0, int b = 0) {
    if (const Window *window = state().current()) {
        to_whole(*window, x, y);
        follow_warps(x, y);
    }
    send_local(kind, x, y, 0, a, b);
}

void send(Kind kind, int a) { send_local(kind, 0, 0, 0, a, 0); }

void on_display() {
    Window *window = state().current();
    if (window && window->drawn) // the first picture comes anyway
        send(Kind::damage, 0);
}

void on_entry(int entered) {
    if (const Window *window = state().current(); window && (entered == GLUT_ENTERED || leaves(*window)))
        send(Kind::entry, entered);
}

void on_menu(int value) { send_local(Kind::menu, 0, 0, 0, value, REAL(glutGetMenu)()); }

void on_menu_status(int status, int x, int y) {
    state().menus.open_here = status == GLUT_MENU_IN_USE;
    send_at(Kind::menu_status, x, y, status, REAL(glutGetMenu)());
}

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

/// A tile of a wall with a size has its place: somebody has pulled at its window, or a window manager has.
void put_back_if_moved(Window &window) {
    constexpr int most_times = 100; // a window manager may insist
    if (!window.drawn || window.parent || window.clip.empty() || !window.visible || is_in_its_place(window) ||
        window.put_back++ >= most_times)
        return;
    move_real(window);
    report_once(Report::note, "tile " + tile_of(window).name + ": its window was moved or got another size, and is put "
                              "back; expected a window manager that leaves it alone, or mode = \"fullscreen\"");
}

// Our own requests come back with the size that was asked for; anything else is somebody at the tile.
void on_reshape(int width, int height) {
    State &s = state();
    Window *window = s.current();
    if (!window)
        return;
    if (!s.plan.from_window)
        return put_back_if_moved(*window);
    if (!window->parent && window->drawn &&
        (width != window->on_screen.width || height != window->on_screen.height))
        send_local(Kind::resize, 0, 0, 0, width, height);
}

void on_position() {
    State &s = state();
    if (Window *window = s.current(); window && !s.plan.from_window)
        put_back_if_moved(*window);
}

} // namespace

void send_local(Kind kind, int x, int y, int z, int a, int b) {
    State &s = state();
    const Window *window = s.current(); // FreeGLUT makes the event's window current
    if (!window)
        return;
    Event event;
    event.kind = kind;
    event.rank = comm::rank();
    event.window = window->id;
    event.x = x;
    event.y = y;
    event.z = z;
    event.a = a;
    event.b = b;
    if (with_modifiers(kind))
        event.modifiers = REAL(glutGetModifiers)();
    s.outbox.push_back(event);
}

namespace {

/// Windows for which other threads than that of the ticks have asked for a redisplay.
struct Asked {
    std::mutex mutex;
    std::vector<int> windows;
};

Asked &asked() {
    static auto *const all = new Asked; // threads may still ask while static objects are destroyed
    return *all;
}

void take_asked() {
    std::vector<int> windows;
    {
        const std::lock_guard lock(asked().mutex);
        windows.swap(asked().windows);
    }
    for (const int window : windows)
        state().outbox.push_back({Kind::redisplay, comm::rank(), window});
}

} // namespace

void send_redisplay(int window) {
    const std::lock_guard lock(asked().mutex);
    asked().windows.push_back(window);
}

void listen(Window &window) {
    window.x_window = window.x_window ? window.x_window : glXGetCurrentDrawable();
    HOOK(glutDisplayFunc, [] { on_display(); });
    HOOK(glutReshapeFunc, [](int width, int height) { on_reshape(width, height); }); // the default sets the viewport
    HOOK(glutPositionFunc, [](int, int) { on_position(); });
    HOOK(glutKeyboardFunc, [](unsigned char key, int x, int y) { send_at(Kind::key, x, y, key); });
    HOOK(glutKeyboardUpFunc, [](unsigned char key, int x, int y) { send_at(Kind::key_up, x, y, key); });
    HOOK(glutSpecialFunc, [](int key, int x, int y) { send_at(Kind::special, x, y, key); });
    HOOK(glutSpecialUpFunc, [](int key, int x, int y) { send_at(Kind::special_up, x, y, key); });
    HOOK(glutMouseFunc, [](int button, int up, int x, int y) { send_at(Kind::mouse, x, y, button, up); });
    HOOK(glutMouseWheelFunc, [](int wheel, int way, int x, int y) { send_at(Kind::wheel, x, y, wheel, way); });
    HOOK(glutMotionFunc, [](int x, int y) { send_at(Kind::motion, x, y); });
    HOOK(glutPassiveMotionFunc, [](int x, int y) { send_at(Kind::passive, x, y); });
    HOOK(glutEntryFunc, [](int entered) { on_entry(entered); });
    HOOK(glutWindowStatusFunc, [](int status) { send(Kind::visibility, status); });
}

std::unique_lock<std::recursive_mutex> hold_window_system() {
    static auto *const mutex = new std::recursive_mutex; // of use until the very end of the process
    return std::unique_lock(*mutex);
}

void pump_window_system() {
    const auto held = hold_window_system();
    // FreeGLUT changes the current window and menu as it goes; the program must not notice.
    const int window = REAL(glutGetWindow)(), menu = state().menus.current;
    REAL(glutMainLoopEvent)();
    change_menus_that_waited();
    take_asked();
    if (REAL(glutGetWindow)() != window && state().window(window))
        REAL(glutSetWindow)(window);
    if (REAL(glutGetMenu)() != menu && menu)
        REAL(glutSetMenu)(menu);
}

int window_system_fd() {
    Display *display = state().display;
    return display ? ConnectionNumber(display) : -1;
}

void create_real_menu() {
    HOOK(glutCreateMenu, [](int value) { on_menu(value); });
}

void listen_to_menus() {
    HOOK(glutMenuStatusFunc, [](int status, int x, int y) { on_menu_status(status, x, y); });
}

} // namespace mpiglut

using namespace mpiglut;

// FreeGLUT destroys a window, and perhaps the process, as soon as the window manager asks; on a wall every rank has to
// do that in the same tick, so the request is taken out of FreeGLUT's hands here.
MPIGLUT_EXPORT int XNextEvent(Display *display, XEvent *event) {
    const int result = REAL(XNextEvent)(display, event);
    if (!active() || event->type != ClientMessage)
        return result;
    static const Atom delete_window = XInternAtom(display, "WM_DELETE_WINDOW", False);
    if (static_cast<Atom>(event->xclient.data.l[0]) != delete_window)
        return result;
    State &s = state();
    for (auto &[id, window] : s.windows)
        if (window->x_window == event->xclient.window) {
            Event close;
            close.kind = Event::Kind::close;
            close.rank = comm::rank();
            close.window = id;
            s.outbox.push_back(close);
            event->xclient.data.l[0] = None;
        }
    return result;
}
