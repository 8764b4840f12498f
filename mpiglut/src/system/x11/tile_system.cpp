#include "system/x11/tile_system.h"

#include "base/real.h"
#include "base/state.h"
#include "clock/clock.h"
#include "clock/virtual.h"
#include "gl/context/make_current.h"
#include "model/loop/join.h"
#include "run/report.h"
#include "system/glx/windows.h"
#include "system/x11/backdrop.h"
#include "system/x11/gl_binding.h"
#include "system/x11/gl_configs.h"
#include "system/x11/gl_windows.h"
#include "system/x11/tile_input.h"
#include "system/x11/x11.h"

#include <X11/Xlib.h>

#include <mutex>

namespace mpiglut::x11 {
namespace {

Display *open_tile() {
    const Ours ours;
    Display *const display = XOpenDisplay(tile_display().c_str());
    if (!display)
        fail("the tile's display " + tile_display() + " cannot be opened: expected an X server with GLX");
    return display;
}

int windows_made = 0;

} // namespace

void begin_wall() {
    static auto *const mutex = new std::recursive_mutex;
    const std::lock_guard lock(*mutex);
    State &s = state();
    static bool begun = false;
    if (begun || !active())
        return;
    begun = true;
    const Ours ours;
    clock::run_ticks_here();
    join(*new System); // of use until the very end of the process
    s.running = true;
    s.init_ns = clock::is_virtual() ? clock::stamp().monotonic_ns : clock::real_monotonic_ns();
}

Display *tile() {
    if (!active())
        return nullptr;
    begin_wall();
    static Display *const opened = [] {
        Display *const display = open_tile();
        glx::watch_connection();
        return state().display = display;
    }();
    return opened;
}

bool is_redirected(Display *display) { return active() && display && display != tile(); }

Display *on_tile(Display *display) { return is_redirected(display) ? tile() : display; }

int screen_on_tile(Display *display, int screen) { return is_redirected(display) ? DefaultScreen(tile()) : screen; }

// The wall may begin while the program connects to its X server, when Xlib opens no other display.
void System::open() {
    look_at_viewports();
    look_at_flushes();
}

// That of the wall's X server where the wall has no size.
void System::screen_size(int &width, int &height) {
    width = 1920;
    height = 1080;
}

void System::receive_events() {
    receive_backdrop_events();
    Display *const display = state().display;
    if (!display)
        return;
    for (XEvent event; XPending(display) > 0;) {
        REAL(XNextEvent)(display, &event);
        note_input(event);
    }
    if (char down[32]; asks_for_keys()) {
        XQueryKeymap(display, down);
        note_keys_down(down);
    }
}

bool System::shows_below() { return has_backdrop(); }
Picture System::below() { return picture_of_backdrop(); }

int System::descriptor() { return glx::descriptor(); }
void System::settle() { glx::settle(); }
int System::current() { return current_window(); }
void System::make_current(int window) { make_window_current(window); }

void System::create(Window &window, const std::string &, const pixmpi::Rect &place) {
    Display *const display = state().display;
    const ProgramWindow &wanted = wanted_window();
    XVisualInfo *const visual = REAL(glXGetVisualFromFBConfig)(display, wanted.config);
    if (!visual)
        fail("a window's pixel format has no visual on the tile's display " + x11::tile_display());
    const ::Window root = RootWindow(display, visual->screen);
    XSetWindowAttributes attributes{};
    attributes.override_redirect = True; // where it is, is the wall's affair
    attributes.event_mask = input_events;
    attributes.colormap = XCreateColormap(display, root, visual->visual, AllocNone);
    const ::Window made =
        XCreateWindow(display, root, place.x, place.y, static_cast<unsigned>(place.width),
                      static_cast<unsigned>(place.height), 0, visual->depth, InputOutput, visual->visual,
                      CWBackPixel | CWBorderPixel | CWColormap | CWEventMask | CWOverrideRedirect, &attributes);
    XFree(visual);
    if (window.visible && !window.clip.empty())
        XMapWindow(display, made);
    XSync(display, False);
    window.id = ++windows_made;
    window.real = place;
    window.double_buffered = attribute(wanted.config, GLX_DOUBLEBUFFER) != 0;
    window.stereo = attribute(wanted.config, GLX_STEREO) != 0;
    // Drivers forget what was drawn to a window without a name of GLX's, once another one is current.
    window_was_made(window.id, REAL(glXCreateWindow)(display, wanted.config, made, nullptr), made, attributes.colormap);
}

void System::destroy(Window &window) {
    REAL(glXDestroyWindow)(state().display, window.x_window);
    forget_window(window.id);
}

void System::move(const Window &window, const pixmpi::Rect &place, bool shown) {
    if (const ProgramWindow *const known = window_with(window.id))
        glx::move(known->real, place, shown);
}

void System::show(const Window &window) { glx::show(window); }
void System::engage_swap_control(Window &window) { glx::engage_swap_control(window); }

void System::tells(const Event &event) { give_input(event); }

// The wall's X server has the one pointer that there is.
WindowSystem::Pointer System::pointer_in(const Window &) { return {}; }

} // namespace mpiglut::x11
