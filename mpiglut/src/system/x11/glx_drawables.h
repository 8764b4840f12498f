// Calls of GLX that GLUT walls interpose as well, for drawables of an X11 program.
#pragma once

#include <GL/glx.h>

namespace mpiglut::x11 {

/// glXSwapBuffers.
void swap_drawable(Display *program, GLXDrawable drawable);
/// The program has named nothing that there is: it gets X's error.
void tell_of_nothing(Display *program, GLXDrawable drawable);
/// glXQueryDrawable.
void query_drawable(Display *program, GLXDrawable drawable, int name, unsigned *value);

} // namespace mpiglut::x11
