// The window's pixels from all tiles as a framebuffer object, for everything that copies from the window within the GL.
#pragma once

#include "gl/coordinates/mirror.h"
#include "wall/wall.h"

#include <GL/gl.h>

#include <vector>

namespace mpiglut::gl {

/// A framebuffer object, bound for reading, that shows a rectangle of the window; afterwards all is as it was. Such
/// an object has an end where the window ends, so that copies from outside leave the same pixels alone.
class WindowImage {
  public:
    enum What : unsigned { color = 1, depth = 2, stencil = 4 };
    /// `asked` reaches into the window. All ranks have to come here with the same arguments.
    WindowImage(Context &c, const pixmpi::Rect &asked, unsigned what);
    ~WindowImage();
    WindowImage(const WindowImage &) = delete;
    WindowImage &operator=(const WindowImage &) = delete;

    /// 0 when the window has nothing of what was asked for: then the window itself is bound, and GL says what it says.
    GLuint framebuffer() const { return framebuffer_; }
    /// What is to be subtracted from the window's coordinates.
    Origin origin() const { return origin_; }

  private:
    struct Plane;
    std::vector<Plane> planes(unsigned what) const;
    void attach(const Plane &plane, const pixmpi::Rect &rect, const void *pixels);

    Context &context_;
    GLuint framebuffer_ = 0;
    std::vector<GLuint> textures_;
    Origin origin_;
};

} // namespace mpiglut::gl
