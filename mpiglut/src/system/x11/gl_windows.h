// The windows of an X11 program that its contexts draw to, as the wall's X server has them. The program's connection to
// that server says the same on all ranks, as long as all ranks ask alike.
#pragma once

#include "wall/wall.h"

#include <GL/glx.h>
#include <xcb/xcb.h>

#include <vector>

namespace mpiglut {
struct Window;
}

namespace mpiglut::x11 {

/// Of a connection of Xlib's; null where libX11-xcb is missing, which Xlib's drivers also need.
xcb_connection_t *connection_of(Display *display);

/// What the wall's X server says of a drawable.
struct Answer {
    bool exists = false, is_window = false, viewable = false;
    pixmpi::Rect place; ///< on the screen
};
/// In one round trip; for each drawable in turn.
std::vector<Answer> ask(xcb_connection_t *connection, const std::vector<xcb_drawable_t> &drawables);

/// A window of the program that is one of the wall.
struct ProgramWindow {
    xcb_connection_t *connection = nullptr; ///< by which it was made known
    xcb_window_t name = 0;
    int id = 0;                   ///< the model's
    GLXFBConfig config = nullptr; ///< of the real window
    GLXContext last = nullptr;    ///< that was current to it
    ::Window real = 0;            ///< the window on the tile's display; the model has what GLX makes of it
    Colormap colormap = 0;        ///< the real window's
};
ProgramWindow *find_window(XID name);
ProgramWindow *window_with(int id);
/// In the order in which they became windows of the wall.
std::vector<int> ids_of_windows();
/// The one that has this window on the tile's display.
ProgramWindow *window_on_tile(::Window real);

/// Looks at all windows, and lets the wall follow what the program or a window manager has done to them. The thread is
/// that of the ticks.
void follow_windows();
/// The same where they have not changed: what the program has asked for by their connections sets out.
void flush_connections();
/// From now on viewports of a size that the window has not are a reason to look: the program has heard of a new size.
void look_at_viewports();
/// From now on a window without a back buffer is shown, and a frame ends, where the program says glFlush or glFinish.
void look_at_flushes();

/// What the window that the wall is about to make is for.
const ProgramWindow &wanted_window();
/// Makes a wall's window of this one, to which its last context is current then.
void make_window(const ProgramWindow &window, const Answer &answer);
/// From the window system: the real one is there, and is drawn to by this name.
void window_was_made(int id, GLXWindow drawn, ::Window real, Colormap colormap);
void forget_window(int id);
/// No window was drawn to by this context any more.
void forget_last(GLXContext context);

} // namespace mpiglut::x11
