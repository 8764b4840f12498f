// Joysticks, spaceballs, dials and button boxes: those of rank 0 are the wall's, however many ranks its host has.
// FreeGLUT opens such a device when its callback is registered, so ours is registered there, on rank 0, when the
// program registers its own.
#include "system/glut/hook.h"
#include "system/glut/backend.h"
#include "system/glut/register.h"
#include "sync/comm.h"

#include <GL/freeglut.h>
#include <GL/freeglut_ucall.h>

using namespace mpiglut;
using Kind = Event::Kind;

#define DEVICE(function, slot, handler, ...)                                                                           \
    MPIGLUT_EXPORT void function##Ucall(void (*callback)(__VA_ARGS__, void *), void *data) {                           \
        if (!mpiglut::set(__func__, &mpiglut::Window::slot, callback, data))                                           \
            REAL(function##Ucall)(callback, data);                                                                     \
        else if (comm::rank() == 0)                                                                                    \
            hook(REAL(function##Ucall), REAL(function), callback != nullptr, handler);                                 \
    }                                                                                                                  \
    MPIGLUT_EXPORT void function(void (*callback)(__VA_ARGS__)) {                                                      \
        if (!mpiglut::set(__func__, &mpiglut::Window::slot, callback))                                                 \
            REAL(function)(callback);                                                                                  \
        else if (comm::rank() == 0)                                                                                    \
            hook(REAL(function##Ucall), REAL(function), callback != nullptr, handler);                                 \
    }

DEVICE(glutSpaceballMotionFunc, spaceball_motion,
       ([](int x, int y, int z) { send_local(Kind::spaceball_motion, x, y, z, 0, 0); }), int, int, int)
DEVICE(glutSpaceballRotateFunc, spaceball_rotate,
       ([](int x, int y, int z) { send_local(Kind::spaceball_rotate, x, y, z, 0, 0); }), int, int, int)
DEVICE(glutSpaceballButtonFunc, spaceball_button,
       ([](int button, int up) { send_local(Kind::spaceball_button, 0, 0, 0, button, up); }), int, int)
DEVICE(glutDialsFunc, dials, ([](int dial, int value) { send_local(Kind::dials, 0, 0, 0, dial, value); }), int, int)
DEVICE(glutButtonBoxFunc, button_box,
       ([](int button, int up) { send_local(Kind::button_box, 0, 0, 0, button, up); }), int, int)

namespace {

void hook_joystick(bool set, int interval) {
    const auto on_joystick = [](unsigned int buttons, int x, int y, int z) {
        send_local(Kind::joystick, x, y, z, static_cast<int>(buttons), 0);
    };
    if (comm::rank() == 0)
        hook(REAL(glutJoystickFuncUcall), REAL(glutJoystickFunc), set, on_joystick, interval);
}

} // namespace

MPIGLUT_EXPORT void glutJoystickFunc(void (*callback)(unsigned int, int, int, int), int interval) {
    if (set(__func__, &mpiglut::Window::joystick, callback))
        hook_joystick(callback != nullptr, interval);
    else
        REAL(glutJoystickFunc)(callback, interval);
}

MPIGLUT_EXPORT void glutJoystickFuncUcall(void (*callback)(unsigned int, int, int, int, void *), int interval,
                                          void *data) {
    if (set(__func__, &mpiglut::Window::joystick, callback, data))
        hook_joystick(callback != nullptr, interval);
    else
        REAL(glutJoystickFuncUcall)(callback, interval, data);
}
