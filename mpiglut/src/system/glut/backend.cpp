#include "system/glut/backend.h"

#include "base/export.h"
#include "base/real.h"
#include "base/state.h"
#include "sync/comm.h"
#include "system/glut/hook.h"
#include "system/glx/windows.h"

#include <GL/freeglut.h>
#include <GL/freeglut_ucall.h>
#include <GL/glx.h>
#include <X11/Xlib.h>

namespace mpiglut {
namespace {

using Kind = Event::Kind;

bool with_modifiers(Kind kind) { // FreeGLUT knows them for these only
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
    if (const Window *window = state().current(); window && (entered == Event::entered || leaves(*window)))
        send(Kind::entry, entered);
}

void on_menu(int value) { send_local(Kind::menu, 0, 0, 0, value, REAL(glutGetMenu)()); }

void on_menu_status(int status, int x, int y) {
    state().menus.open_here = status == Event::menu_open;
    send_at(Kind::menu_status, x, y, status, REAL(glutGetMenu)());
}

// Our own requests come back with the size that was asked for; anything else is a user at the tile.
void on_reshape(int width, int height) {
    State &s = state();
    Window *window = s.current();
    if (!window)
        return;
    if (!s.plan.from_window)
        return glx::put_back_if_moved(*window);
    if (!window->parent && window->drawn && (width != window->on_screen.width || height != window->on_screen.height))
        send_local(Kind::resize, 0, 0, 0, width, height);
}

void on_position() {
    State &s = state();
    if (Window *window = s.current(); window && !s.plan.from_window)
        glx::put_back_if_moved(*window);
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

void glut::listen(Window &window) {
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
    if (!active() || display != state().display)
        return result;
    if ((event->type == EnterNotify || event->type == ButtonPress) && window_of(event->xany.window))
        glx::take_keyboard(display, event->xany.window);
    if (event->type != ClientMessage)
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
