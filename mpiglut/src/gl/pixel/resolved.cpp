#include "gl/pixel/resolved.h"

#include "base/real.h"
#include "gl/pixel/pixel_store.h"

#include <GL/glext.h>

#include <algorithm>

namespace mpiglut::gl {

// With one viewport there may be no functions that know of several.
NoScissor::NoScissor(int viewports) : on_(static_cast<std::size_t>(std::max(viewports, 1))) {
    for (GLuint i = 0; i < on_.size(); ++i)
        on_[i] = (on_.size() > 1 ? REAL(glIsEnabledi)(GL_SCISSOR_TEST, i) : REAL(glIsEnabled)(GL_SCISSOR_TEST)) == GL_TRUE;
    REAL(glDisable)(GL_SCISSOR_TEST);
}

NoScissor::~NoScissor() {
    for (GLuint i = 0; i < on_.size(); ++i)
        if (on_[i])
            on_.size() > 1 ? REAL(glEnablei)(GL_SCISSOR_TEST, i) : REAL(glEnable)(GL_SCISSOR_TEST);
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
    target_.emplace(width, height);
    REAL(glBlitFramebuffer)(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    target_->read();
}

Resolved::~Resolved() {
    if (target_)
        REAL(glBindFramebuffer)(GL_READ_FRAMEBUFFER, 0);
}

} // namespace mpiglut::gl
