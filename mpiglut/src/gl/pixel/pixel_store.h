// The pixel storage and transfer state around the library's own reads and uploads.
#pragma once

#include "gl/pixel/pixel_layout.h"

#include <GL/gl.h>

#include <utility>
#include <vector>

namespace mpiglut::gl {

/// What the program has set for glReadPixels, of an image of this height.
PackState pack_state(int height);

/// While it lives, the chosen directions use client memory without any padding.
class PlainPixels {
  public:
    enum What : unsigned {
        pack = 1,       ///< alignment 1, no skips, no pack buffer
        pack_order = 2, ///< bytes and bits in the machine's order, too
        unpack = 4,     ///< the same of uploads
        transfer = 8,   ///< no scale, bias, maps
    };
    explicit PlainPixels(unsigned what);
    ~PlainPixels();
    PlainPixels(const PlainPixels &) = delete;
    PlainPixels &operator=(const PlainPixels &) = delete;

  private:
    void unbind(GLenum target, GLenum binding);

    std::vector<std::pair<GLenum, GLint>> stored_;
    std::vector<std::pair<GLenum, GLfloat>> transferred_;
    std::vector<std::pair<GLenum, GLuint>> buffers_;
};

/// What the program has set by glPixelStorei, or which buffer it has bound for pixels; `otherwise` where OpenGL ES has
/// no such setting, and would note an error.
GLint get_stored(GLenum name, GLint otherwise = 0);

/// glGetIntegerv of one value, `otherwise` where the driver does not know it.
GLint get(GLenum name, GLint otherwise = 0);

} // namespace mpiglut::gl
