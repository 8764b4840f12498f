#include "gl/pixel/target.h"

#include "base/real.h"
#include "gl/coordinates/mirror.h"
#include "gl/pixel/pixel_store.h"

#include <GL/glext.h>

#include <utility>

namespace mpiglut::gl {

Target::Target(int width, int height) {
    const GLint before = get(GL_RENDERBUFFER_BINDING);
    REAL(glGenFramebuffers)(1, &framebuffer_);
    glGenRenderbuffers(1, &colours_);
    glBindRenderbuffer(GL_RENDERBUFFER, colours_);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width, height);
    glBindRenderbuffer(GL_RENDERBUFFER, static_cast<GLuint>(before));
    REAL(glBindFramebuffer)(GL_DRAW_FRAMEBUFFER, framebuffer_);
    REAL(glFramebufferRenderbuffer)(GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colours_);
}

Target::Target(Target &&other) noexcept
    : framebuffer_(std::exchange(other.framebuffer_, 0)), colours_(std::exchange(other.colours_, 0)) {}

Target::~Target() {
    if (!framebuffer_)
        return;
    REAL(glDeleteFramebuffers)(1, &framebuffer_);
    glDeleteRenderbuffers(1, &colours_);
}

void Target::read() const { REAL(glBindFramebuffer)(GL_READ_FRAMEBUFFER, framebuffer_); }

} // namespace mpiglut::gl
