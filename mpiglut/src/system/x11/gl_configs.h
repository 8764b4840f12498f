// Pixel formats are those of the tile's display. To the program each has a visual of its own display: one of the same
// class, depth and masks. Many have the same one, so what the program has chosen last counts.
#pragma once

#include <GL/glx.h>
#include <X11/Xutil.h>
#include <xcb/xcb.h>

#include <vector>

namespace mpiglut::x11 {

int attribute(GLXFBConfig config, int name);

/// All of the tile's display that draw to windows of such a connection, or to none at all; in its order.
const std::vector<GLXFBConfig> &configs(xcb_connection_t *connection);
void forget_configs(xcb_connection_t *connection);
/// The visual of the program's that stands for this format's; 0 where there is none.
VisualID visual_of(xcb_connection_t *connection, GLXFBConfig config);
/// The same as Xlib has it, to be freed by XFree; null where there is none.
XVisualInfo *visual_info(Display *program, GLXFBConfig config);

/// The program has got this visual for that format.
void remember_choice(VisualID visual, GLXFBConfig config);
/// The format that a visual of the program's stands for: the one that it was given for, or a usual one.
GLXFBConfig config_of_visual(xcb_connection_t *connection, VisualID visual);

} // namespace mpiglut::x11
