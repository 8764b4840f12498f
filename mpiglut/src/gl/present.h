// Tiles whose monitor is turned. The program renders its part upright into a pbuffer that stands in for the window; at
// the end of a frame a context of our own draws it, turned, into the real window. The program's context is not touched.
#pragma once

#include <GL/glx.h>

#include <functional>

namespace mpiglut {
struct Window;
}

namespace mpiglut::gl {

/// What to render to instead of this drawable: the pbuffer of a turned tile's window, else the drawable itself. Also
/// the place where a window that is being created becomes known to the GL layer. From glXMake[Context]Current.
GLXDrawable substitute(Display *display, GLXDrawable drawable, GLXContext context);

/// True when the window is rendered to a pbuffer.
bool is_presented(const Window &window);
/// Draws the window's pbuffer for the real window, calls `meet` when the GPU has done so, and shows it; `front`: what the
/// program has drawn to the front buffer. The program's context is current again afterwards.
void present(Window &window, bool front, const std::function<void()> &meet);
/// After the window's part has another size, with the window's context current: the next picture has that size.
void resize_drawable(Window &window);
/// Before the window goes.
void drop_presenter(Window &window);

} // namespace mpiglut::gl
