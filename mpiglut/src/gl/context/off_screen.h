// What a window is rendered to instead of itself: a pbuffer. Where a driver makes none, a window that is never shown
// does as well, as long as the driver keeps what is drawn there: it does where windows have their own memory.
#pragma once

#include <GL/glx.h>

namespace mpiglut::gl {

/// The format of a context if it can be drawn off screen in that format, else null. Tries out what the driver does not
/// promise; the current context stays.
GLXFBConfig off_screen_config(Display *display, GLXContext context);

/// As far as the server says, the current context can draw to something of that size off screen.
bool fits_off_screen(int width, int height);

/// In a format that `off_screen_config` has given. None where the X server refuses, for want of memory.
/// MPIGLUT_PBUFFERS=no leaves pbuffers out, for tests.
GLXDrawable make_off_screen(Display *display, GLXFBConfig config, int width, int height);
void destroy_off_screen(Display *display, GLXFBConfig config, GLXDrawable drawable);

} // namespace mpiglut::gl
