#include "system/glut/system.h"

#include "base/export.h"
#include "base/real.h"
#include "base/state.h"
#include "gl/present/over.h"
#include "model/frame/sharing.h"
#include "system/glut/backend.h"
#include "system/glx/windows.h"

#include <GL/freeglut.h>
#include <GL/glx.h>

#include <algorithm>
#include <utility>

namespace mpiglut::glut {
namespace {

// FreeGLUT's creation functions look at its initial size, position and display mode.
class InitialGeometry {
  public:
    InitialGeometry(int x, int y, int width, int height)
        : x_(REAL(glutGet)(GLUT_INIT_WINDOW_X)), y_(REAL(glutGet)(GLUT_INIT_WINDOW_Y)),
          width_(REAL(glutGet)(GLUT_INIT_WINDOW_WIDTH)), height_(REAL(glutGet)(GLUT_INIT_WINDOW_HEIGHT)) {
        REAL(glutInitWindowPosition)(x, y);
        REAL(glutInitWindowSize)(width, height);
    }
    ~InitialGeometry() {
        REAL(glutInitWindowPosition)(x_, y_);
        REAL(glutInitWindowSize)(width_, height_);
    }

  private:
    int x_, y_, width_, height_;
};

/// FreeGLUT's next window is left alone by window managers, which would keep it below their panels.
bool covers_next = false;

bool covers_display(const pixmpi::Tile &tile) {
    State &s = state();
    if (tile.mode != pixmpi::Mode::automatic)
        return tile.mode == pixmpi::Mode::fullscreen;
    return !s.options.headless && !s.plan.from_window && tile.framebuffer_width() == REAL(glutGet)(GLUT_SCREEN_WIDTH) &&
           tile.framebuffer_height() == REAL(glutGet)(GLUT_SCREEN_HEIGHT);
}

int create_top_level(const Window &window, const char *title, const pixmpi::Rect &place) {
    const InitialGeometry geometry(place.x, place.y, place.width, place.height);
    covers_next = covers_display(tile_of(window));
    const int id = REAL(glutCreateWindow)(title);
    covers_next = false;
    return id;
}

gl::Font font() {
    return {.height = 119.05f,
            .width = [](unsigned char c) { return static_cast<float>(REAL(glutStrokeWidth)(GLUT_STROKE_ROMAN, c)); },
            .draw = [](unsigned char c) { REAL(glutStrokeCharacter)
                                          (GLUT_STROKE_ROMAN, c); }};
}

} // namespace

void System::open() {
    REAL(glutInit)(argc_, argv_);
    glx::watch_connection();
    gl::set_font(font());
}

void System::close() { REAL(glutExit)(); }

void System::screen_size(int &width, int &height) {
    width = REAL(glutGet)(GLUT_SCREEN_WIDTH);
    height = REAL(glutGet)(GLUT_SCREEN_HEIGHT);
}

// FreeGLUT changes the current window and menu as it goes.
void System::receive_events() {
    const int window = current(), menu = state().menus.current;
    REAL(glutMainLoopEvent)();
    change_menus_that_waited();
    if (current() != window && state().window(window))
        make_current(window);
    if (REAL(glutGetMenu)() != menu && menu)
        REAL(glutSetMenu)(menu);
}

int System::descriptor() { return glx::descriptor(); }
void System::settle() { glx::settle(); }
int System::current() { return REAL(glutGetWindow)(); }
void System::make_current(int window) { REAL(glutSetWindow)(window); }

void System::create(Window &window, const std::string &title, const pixmpi::Rect &place) {
    // FreeGLUT would read a negative place from the far edge; what does not show here is unmapped anyway.
    window.id = window.parent ? REAL(glutCreateSubWindow)(window.parent, std::max(0, place.x), std::max(0, place.y),
                                                          place.width, place.height)
                              : create_top_level(window, title.c_str(), place);
    window.double_buffered = REAL(glutGet)(GLUT_WINDOW_DOUBLEBUFFER) != 0;
    window.stereo = REAL(glutGet)(GLUT_WINDOW_STEREO) != 0;
    if (REAL(glutGet)(GLUT_INIT_DISPLAY_MODE) & GLUT_ACCUM)
        has_accumulation_buffer();
    state().display = REAL(glXGetCurrentDisplay)();
}

void System::listen(Window &window) { glut::listen(window); }
void System::destroy(Window &window) { REAL(glutDestroyWindow)(window.id); }

void System::move(const Window &window, const pixmpi::Rect &place, bool shown) { glx::move(window.x_window, place, shown); }
void System::show(const Window &window) { glx::show(window); }
void System::engage_swap_control(Window &window) { glx::engage_swap_control(window); }
WindowSystem::Pointer System::pointer_in(const Window &window) { return glx::pointer_in(window); }
void System::tells(const Event &event) { glx::note_pointer(event); }
void System::make_menu_current(int menu) { ::glutSetMenu(menu); }

} // namespace mpiglut::glut

MPIGLUT_EXPORT ::Window XCreateWindow(Display *display, ::Window parent, int x, int y, unsigned width, unsigned height,
                                      unsigned border, int depth, unsigned input, Visual *visual, unsigned long mask,
                                      XSetWindowAttributes *attributes) {
    XSetWindowAttributes changed{};
    if (std::exchange(mpiglut::glut::covers_next, false)) {
        if (attributes)
            changed = *attributes;
        changed.override_redirect = True;
        mask |= CWOverrideRedirect;
        attributes = &changed;
    }
    return REAL(XCreateWindow)(display, parent, x, y, width, height, border, depth, input, visual, mask, attributes);
}
