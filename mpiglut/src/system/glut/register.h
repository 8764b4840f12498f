// How a callback is put into the current window of the model.
#pragma once

#include "base/export.h"
#include "base/real.h"
#include "base/state.h"

namespace mpiglut {

/// The current window's callback `slot`; false when this call is FreeGLUT's to answer.
template <class C, class... How> bool set(const char *call, C Callbacks::*slot, How... how) {
    if (!glut_active(call))
        return false;
    Window *window = state().current();
    if (!window)
        return false;
    window->*slot = C(how...);
    return true;
}

} // namespace mpiglut

#define WINDOW_CALLBACK(function, slot, ...)                                                                           \
    MPIGLUT_EXPORT void function(void (*callback)(__VA_ARGS__)) {                                                      \
        if (!mpiglut::set(__func__, &mpiglut::Window::slot, callback))                                                 \
            REAL(function)(callback);                                                                                  \
    }

#define WINDOW_CALLBACK_UCALL(function, slot, ...)                                                                     \
    MPIGLUT_EXPORT void function(void (*callback)(__VA_ARGS__), void *data) {                                          \
        if (!mpiglut::set(__func__, &mpiglut::Window::slot, callback, data))                                           \
            REAL(function)(callback, data);                                                                            \
    }

#define BOTH(function, slot, ...)                                                                                      \
    WINDOW_CALLBACK(function, slot, __VA_ARGS__)                                                                       \
    WINDOW_CALLBACK_UCALL(function##Ucall, slot, __VA_ARGS__, void *)
