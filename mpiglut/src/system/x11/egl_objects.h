// EGL on X11, as an X11 program has it. What it makes is made by the GLX of the tile's display, which has contexts of
// OpenGL ES as well: so windows, swaps and off-screen parts have one way on a wall, and a config is a GLXFBConfig.
// Displays of other platforms (surfaceless, GBM, devices) are the system's EGL's.
#pragma once

#include "base/real.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/glx.h>
#include <xcb/xcb.h>

#include <utility>

namespace mpiglut::x11::egl {

struct Display {
    void *native = nullptr; ///< as the program named it; null: the default one
    bool is_xcb = false;    ///< `native` is an xcb_connection_t
    xcb_connection_t *connection = nullptr;
    bool initialized = false;
};

struct Surface {
    Display *display = nullptr;
    GLXFBConfig config = nullptr;
    GLXDrawable name = None; ///< the program's window, or what make_pbuffer names; None: its connection has ended
    bool is_window = false;
    bool gone = false; ///< destroyed while it was current
};

struct Context {
    GLXContext real = nullptr;
    GLXFBConfig config = nullptr;
    EGLenum api = EGL_OPENGL_ES_API;
    EGLint version = 1;
    GLXDrawable alone = None; ///< a pbuffer that it is current to where it has no surface
    Display *display = nullptr;
};

/// What is current in this thread.
struct Here {
    EGLenum api = EGL_OPENGL_ES_API;
    EGLint error = EGL_SUCCESS;
    Display *display = nullptr;
    Surface *draw = nullptr, *read = nullptr;
    Context *context = nullptr;
};
Here &here();

/// One of ours; null for one of the system's EGL.
Display *find_display(EGLDisplay display);
/// The display for this native one; made the first time. Null in other runs than an X11 program's.
EGLDisplay display_for(void *native, bool is_xcb);
/// The program ends this connection. Its displays are to be initialized anew, and its surfaces have no windows.
void forget_connection(const xcb_connection_t *connection);
/// A surface of ours, by what the program calls it; null where there is none.
Surface *find_surface(EGLSurface name);
/// Of a display whose connection has ended.
void end_surfaces(const Display *display);
void end_contexts(const Display *display);

/// Sets the thread's error, and gives what a failed call returns.
template <class T = EGLBoolean> T refuse(EGLint error, T result = {}) {
    here().error = error;
    return result;
}
template <class T = EGLBoolean> T succeed(T result = EGL_TRUE) {
    here().error = EGL_SUCCESS;
    return result;
}

/// The system's function; where it has none of this extension, the display is none.
template <class R, class... Parameters, class... Arguments>
R pass(R (*real)(Parameters...), Arguments... arguments) {
    return real ? real(static_cast<Parameters>(arguments)...) : refuse(EGL_BAD_DISPLAY, R{});
}

/// A value of eglGetConfigAttrib; false for a name that is none.
bool config_value(const Display &display, GLXFBConfig config, EGLint name, EGLint &value);
/// It is one of those that eglGetConfigs tells of.
bool is_config(const Display &display, GLXFBConfig config);

} // namespace mpiglut::x11::egl
