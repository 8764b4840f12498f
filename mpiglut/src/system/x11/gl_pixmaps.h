// Pixels that OpenGL has drawn, in pixmaps of the program's X server: what is drawn to a GLX pixmap, and what
// eglCopyBuffers copies. All ranks have read the same pixels, so all make the same requests.
#pragma once

#include <GL/glx.h>
#include <xcb/xcb.h>

namespace mpiglut::x11 {

/// Sends what this thread's context draws to, a window or a surface of this size, to the pixmap. False where the pixmap
/// is none, or has no pixels of 32 bits.
bool send_pixels(xcb_connection_t *connection, xcb_pixmap_t pixmap, int width, int height);

/// Where this thread draws to a pixmap: it gets what has been drawn.
void update_pixmap();

/// While it lives, framebuffer objects are not bound: reads are of the surface.
class SurfaceBound {
  public:
    SurfaceBound();
    ~SurfaceBound();
    SurfaceBound(const SurfaceBound &) = delete;
    SurfaceBound &operator=(const SurfaceBound &) = delete;

  private:
    int draw_, read_;
};

} // namespace mpiglut::x11
