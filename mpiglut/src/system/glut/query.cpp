// What the program asks GLUT about: sizes and places are the wall's, time is the clock's.
#include "base/export.h"
#include "base/lookup.h"
#include "base/real.h"
#include "base/state.h"
#include "clock/clock.h"
#include "model/window/windows.h"
#include "sync/comm.h"

#include <GL/freeglut.h>

#include <cmath>

using namespace mpiglut;

namespace {

// Before glutInit it is the time since the machine was started, as with FreeGLUT.
int elapsed_ms() {
    const std::int64_t now = clock::is_virtual() ? clock::read_monotonic_ns() : clock::real_monotonic_ns();
    return static_cast<int>(state().elapsed_ms(now));
}

int screen_millimetres(double wall_mm, int pixels, GLenum query_mm, GLenum query_pixels) {
    if (wall_mm > 0)
        return static_cast<int>(std::lround(wall_mm));
    const double real_pixels = REAL(glutGet)(query_pixels);
    return real_pixels > 0 ? static_cast<int>(std::lround(REAL(glutGet)(query_mm) * pixels / real_pixels)) : 0;
}

// What is asked of the current window, when that is one of the wall's (a menu that FreeGLUT draws is not).
bool window_value(const mpiglut::Window &window, GLenum query, int &value) {
    switch (query) {
    case GLUT_WINDOW_WIDTH: value = window.place.width; return true;
    case GLUT_WINDOW_HEIGHT: value = window.place.height; return true;
    case GLUT_WINDOW_X:
    case GLUT_WINDOW_Y:
        value = 0;
        for (const mpiglut::Window *w = &window; w; w = state().window(w->parent))
            value += query == GLUT_WINDOW_X ? w->place.x : w->place.y;
        return true;
    case GLUT_FULL_SCREEN: value = window.full_screen; return true;
    case GLUT_WINDOW_BORDER_WIDTH:
    case GLUT_WINDOW_BORDER_HEIGHT: value = 0; return true; // the wall has none
    default: return false;
    }
}

} // namespace

MPIGLUT_EXPORT int glutGet(GLenum query) {
    State &s = state();
    if (s.launched && query == GLUT_ELAPSED_TIME)
        return elapsed_ms();
    if (!active())
        return REAL(glutGet)(query);
    int value = 0;
    if (const mpiglut::Window *window = s.current(); window && window_value(*window, query, value))
        return value;
    switch (query) {
    case GLUT_SCREEN_WIDTH: return s.screen_width;
    case GLUT_SCREEN_HEIGHT: return s.screen_height;
    case GLUT_SCREEN_WIDTH_MM:
        return screen_millimetres(s.plan.mm_width, s.screen_width, GLUT_SCREEN_WIDTH_MM, GLUT_SCREEN_WIDTH);
    case GLUT_SCREEN_HEIGHT_MM:
        return screen_millimetres(s.plan.mm_height, s.screen_height, GLUT_SCREEN_HEIGHT_MM, GLUT_SCREEN_HEIGHT);
    case GLUT_ACTION_ON_WINDOW_CLOSE: return static_cast<int>(s.on_close);
    default: return REAL(glutGet)(query);
    }
}

MPIGLUT_EXPORT void glutSetOption(GLenum option, int value) {
    if (glut_active() && option == GLUT_ACTION_ON_WINDOW_CLOSE)
        state().on_close = static_cast<OnClose>(value);
    else
        REAL(glutSetOption)(option, value);
}

MPIGLUT_EXPORT int glutGetModifiers(void) {
    return active() && state().modifiers >= 0 ? state().modifiers : REAL(glutGetModifiers)();
}

// Rank 0's devices are the wall's, so that a program with a joystick takes the same way everywhere.
MPIGLUT_EXPORT int glutDeviceGet(GLenum query) {
    int value = REAL(glutDeviceGet)(query);
    if (active() && comm::size() > 1)
        comm::broadcast_value(comm::Collective::agree, value);
    return value;
}

// Game mode is a window over the whole wall; no tile changes its video mode for it.
MPIGLUT_EXPORT int glutEnterGameMode(void) {
    if (!glut_active())
        return REAL(glutEnterGameMode)();
    State &s = state();
    if (s.game_mode_window)
        destroy_window(s.game_mode_window);
    s.game_mode_window = create_top_level("game mode", 0, 0, s.screen_width, s.screen_height, true);
    return s.game_mode_window;
}

MPIGLUT_EXPORT void glutLeaveGameMode(void) {
    if (!glut_active())
        return REAL(glutLeaveGameMode)();
    State &s = state();
    if (s.game_mode_window)
        destroy_window(s.game_mode_window);
    s.game_mode_window = 0;
}

MPIGLUT_EXPORT int glutGameModeGet(GLenum query) {
    if (!active())
        return REAL(glutGameModeGet)(query);
    State &s = state();
    switch (query) {
    case GLUT_GAME_MODE_ACTIVE: return s.game_mode_window != 0;
    case GLUT_GAME_MODE_POSSIBLE: return 1;
    case GLUT_GAME_MODE_WIDTH: return s.screen_width;
    case GLUT_GAME_MODE_HEIGHT: return s.screen_height;
    case GLUT_GAME_MODE_DISPLAY_CHANGED: return s.game_mode_window != 0;
    default: return REAL(glutGameModeGet)(query);
    }
}

// FreeGLUT's own also knows its glut* functions by name, hence not glXGetProcAddress.
MPIGLUT_EXPORT GLUTproc glutGetProcAddress(const char *name) {
    auto *real = REAL(glutGetProcAddress);
    return reinterpret_cast<GLUTproc>(wrapped(name, real ? reinterpret_cast<void *>(real(name)) : nullptr));
}
