#include "glut/backend.h"

#include "base/export.h"
#include "base/real.h"
#include "base/state.h"
#include "sync/comm.h"

#include <GL/freeglut.h>
#include <GL/freeglut_ucall.h>
#include <GL/glx.h>
#include <X11/Xlib.h>

#include <algorithm>
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

void on_display(void *) {
    Window *window = state().current();
    if (window && window->drawn) // the first picture comes anyway
        send(Kind::damage, 0);
}

void on_entry(int entered, void *) {
    if (const Window *window = state().current(); window && (entered == GLUT_ENTERED || leaves(*window)))
        send(Kind::entry, entered);
}

void on_menu(int value, void *) { send_local(Kind::menu, 0, 0, 0, value, REAL(glutGetMenu)()); }

void on_menu_status(int status, int x, int y, void *) {
    state().menus.open_here = status == GLUT_MENU_IN_USE;
    send_at(Kind::menu_status, x, y, status, REAL(glutGetMenu)());
}

// Our own requests come back with the size that was asked for; anything else is somebody at the tile.
void on_reshape(int width, int height, void *) {
    State &s = state();
    const Window *window = s.current();
    if (window && !window->parent && s.plan.from_window && window->drawn &&
        (width != window->on_screen.width || height != window->on_screen.height))
        send_local(Kind::resize, 0, 0, 0, width, height);
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
    // The Ucall spellings, because FreeGLUT's plain ones call them, and would meet ours on the way.
    REAL(glutDisplayFuncUcall)(on_display, nullptr);
    REAL(glutReshapeFuncUcall)(on_reshape, nullptr); // FreeGLUT's default would set the viewport
    REAL(glutKeyboardFuncUcall)([](unsigned char key, int x, int y, void *) { send_at(Kind::key, x, y, key); }, nullptr);
    REAL(glutKeyboardUpFuncUcall)([](unsigned char key, int x, int y, void *) { send_at(Kind::key_up, x, y, key); },
                                  nullptr);
    REAL(glutSpecialFuncUcall)([](int key, int x, int y, void *) { send_at(Kind::special, x, y, key); }, nullptr);
    REAL(glutSpecialUpFuncUcall)([](int key, int x, int y, void *) { send_at(Kind::special_up, x, y, key); }, nullptr);
    REAL(glutMouseFuncUcall)([](int button, int up, int x, int y, void *) { send_at(Kind::mouse, x, y, button, up); },
                             nullptr);
    REAL(glutMouseWheelFuncUcall)([](int wheel, int way, int x, int y, void *) { send_at(Kind::wheel, x, y, wheel, way); },
                                  nullptr);
    REAL(glutMotionFuncUcall)([](int x, int y, void *) { send_at(Kind::motion, x, y); }, nullptr);
    REAL(glutPassiveMotionFuncUcall)([](int x, int y, void *) { send_at(Kind::passive, x, y); }, nullptr);
    REAL(glutEntryFuncUcall)(on_entry, nullptr);
    REAL(glutWindowStatusFuncUcall)([](int status, void *) { send(Kind::visibility, status); },
                                    nullptr);
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

void create_real_menu() { REAL(glutCreateMenuUcall)(on_menu, nullptr); }

void listen_to_menus() { REAL(glutMenuStatusFuncUcall)(on_menu_status, nullptr); }

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
