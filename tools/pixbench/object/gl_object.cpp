#include "object/gl_object.h"

#include "base/format.h"
#include <algorithm>
#include <cstdio>

namespace {

/// What GL complained about since the last time, or nothing.
std::string gl_problem(const char *what) {
    const GLenum error = glGetError();
    while (glGetError() != GL_NO_ERROR) {
    }
    if (error == GL_NO_ERROR)
        return "";
    char text[120];
    std::snprintf(text, sizeof text, "%s: OpenGL error 0x%04x", what, error);
    return text;
}

} // namespace

GlObject::GlObject(const std::string &kind, const Shape2D &shape) : Object(shape), kind_(kind) {}

GlObject::~GlObject() {
    glDeleteFramebuffers(framebuffer_ ? 1 : 0, &framebuffer_);
    glDeleteTextures(texture_ ? 1 : 0, &texture_);
    glDeleteBuffers(buffer_ ? 1 : 0, &buffer_);
    glDeleteBuffers(pixel_buffer_ ? 1 : 0, &pixel_buffer_);
}

std::string GlObject::make() {
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    if (kind_ != "buffer")
        return make_texture();
    glGenBuffers(1, &buffer_);
    glBindBuffer(GL_COPY_READ_BUFFER, buffer_);
    glBufferData(GL_COPY_READ_BUFFER, static_cast<GLsizeiptr>(bytes()), nullptr, GL_DYNAMIC_COPY);
    return gl_problem("making the buffer");
}

std::string GlObject::make_texture() {
    const GLenum internal = gl_internal_format(format);
    if (!internal)
        return std::string("--format: ") + pixMPI_Format_name(format) + " is no texture format";
    glGenTextures(1, &texture_);
    glBindTexture(GL_TEXTURE_2D, texture_);
    const Layout layout = gl_layouts(format)[0];
    glTexImage2D(GL_TEXTURE_2D, 0, static_cast<GLint>(internal), width, height, 0, layout.format, layout.type, nullptr);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
    if (std::string problem = gl_problem("making the texture"); !problem.empty())
        return problem;
    glGenFramebuffers(1, &framebuffer_);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
    const GLenum attachment = gl_attachment(format);
    glFramebufferTexture2D(GL_FRAMEBUFFER, attachment, GL_TEXTURE_2D, texture_, 0);
    if (attachment != GL_COLOR_ATTACHMENT0) {
        glDrawBuffer(GL_NONE);
        glReadBuffer(GL_NONE);
    }
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
        glDeleteFramebuffers(1, &framebuffer_);
        framebuffer_ = 0;
        if (kind_ == "framebuffer")
            return std::string("--format: this driver draws to no framebuffer of ") + pixMPI_Format_name(format);
        int major = 0, minor = 0;
        glGetIntegerv(GL_MAJOR_VERSION, &major);
        glGetIntegerv(GL_MINOR_VERSION, &minor);
        if (major * 10 + minor < 45) // glGetTextureSubImage
            return std::string("--format: this driver reads back no rectangles of ") + pixMPI_Format_name(format);
    }
    return gl_problem("making the framebuffer");
}

pixMPI_Surface GlObject::surface() const {
    pixMPI_Surface surface;
    if (buffer_)
        surface = glMPI_Buffer(buffer_, format, width, height);
    else if (kind_ == "framebuffer")
        surface = glMPI_Framebuffer(framebuffer_, gl_attachment(format));
    else
        surface = glMPI_Texture2D(texture_);
    return !buffer_ && gl_native(format) != format ? glMPI_As(surface, format) : surface;
}

End GlObject::end() { return End(surface()); }

bool GlObject::make_own_memory(std::size_t size) {
    glGenBuffers(1, &pixel_buffer_);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, pixel_buffer_);
    glBufferData(GL_PIXEL_PACK_BUFFER, static_cast<GLsizeiptr>(size), nullptr, GL_STREAM_READ);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    return true;
}

void GlObject::read_to_own(pixMPI_Rect rect, std::size_t at) {
    if (buffer_)
        return copy(buffer_, row_bytes() * static_cast<std::size_t>(rect.y), pixel_buffer_, at, rect);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, pixel_buffer_);
    read(rect, reinterpret_cast<void *>(at));
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
}

void GlObject::write_from_own(pixMPI_Rect rect, std::size_t at) {
    if (buffer_)
        return copy(pixel_buffer_, at, buffer_, row_bytes() * static_cast<std::size_t>(rect.y), rect);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, pixel_buffer_);
    write(rect, reinterpret_cast<const void *>(at));
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
}

void GlObject::copy(GLuint from, std::size_t from_at, GLuint to, std::size_t to_at, pixMPI_Rect rows) const {
    glBindBuffer(GL_COPY_READ_BUFFER, from);
    glBindBuffer(GL_COPY_WRITE_BUFFER, to);
    glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, static_cast<GLintptr>(from_at),
                        static_cast<GLintptr>(to_at),
                        static_cast<GLsizeiptr>(row_bytes() * static_cast<std::size_t>(rows.height)));
}

void GlObject::touch(int frame) {
    if (buffer_) {
        const std::vector<std::byte> data(std::min<std::size_t>(bytes(), 64), static_cast<std::byte>(frame & 0x3f));
        glBindBuffer(GL_COPY_WRITE_BUFFER, buffer_);
        glBufferSubData(GL_COPY_WRITE_BUFFER, 0, static_cast<GLsizeiptr>(data.size()), data.data());
    } else if (framebuffer_) {
        const pixmpi::Numbers numbers = pixmpi::format_info(format).numbers;
        const float level = static_cast<float>(frame % 64) / 64;
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer_);
        glEnable(GL_SCISSOR_TEST);
        glScissor(frame % width, 0, 16, 16);
        const GLint whole[4] = {frame % 64, 1, 2, 3};
        const GLuint natural[4] = {static_cast<GLuint>(frame % 64), 1, 2, 3};
        const GLfloat real[4] = {level, 0.5F, 0.25F, 1};
        if (gl_attachment(format) != GL_COLOR_ATTACHMENT0)
            glClear(GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
        else if (numbers == pixmpi::Numbers::sint)
            glClearBufferiv(GL_COLOR, 0, whole);
        else if (numbers == pixmpi::Numbers::uint)
            glClearBufferuiv(GL_COLOR, 0, natural);
        else
            glClearBufferfv(GL_COLOR, 0, real);
        glDisable(GL_SCISSOR_TEST);
    }
}
