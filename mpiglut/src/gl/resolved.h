// What a multisampled window shows: some drivers' glReadPixels hands out single samples instead.
#pragma once

#include "gl/mirror.h"

namespace mpiglut::gl {

/// While it lives, and if the window is multisampled, reads find its part's colours resolved. The window is bound for
/// reading before and after, with its read buffer chosen.
class Resolved {
  public:
    Resolved(const Context *context, int width, int height);
    ~Resolved();
    Resolved(const Resolved &) = delete;
    Resolved &operator=(const Resolved &) = delete;

  private:
    void blit(int width, int height);

    GLuint framebuffer_ = 0, colours_ = 0;
};

} // namespace mpiglut::gl
