// GL errors around the library's own GL calls: those that the program has not asked for yet are kept for it, those that
// the library's calls raise are the library's.
#pragma once

#include <GL/gl.h>

namespace mpiglut::gl {

class ErrorScope {
  public:
    /// Takes the program's pending error aside; glGetError hands it out later.
    ErrorScope();
    /// Drops what was raised since, unless `keep` was called.
    ~ErrorScope();
    ErrorScope(const ErrorScope &) = delete;
    ErrorScope &operator=(const ErrorScope &) = delete;

    /// The first error since construction or the last call.
    GLenum fetch();
    /// The program is to see this error, unless an older one is waiting.
    void keep(GLenum error);
};

} // namespace mpiglut::gl
