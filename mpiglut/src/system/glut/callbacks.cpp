// Registering callbacks, in both of FreeGLUT's spellings.
#include "base/export.h"
#include "base/real.h"
#include "base/state.h"
#include "clock/clock.h"
#include "system/glut/register.h"

#include <GL/freeglut.h>
#include <GL/freeglut_ucall.h>

#include <algorithm>

namespace mpiglut {
namespace {

void add_timer(unsigned int milliseconds, int value, std::function<void()> call) {
    State &s = state();
    // Counted from the tick's stamp, which is the same on every rank, not from a read of the clock.
    Timer timer{s.elapsed_ms(clock::stamp().monotonic_ns) + milliseconds, s.tick, std::move(call), value};
    auto later =
        std::find_if(s.timers.begin(), s.timers.end(), [&](const Timer &other) { return other.due_ms > timer.due_ms; });
    s.timers.insert(later, std::move(timer));
    note(Did::timers, milliseconds, value);
}

} // namespace
} // namespace mpiglut

using namespace mpiglut;

// The later of two calls replaces the earlier one, even by null. FreeGLUT's visibility callback is a status callback.
#define ONE_OF_TWO(function, slot, other)                                                                              \
    MPIGLUT_EXPORT void function(void (*callback)(int)) {                                                              \
        if (!set(__func__, &mpiglut::Window::other) || !set(__func__, &mpiglut::Window::slot, callback))               \
            REAL(function)(callback);                                                                                  \
    }                                                                                                                  \
    MPIGLUT_EXPORT void function##Ucall(void (*callback)(int, void *), void *data) {                                   \
        if (!set(__func__, &mpiglut::Window::other) || !set(__func__, &mpiglut::Window::slot, callback, data))         \
            REAL(function##Ucall)(callback, data);                                                                     \
    }

BOTH(glutReshapeFunc, reshape, int, int)
BOTH(glutKeyboardFunc, keyboard, unsigned char, int, int)
BOTH(glutKeyboardUpFunc, keyboard_up, unsigned char, int, int)
BOTH(glutSpecialFunc, special, int, int, int)
BOTH(glutSpecialUpFunc, special_up, int, int, int)
BOTH(glutMouseFunc, mouse, int, int, int, int)
BOTH(glutMouseWheelFunc, wheel, int, int, int, int)
BOTH(glutMotionFunc, motion, int, int)
BOTH(glutPassiveMotionFunc, passive, int, int)
BOTH(glutEntryFunc, entry, int)
ONE_OF_TWO(glutVisibilityFunc, visibility, window_status)
ONE_OF_TWO(glutWindowStatusFunc, window_status, visibility)
BOTH(glutPositionFunc, position, int, int)
WINDOW_CALLBACK(glutCloseFunc, close, void)
WINDOW_CALLBACK_UCALL(glutCloseFuncUcall, close, void *)
WINDOW_CALLBACK(glutWMCloseFunc, close, void)
WINDOW_CALLBACK_UCALL(glutWMCloseFuncUcall, close, void *)
WINDOW_CALLBACK(glutOverlayDisplayFunc, overlay_display, void)
WINDOW_CALLBACK_UCALL(glutOverlayDisplayFuncUcall, overlay_display, void *)
WINDOW_CALLBACK(glutInitContextFunc, init_context, void)
WINDOW_CALLBACK_UCALL(glutInitContextFuncUcall, init_context, void *)
WINDOW_CALLBACK_UCALL(glutDisplayFuncUcall, display, void *)

MPIGLUT_EXPORT void glutDisplayFunc(void (*callback)(void)) {
    // FreeGLUT refuses a null display callback with an error, which is the program's to see.
    if (!callback || !set(__func__, &mpiglut::Window::display, callback))
        REAL(glutDisplayFunc)(callback);
}

MPIGLUT_EXPORT void glutIdleFunc(void (*callback)(void)) {
    if (!glut_active())
        return REAL(glutIdleFunc)(callback);
    state().idle = Callback<>(callback);
}

MPIGLUT_EXPORT void glutIdleFuncUcall(void (*callback)(void *), void *data) {
    if (!glut_active())
        return REAL(glutIdleFuncUcall)(callback, data);
    state().idle = Callback<>(callback, data);
}

MPIGLUT_EXPORT void glutTimerFunc(unsigned int milliseconds, void (*callback)(int), int value) {
    if (!glut_active())
        return REAL(glutTimerFunc)(milliseconds, callback, value);
    add_timer(milliseconds, value, [=] { callback(value); });
}

MPIGLUT_EXPORT void glutTimerFuncUcall(unsigned int milliseconds, void (*callback)(int, void *), int value,
                                       void *data) {
    if (!glut_active())
        return REAL(glutTimerFuncUcall)(milliseconds, callback, value, data);
    add_timer(milliseconds, value, [=] { callback(value, data); });
}

MPIGLUT_EXPORT void glutMenuStatusFunc(void (*callback)(int, int, int)) {
    if (!glut_active())
        return REAL(glutMenuStatusFunc)(callback);
    state().menu_status = Callback<int, int, int>(callback);
}

MPIGLUT_EXPORT void glutMenuStatusFuncUcall(void (*callback)(int, int, int, void *), void *data) {
    if (!glut_active())
        return REAL(glutMenuStatusFuncUcall)(callback, data);
    state().menu_status = Callback<int, int, int>(callback, data);
}

MPIGLUT_EXPORT void glutMenuStateFunc(void (*callback)(int)) {
    if (!glut_active())
        return REAL(glutMenuStateFunc)(callback);
    state().menu_state = Callback<int>(callback);
}
