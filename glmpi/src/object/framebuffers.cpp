#include "object/framebuffers.h"

#include "device/gl_device.h"

#include <atomic>

namespace glmpi {

namespace {

GLenum attachment_of(Aspect aspect) {
    switch (aspect) {
    case Aspect::depth:
        return GL_DEPTH_ATTACHMENT;
    case Aspect::stencil:
        return GL_STENCIL_ATTACHMENT;
    case Aspect::depth_stencil:
        return GL_DEPTH_STENCIL_ATTACHMENT;
    default:
        return GL_COLOR_ATTACHMENT0;
    }
}

void attach(const Gl &gl, GLenum framebuffer, GLenum attachment, const Image &image) {
    switch (image.target) {
    case GL_RENDERBUFFER:
        return gl.FramebufferRenderbuffer(framebuffer, attachment, GL_RENDERBUFFER, image.name);
    case GL_TEXTURE_1D:
        return gl.FramebufferTexture1D(framebuffer, attachment, GL_TEXTURE_1D, image.name, image.level);
    case GL_TEXTURE_2D:
    case GL_TEXTURE_RECTANGLE:
        return gl.FramebufferTexture2D(framebuffer, attachment, image.target, image.name, image.level);
    case GL_TEXTURE_CUBE_MAP:
        return gl.FramebufferTexture2D(framebuffer, attachment,
                                       GL_TEXTURE_CUBE_MAP_POSITIVE_X + static_cast<GLenum>(image.layer), image.name,
                                       image.level);
    default:
        return gl.FramebufferTextureLayer(framebuffer, attachment, image.name, image.level, image.layer);
    }
}

void detach(const Gl &gl, GLenum framebuffer, GLenum attachment) {
    gl.FramebufferRenderbuffer(framebuffer, attachment, GL_RENDERBUFFER, 0);
}

// Without colour, a framebuffer is complete only when none is selected, before 4.1 neither for reading nor for drawing.
void select_nothing(const Gl &gl, GLuint framebuffer) {
    GLint read = 0, draw = 0;
    gl.GetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &read);
    gl.GetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &draw);
    gl.BindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    gl.ReadBuffer(GL_NONE);
    gl.DrawBuffer(GL_NONE);
    gl.BindFramebuffer(GL_READ_FRAMEBUFFER, static_cast<GLuint>(read));
    gl.BindFramebuffer(GL_DRAW_FRAMEBUFFER, static_cast<GLuint>(draw));
}

} // namespace

std::uint64_t Framebuffers::new_serial() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

Framebuffers::Own &Framebuffers::own(Use use, Aspect aspect, const Image &image) {
    return own_[static_cast<int>(use) * 4 + (aspect == Aspect::color ? 0 : 2) + (image.target == GL_RENDERBUFFER)];
}

void Framebuffers::bind(SavedState &state, Use use, Aspect aspect, const Image &image, std::uint64_t serial) {
    const Gl &gl = device_.gl;
    const bool color = aspect == Aspect::color;
    const GLenum target = use == Use::draw ? GL_DRAW_FRAMEBUFFER : GL_READ_FRAMEBUFFER;
    Own &own = this->own(use, aspect, image);
    const bool fresh = own.name == 0;
    if (fresh)
        gl.GenFramebuffers(1, &own.name);
    state.bind_framebuffer(target, own.name);
    if (fresh && !color)
        select_nothing(gl, own.name);
    if (own.serial == serial)
        return;
    if (own.serial && own.aspect != aspect)
        detach(gl, target, attachment_of(own.aspect));
    attach(gl, target, attachment_of(aspect), image);
    own.serial = serial;
    own.aspect = aspect;
    own.image = image;
}

void Framebuffers::release(SavedState &state, std::uint64_t serial) {
    for (Own &own : own_) {
        if (own.serial != serial)
            continue;
        state.bind_framebuffer(GL_READ_FRAMEBUFFER, own.name);
        detach(device_.gl, GL_READ_FRAMEBUFFER, attachment_of(own.aspect));
        own.serial = 0;
    }
}

void Framebuffers::destroy() {
    for (Own &own : own_) {
        if (own.name)
            device_.gl.DeleteFramebuffers(1, &own.name);
        own = {};
    }
}

} // namespace glmpi
