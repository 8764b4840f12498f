#include "context/gl_errors.h"

namespace glmpi {

GlErrors::GlErrors(const Gl &gl) : gl_(gl) {
    while (count_ < most) {
        const GLenum error = gl_.GetError();
        if (error == GL_NO_ERROR)
            break;
        pending_[count_++] = error;
    }
}

GlErrors::~GlErrors() {
    any();
    if (count_ == 0)
        return;
    const Quiet quiet(gl_); // the callback has heard of them
    for (int i = 0; i < count_; ++i)
        put_back(pending_[i]);
}

bool GlErrors::any() {
    int found = 0;
    for (GLenum error; found < most && (error = gl_.GetError()) != GL_NO_ERROR; ++found)
        ran_out_ = ran_out_ || error == GL_OUT_OF_MEMORY;
    return found > 0;
}

pixmpi::Status GlErrors::check(const char *doing) {
    const GLenum error = gl_.GetError();
    if (error == GL_NO_ERROR)
        return PIXMPI_SUCCESS;
    any();
    return pixmpi::fail(error == GL_OUT_OF_MEMORY ? PIXMPI_ERR_MEMORY : PIXMPI_ERR_DEVICE,
                        "OpenGL: %s while %s, expected none", error_name(error), doing);
}

// There is no call for it, so each is made anew by a call that changes nothing.
void GlErrors::put_back(GLenum error) const {
    GLuint nothing = 0;
    switch (error) {
    case GL_INVALID_ENUM:
        gl_.Enable(GL_NONE);
        break;
    case GL_INVALID_VALUE:
        gl_.Viewport(0, 0, -1, -1);
        break;
    case GL_INVALID_FRAMEBUFFER_OPERATION: {
        GLint bound = 0;
        GLuint incomplete = 0;
        unsigned char pixel[16];
        gl_.GetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &bound);
        gl_.GenFramebuffers(1, &incomplete);
        gl_.BindFramebuffer(GL_READ_FRAMEBUFFER, incomplete);
        gl_.ReadPixels(0, 0, 0, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
        gl_.BindFramebuffer(GL_READ_FRAMEBUFFER, static_cast<GLuint>(bound));
        gl_.DeleteFramebuffers(1, &incomplete);
        break;
    }
    default: // what cannot be made on purpose becomes an error all the same
        gl_.GetQueryObjectuiv(0, GL_QUERY_RESULT, &nothing);
    }
}

Quiet::Quiet(const Gl &gl) : gl_(gl), on_(gl.debug_output && gl.IsEnabled(GL_DEBUG_OUTPUT)) {
    if (on_)
        gl_.Disable(GL_DEBUG_OUTPUT);
}

Quiet::~Quiet() {
    if (on_)
        gl_.Enable(GL_DEBUG_OUTPUT);
}

const char *error_name(GLenum error) {
    switch (error) {
    case GL_INVALID_ENUM:
        return "GL_INVALID_ENUM";
    case GL_INVALID_VALUE:
        return "GL_INVALID_VALUE";
    case GL_INVALID_OPERATION:
        return "GL_INVALID_OPERATION";
    case GL_INVALID_FRAMEBUFFER_OPERATION:
        return "GL_INVALID_FRAMEBUFFER_OPERATION";
    case GL_OUT_OF_MEMORY:
        return "GL_OUT_OF_MEMORY";
    case GL_CONTEXT_LOST:
        return "GL_CONTEXT_LOST";
    default:
        return "an error";
    }
}

} // namespace glmpi
