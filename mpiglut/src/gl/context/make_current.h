// The ways a context becomes current, comes and goes, below the calls of GLX.
#pragma once

#include <GL/glx.h>

#include <functional>

namespace mpiglut::gl {

/// Makes the context current by `real`, which gets what is to be drawn to and read from instead of the drawables.
/// `by_program`: it is the program's own wish, not that of a toolkit's main loop.
Bool make_current(bool by_program, Display *display, GLXDrawable draw, GLXDrawable read, GLXContext context,
                  const std::function<Bool(GLXDrawable, GLXDrawable)> &real);

/// After a context was made; returns it.
GLXContext created(bool by_program, GLXContext context, GLXContext shares_with);

/// From the window system: what to call when the program sets a viewport that begins at the window's corner and has not
/// its size. The program may know of a size that the wall has not heard of yet.
void on_other_size(void (*call)(int width, int height));

/// The same: what to call when the program has told the GL to show what it has drawn to a window without a back buffer,
/// or to what is no window.
void on_shown_front(void (*call)(bool is_window));

} // namespace mpiglut::gl
