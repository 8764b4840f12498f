// What an X11 program has made current, by GLX or by EGL: its names, and what stands for them on the tile's display.
#pragma once

#include "system/x11/gl_windows.h"

#include <GL/glx.h>

#include <functional>

namespace mpiglut::x11 {

/// What the program has made current in a thread, in its own words.
struct Binding {
    Display *display = nullptr; ///< null where it uses EGL
    GLXDrawable draw = None, read = None;
    GLXContext context = nullptr;
    int window = 0; ///< the model's number, if it draws to one
};
/// In this thread.
const Binding &bound();

/// Makes the context current to what the names stand for. A window becomes one of the wall by this.
bool make_current(Display *display, xcb_connection_t *connection, GLXDrawable draw, GLXDrawable read,
                  GLXContext context);
/// The program exchanges the buffers of a window of the wall: a tick ends with it.
void swap_window(int id);

/// The pixel format that a context was made for.
void note_context(GLXContext context, GLXFBConfig config);
void forget_context(GLXContext context);
GLXFBConfig config_of(GLXContext context);

/// This thread is that of the ticks from here on, unless another one is in the middle of one.
void claim_ticks();
/// The window with the current context of this thread.
int current_window();
/// Makes the context current that the window was last drawn with.
void make_window_current(int id);
/// Makes a context current to drawables of the tile's display.
bool bind_real(GLXDrawable draw, GLXDrawable read, GLXContext context);
/// Calls it while this thread reads from what this name stands for. False, without the call, where the driver refuses:
/// the formats do not fit.
bool read_from(GLXDrawable name, const std::function<void()> &call);
/// The new window is what this thread draws to.
void begin_with(int window);

/// At its end the program has current again what it had.
class KeepBinding {
  public:
    KeepBinding() = default;
    ~KeepBinding();
    KeepBinding(const KeepBinding &) = delete;
    KeepBinding &operator=(const KeepBinding &) = delete;
};

} // namespace mpiglut::x11
