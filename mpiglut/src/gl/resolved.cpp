#include "gl/resolved.h"

#include "base/real.h"
#include "gl/pixel_store.h"

#include <GL/glext.h>

#include <algorithm>

namespace mpiglut::gl {

NoScissor::NoScissor(int viewports) : on_(static_cast<std::size_t>(std::max(viewports, 1))) {
    for (GLuint i = 0; i < on_.size(); ++i)
        on_[i] = glIsEnabledi(GL_SCISSOR_TEST, i) == GL_TRUE;
    glDisable(GL_SCISSOR_TEST);
}

NoScissor::~NoScissor() {
    for (GLuint i = 0; i < on_.size(); ++i)
        if (on_[i])
            glEnablei(GL_SCISSOR_TEST, i);
}

Resolved::Resolved(const Context *context, int width, int height) {
    if (!context || context->limits.version < 30 || context->limits.es)
        return;
    REAL(glBindFramebuffer)(GL_DRAW_FRAMEBUFFER, 0);
    if (get(GL_SAMPLE_BUFFERS) > 0) {
        const NoScissor no_scissor(context->limits.viewports);
        blit(width, height);
    }
    REAL(glBindFramebuffer)(GL_DRAW_FRAMEBUFFER, context->draw_framebuffer);
}

void Resolved::blit(int width, int height) {
    const GLint before = get(GL_RENDERBUFFER_BINDING);
    REAL(glGenFramebuffers)(1, &framebuffer_);
    glGenRenderbuffers(1, &colours_);
    glBindRenderbuffer(GL_RENDERBUFFER, colours_);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width, height);
    glBindRenderbuffer(GL_RENDERBUFFER, static_cast<GLuint>(before));
    REAL(glBindFramebuffer)(GL_DRAW_FRAMEBUFFER, framebuffer_);
    glFramebufferRenderbuffer(GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colours_);
    REAL(glBlitFramebuffer)(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    REAL(glBindFramebuffer)(GL_READ_FRAMEBUFFER, framebuffer_);
}

Resolved::~Resolved() {
    if (!framebuffer_)
        return;
    REAL(glBindFramebuffer)(GL_READ_FRAMEBUFFER, 0);
    REAL(glDeleteFramebuffers)(1, &framebuffer_);
    glDeleteRenderbuffers(1, &colours_);
}

} // namespace mpiglut::gl
