// GLUT's calls that make, move and end windows.
#include "model/window/windows.h"

#include "base/export.h"
#include "base/real.h"
#include "base/state.h"
#include "clock/clock.h"
#include "clock/role.h"
#include "model/window/pointer.h"
#include "model/window/window_system.h"

#include <GL/freeglut.h>

using namespace mpiglut;

MPIGLUT_EXPORT int glutCreateWindow(const char *title) {
    if (active() && state().windows.empty() && role() == Role::other)
        clock::run_ticks_here(); // glutInit alone may have been called in another thread
    if (!glut_active())
        return REAL(glutCreateWindow)(title);
    return create_top_level(title, REAL(glutGet)(GLUT_INIT_WINDOW_X), REAL(glutGet)(GLUT_INIT_WINDOW_Y),
                            REAL(glutGet)(GLUT_INIT_WINDOW_WIDTH), REAL(glutGet)(GLUT_INIT_WINDOW_HEIGHT), false);
}

MPIGLUT_EXPORT int glutCreateSubWindow(int parent, int x, int y, int width, int height) {
    // A wrong number is FreeGLUT's to complain of.
    return glut_active() && state().window(parent) ? create_child(parent, x, y, width, height)
                                                   : REAL(glutCreateSubWindow)(parent, x, y, width, height);
}

MPIGLUT_EXPORT void glutDestroyWindow(int id) {
    if (glut_active() && state().window(id))
        destroy_window(id);
    else
        REAL(glutDestroyWindow)(id);
}

// The current window of a running wall, or null when the call has to go to FreeGLUT (which then complains).
static mpiglut::Window *target(const char *call = __builtin_FUNCTION()) {
    return glut_active(call) ? state().current() : nullptr;
}

MPIGLUT_EXPORT void glutReshapeWindow(int width, int height) {
    mpiglut::Window *window = target();
    if (!window)
        return REAL(glutReshapeWindow)(width, height);
    if (window->full_screen)
        set_full_screen(*window, false);
    window->reshape_wanted = true;
    window->wanted_width = width;
    window->wanted_height = height;
}

MPIGLUT_EXPORT void glutPositionWindow(int x, int y) {
    mpiglut::Window *window = target();
    if (!window)
        return REAL(glutPositionWindow)(x, y);
    if (window->full_screen)
        set_full_screen(*window, false);
    move_window(*window, x, y);
}

MPIGLUT_EXPORT void glutShowWindow(void) {
    mpiglut::Window *window = target();
    window ? set_visible(*window, true) : REAL(glutShowWindow)();
}

MPIGLUT_EXPORT void glutHideWindow(void) {
    mpiglut::Window *window = target();
    window ? set_visible(*window, false) : REAL(glutHideWindow)();
}

MPIGLUT_EXPORT void glutPushWindow(void) {
    if (mpiglut::Window *window = target())
        restack(*window, false);
    REAL(glutPushWindow)();
}

MPIGLUT_EXPORT void glutPopWindow(void) {
    if (mpiglut::Window *window = target())
        restack(*window, true);
    REAL(glutPopWindow)();
}

MPIGLUT_EXPORT void glutFullScreen(void) {
    mpiglut::Window *window = target();
    window && !window->parent ? set_full_screen(*window, true) : REAL(glutFullScreen)();
}

MPIGLUT_EXPORT void glutLeaveFullScreen(void) {
    mpiglut::Window *window = target();
    window ? set_full_screen(*window, false) : REAL(glutLeaveFullScreen)();
}

MPIGLUT_EXPORT void glutFullScreenToggle(void) {
    mpiglut::Window *window = target();
    window ? set_full_screen(*window, !window->full_screen) : REAL(glutFullScreenToggle)();
}

/// Another thread's redisplay after the end of the run: FreeGLUT is gone, and ends a program that calls it then.
static bool comes_too_late() { return role() != Role::ticks && state().launched; }

MPIGLUT_EXPORT void glutPostWindowRedisplay(int id) {
    if (!active())
        return comes_too_late() ? void() : REAL(glutPostWindowRedisplay)(id);
    if (role() != Role::ticks)
        return send_redisplay(id);
    if (mpiglut::Window *window = state().window(id)) {
        window->redisplay = true;
        note(Did::redisplays, id);
    }
}

MPIGLUT_EXPORT void glutPostRedisplay(void) {
    if (!active())
        return comes_too_late() ? void() : REAL(glutPostRedisplay)();
    glutPostWindowRedisplay(REAL(glutGetWindow)());
}

MPIGLUT_EXPORT void glutWarpPointer(int x, int y) {
    const mpiglut::Window *window = target();
    if (!window || warp_here(*window, x, y))
        REAL(glutWarpPointer)(x, y);
}
