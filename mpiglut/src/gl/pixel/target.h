// A framebuffer object of the library, with colours alone.
#pragma once

#include <GL/gl.h>

namespace mpiglut::gl {

/// Bound for drawing when it is made. All other GL state stays as it was.
class Target {
  public:
    Target(int width, int height);
    Target(Target &&other) noexcept;
    ~Target();
    /// Binds it for reading.
    void read() const;

  private:
    GLuint framebuffer_ = 0, colours_ = 0;
};

} // namespace mpiglut::gl
