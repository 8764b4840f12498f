#include "object.h"

#include "format.h"
#include "job.h"

#include <algorithm>
#include <climits>
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

std::string make_texture(Object &o) {
    const GLenum internal = gl_internal_format(o.format);
    if (!internal)
        return std::string("--format: ") + pixMPI_Format_name(o.format) + " is no texture format";
    glGenTextures(1, &o.texture);
    glBindTexture(GL_TEXTURE_2D, o.texture);
    const Layout layout = gl_layouts(o.format)[0];
    glTexImage2D(GL_TEXTURE_2D, 0, static_cast<GLint>(internal), o.width, o.height, 0, layout.format, layout.type,
                 nullptr);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
    if (std::string problem = gl_problem("making the texture"); !problem.empty())
        return problem;
    glGenFramebuffers(1, &o.framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, o.framebuffer);
    const GLenum attachment = gl_attachment(o.format);
    glFramebufferTexture2D(GL_FRAMEBUFFER, attachment, GL_TEXTURE_2D, o.texture, 0);
    if (attachment != GL_COLOR_ATTACHMENT0) {
        glDrawBuffer(GL_NONE);
        glReadBuffer(GL_NONE);
    }
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
        glDeleteFramebuffers(1, &o.framebuffer);
        o.framebuffer = 0;
        if (o.kind == ObjectKind::framebuffer)
            return std::string("--format: this driver draws to no framebuffer of ") + pixMPI_Format_name(o.format);
        int major = 0, minor = 0;
        glGetIntegerv(GL_MAJOR_VERSION, &major);
        glGetIntegerv(GL_MINOR_VERSION, &minor);
        if (major * 10 + minor < 45) // glGetTextureSubImage
            return std::string("--format: this driver reads back no rectangles of ") + pixMPI_Format_name(o.format);
    }
    return gl_problem("making the framebuffer");
}

} // namespace

Object::~Object() {
    glDeleteFramebuffers(framebuffer ? 1 : 0, &framebuffer);
    glDeleteTextures(texture ? 1 : 0, &texture);
    glDeleteBuffers(buffer ? 1 : 0, &buffer);
}

std::string Object::make(ObjectKind kind_, pixMPI_Format format_, int width_, int height_) {
    kind = kind_;
    format = format_;
    width = width_;
    height = height_;
    pixel_bytes = pixMPI_Format_bytes(format);
    if (bytes() > INT_MAX)
        return "--size: more than 2 GiB, which one MPI_Send does not take";
    if (kind == ObjectKind::memory) {
        memory.resize(bytes(), std::byte{0});
        return "";
    }
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    if (kind != ObjectKind::buffer)
        return make_texture(*this);
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_COPY_READ_BUFFER, buffer);
    glBufferData(GL_COPY_READ_BUFFER, static_cast<GLsizeiptr>(bytes()), nullptr, GL_DYNAMIC_COPY);
    return gl_problem("making the buffer");
}

void Object::touch(int frame) {
    const std::size_t few = std::min<std::size_t>(bytes(), 64);
    const std::byte value = static_cast<std::byte>(frame & 0x3f);
    if (kind == ObjectKind::memory) {
        std::fill_n(memory.begin(), few, value);
    } else if (kind == ObjectKind::buffer) {
        const std::vector<std::byte> data(few, value);
        glBindBuffer(GL_COPY_WRITE_BUFFER, buffer);
        glBufferSubData(GL_COPY_WRITE_BUFFER, 0, static_cast<GLsizeiptr>(few), data.data());
    } else if (framebuffer) {
        const pixmpi::Numbers numbers = pixmpi::format_info(format).numbers;
        const float level = static_cast<float>(frame % 64) / 64;
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer);
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

std::vector<std::byte> test_pixels(pixMPI_Format format, std::int64_t pixels, std::uint32_t seed) {
    const pixmpi::FormatInfo &info = pixmpi::format_info(format);
    // What is kept of each word of random bits, and what is added to it.
    std::uint32_t kept = 0x7f7f7f7f, added = 0;
    if (info.numbers == pixmpi::Numbers::sfloat && info.channel_bytes == 2)
        kept = 0x03ff03ff, added = 0x3c003c00;
    else if (info.numbers == pixmpi::Numbers::sfloat && info.channel_bytes == 4)
        kept = 0x007fffff, added = 0x3f800000;
    else if (format == PIXMPI_R11F_G11F_B10F)
        kept = 0x07c1f83f, added = 0x781e03c0;
    else if (format == PIXMPI_DEPTH32F || format == PIXMPI_DEPTH32F_STENCIL8)
        kept = 0x007fffff, added = 0x3f000000;
    else if (format == PIXMPI_DEPTH24)
        kept = 0xffffff00;
    const std::size_t bytes = static_cast<std::size_t>(pixels) * static_cast<std::size_t>(info.bytes);
    std::vector<std::byte> result(bytes + 4);
    std::uint32_t random = seed * 2654435761U + 1;
    for (std::size_t i = 0; i < bytes; i += 4) {
        random = random * 1664525U + 1013904223U;
        const std::uint32_t bits = random ^ random >> 13;
        const bool stencil = format == PIXMPI_DEPTH32F_STENCIL8 && i % 8 == 4;
        const std::uint32_t word = stencil ? bits & 0xff : (bits & kept) | added;
        for (std::size_t k = 0; k < 4; ++k)
            result[i + k] = static_cast<std::byte>(word >> 8 * k);
    }
    result.resize(bytes);
    return result;
}
