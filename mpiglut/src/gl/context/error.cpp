#include "gl/context/error.h"

#include "base/export.h"
#include "base/real.h"

#include <GL/glx.h>

namespace mpiglut::gl {

namespace {

struct Pending {
    GLenum error = GL_NO_ERROR;
    GLXContext context = nullptr; ///< that has the error
};
thread_local Pending pending;

} // namespace

ErrorScope::ErrorScope() { keep(fetch()); }

ErrorScope::~ErrorScope() { fetch(); }

GLenum ErrorScope::fetch() {
    const GLenum first = REAL(glGetError)();
    // A distributed GL has more than one flag; without a context each call returns the same error forever.
    for (int i = 0; i < 16 && REAL(glGetError)() != GL_NO_ERROR; ++i) {
    }
    return first;
}

void ErrorScope::keep(GLenum error) {
    const GLXContext context = REAL(glXGetCurrentContext)();
    if (error != GL_NO_ERROR && (pending.error == GL_NO_ERROR || pending.context != context))
        pending = {error, context};
}

} // namespace mpiglut::gl

MPIGLUT_EXPORT GLenum glGetError() {
    using mpiglut::gl::pending;
    if (pending.error == GL_NO_ERROR || pending.context != REAL(glXGetCurrentContext)())
        return REAL(glGetError)();
    const GLenum error = pending.error;
    pending.error = GL_NO_ERROR;
    return error;
}
