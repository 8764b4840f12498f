// The functions behind the ones this library interposes.
#pragma once

namespace mpiglut {

/// The next definition of `name` after this library (libglut, libGL, libc), or what the real glXGetProcAddressARB
/// knows of it, or null. Never this library's own.
void *real_symbol(const char *name);

/// This library's own exported definition of `name`, or null. The look-up functions return it.
void *own_symbol(const char *name);

/// Both are functions of one library. A program that brings an old FreeGLUT also has the system's in its memory.
bool of_one_library(const void *function, const void *other);

/// True while this process takes part in a wall: from glutInit until the end of the run. In base/state.cpp.
bool active();

} // namespace mpiglut

/// The real function of the same name and type: REAL(glViewport)(x, y, w, h). Looked up once per place of use. Inside
/// this library a plain glViewport(...) would call the interposed one, so every call of a GL, GLX, GLUT or clock
/// function that has an interposed twin goes through REAL. May be null for functions the driver lacks.
#define REAL(function)                                                                                                 \
    ([]() -> decltype(&::function) {                                                                                   \
        static const auto pointer = reinterpret_cast<decltype(&::function)>(::mpiglut::real_symbol(#function));        \
        return pointer;                                                                                                \
    }())
