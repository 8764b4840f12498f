// Pixels that OpenGL has drawn, in pixmaps of the program's X server: what is drawn to a GLX pixmap, and what
// eglCopyBuffers copies. All ranks have read the same pixels, so all make the same requests.
#pragma once

#include <GL/glx.h>
#include <xcb/xcb.h>

namespace mpiglut::x11 {

enum class Sent { all, no_pixmap, other_depth };
/// Sends this buffer of what this thread's context draws to, a window or a surface of this size, to the pixmap. The size
/// is not empty.
Sent send_pixels(xcb_connection_t *connection, xcb_pixmap_t pixmap, int width, int height, GLenum buffer);

/// Where this thread draws to a pixmap: it gets what has been drawn.
void update_pixmap();
/// Where this thread draws to a pbuffer for the first time: its pixels are the same on all ranks from here on.
void clear_new_pbuffer();

/// While it lives, framebuffer objects are not bound: reads are of this buffer of the surface.
class SurfaceBound {
  public:
    explicit SurfaceBound(GLenum buffer);
    ~SurfaceBound();
    SurfaceBound(const SurfaceBound &) = delete;
    SurfaceBound &operator=(const SurfaceBound &) = delete;

  private:
    int draw_, read_, buffer_ = 0;
    bool is_other_ = false; ///< the program reads from another buffer
};

} // namespace mpiglut::x11
