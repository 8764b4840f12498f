// Windows that do not show what the program renders as it is: the tile's monitor is turned, or the tile also draws
// behind bezels. The program renders its part upright off screen, into a stand-in for the window. At the end of a
// frame our own context draws the visible piece, turned, into the real window. The program's context is not
// touched.
#pragma once

#include <GL/glx.h>

#include <functional>

namespace mpiglut {
struct Picture;
struct Window;
} // namespace mpiglut

namespace mpiglut::gl {

/// What to render to instead of this drawable: what stands in for a presented window, else the drawable itself. Also
/// the place where a window that is being created becomes known to the GL layer. From glXMake[Context]Current.
GLXDrawable substitute(Display *display, GLXDrawable drawable, GLXContext context);

/// The window that this drawable stands in for, or the drawable itself.
GLXDrawable stands_for(GLXDrawable drawable);

/// The current window's pixel format can be drawn off screen.
bool can_present();
/// From now on the current window is rendered off screen, in its part's size, unless the X server refuses. Its last
/// picture is not in there.
void add_presenter(Window &window);
/// True when the window is rendered off screen.
bool is_presented(const Window &window);
/// The driver has GLX_SGI_swap_control.
bool has_swap_interval(Display *display);
/// From now on swaps of the current drawable wait for its retrace; false where the driver refuses. It has to be a
/// window: for a pbuffer NVIDIA's driver ends the program by an X error.
bool wait_for_retrace();
/// How a frame is shown.
struct Showing {
    bool front = false;         ///< what the program has drawn to the front buffer
    bool late = false;          ///< of a window that is shared out: with the next frame, or by show_late
    Picture *kept = nullptr;    ///< receives what the window shows, unless null or late
    std::function<void()> look; ///< called when the real window's back buffer is current and has the picture
    std::function<bool()> meet; ///< called when the GPU has drawn; all ranks have come where it returns true
};
/// Draws what was rendered off screen for the real window, and shows it. A frame that is to be shown late is kept, its
/// strips set out, and the frame before is shown, if that is late as well (Sharing::late). The program's context is
/// current again afterwards.
void present(Window &window, const Showing &showing);
/// Shows the late frame of the current window. Of `showing`, look and meet count.
void show_late(Window &window, const Showing &showing);
/// From now on the current window is rendered into itself again. Its back buffer has what it showed last.
void remove_presenter(Window &window);
/// After the window's part has another size, in the thread that draws it: the next picture has that size. If the X
/// server refuses that, then a line says so, and pixels beyond the old size are missing.
void resize_drawable(Window &window);
/// The same for the current window if it is drawn off screen and this thread has charge of that: where what it draws to
/// is the window's no longer, or has not the size of its part.
void fit_drawable();
/// Before the window goes.
void drop_presenter(Window &window);

} // namespace mpiglut::gl
