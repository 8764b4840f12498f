// What an X11 program draws to, other than windows: pbuffers, which are made on the tile's display and have names on
// the program's, alike on all ranks. A GLX pixmap is a pbuffer of its size: what is drawn there stays there.
#pragma once

#include <GL/glx.h>
#include <xcb/xcb.h>

namespace mpiglut::x11 {

/// A name for this drawable of the tile's display.
GLXDrawable name_drawable(xcb_connection_t *connection, GLXDrawable real);
/// A pbuffer on the tile's display, and its name; None where the driver refuses.
GLXDrawable make_pbuffer(xcb_connection_t *connection, GLXFBConfig config, const int *attributes);
/// A pbuffer with the size of this pixmap.
GLXDrawable make_pixmap(xcb_connection_t *connection, GLXFBConfig config, xcb_drawable_t pixmap);
void destroy_pbuffer(GLXDrawable name);
/// All of this connection, which may give their names again.
void destroy_pbuffers(xcb_connection_t *connection);

/// As glXQueryDrawable; nothing for a name that is not known.
void query_pbuffer(GLXDrawable name, int what, unsigned *value);

/// What this name stands for on the tile's display; None for another one.
GLXDrawable real_drawable(GLXDrawable name);

} // namespace mpiglut::x11
