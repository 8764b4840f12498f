// Errors that plain GLX would send. A program gets them by its own handler, as if its X server had sent them.
#pragma once

#include <X11/Xlib.h>

namespace mpiglut::x11 {

/// One of X, such as BadAlloc.
void send_error(Display *program, int code, XID resource);
/// One of GLX, counted from its first one.
enum class GlxError { bad_drawable = 2, bad_pixmap = 3, bad_pbuffer = 10, bad_window = 12 };
void send_error(Display *program, GlxError error, XID resource);

} // namespace mpiglut::x11
