// What an X11 program draws to, other than windows: pbuffers, which are made on the tile's display and have names on
// the program's, alike on all ranks. A GLX pixmap is a pbuffer of its size, whose pixels are sent to the pixmap.
#pragma once

#include <GL/glx.h>
#include <xcb/xcb.h>

namespace mpiglut::x11 {

/// A name for this drawable of the tile's display.
GLXDrawable name_drawable(xcb_connection_t *connection, GLXDrawable real);
/// A pbuffer on the tile's display, and its name. None where the driver refuses, with X's error unless that is null.
GLXDrawable make_pbuffer(xcb_connection_t *connection, GLXFBConfig config, const int *attributes, int *error = nullptr);
/// A pbuffer with the size of this pixmap. None where it is no pixmap.
GLXDrawable make_pixmap(xcb_connection_t *connection, GLXFBConfig config, xcb_drawable_t pixmap);
/// A pixmap of the program's, on this connection.
struct PixmapOfProgram {
    xcb_connection_t *connection = nullptr;
    xcb_pixmap_t name = XCB_NONE;
    int width = 0, height = 0;
};
/// The one that this pbuffer was made for; none where it is none's.
PixmapOfProgram pixmap_of(GLXDrawable name);
/// True once for each pbuffer and pixmap.
bool is_first_use(GLXDrawable name);
/// Or a pixmap. False for a name that is not known.
bool destroy_pbuffer(GLXDrawable name);
/// All of this connection, which may give their names again; of its windows what is known by note_glx_window.
void destroy_drawables(xcb_connection_t *connection);

/// As glXQueryDrawable; nothing for a name that is not known.
void query_pbuffer(GLXDrawable name, int what, unsigned *value);

/// glXCreateWindow has given this window's own name for one of GLX's, of this format.
void note_glx_window(xcb_connection_t *connection, GLXWindow window, GLXFBConfig config);
/// The format of a window that GLX has a name for; null for another one.
GLXFBConfig config_of_glx_window(GLXWindow window);
/// True if there was such a name.
bool forget_glx_window(GLXWindow window);

/// What this name stands for on the tile's display; None for another one.
GLXDrawable real_drawable(GLXDrawable name);

} // namespace mpiglut::x11
