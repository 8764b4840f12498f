// Ends in OpenGL, in a context without a window.
#include "rig/ends_gl.h"

#include <algorithm>
#include <cstring>
#include <test_gpus.h>

namespace api {
namespace {

const Verbs<pixMPI_Surface> verbs{glMPI_Send,
                                  glMPI_Recv,
                                  glMPI_Isend,
                                  glMPI_Irecv,
                                  glMPI_Send_init,
                                  glMPI_Recv_init,
                                  glMPI_Sendrecv,
                                  glMPI_Sendrecv_replace,
                                  [](const pixMPI_Surface &s) { return s; }};

struct GlFormat {
    GLenum internal, format, type, attachment = GL_COLOR_ATTACHMENT0;
    GLbitfield planes = GL_COLOR_BUFFER_BIT;
    GLenum put_format = format, put_type = type; ///< for uploads that keep all bits
};

GlFormat gl_format(pixMPI_Format format) {
    switch (format) {
    case PIXMPI_RGBA8:
        return {GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE};
    case PIXMPI_R8UI:
        return {GL_R8UI, GL_RED_INTEGER, GL_UNSIGNED_BYTE};
    case PIXMPI_RG16UI:
        return {GL_RG16UI, GL_RG_INTEGER, GL_UNSIGNED_SHORT};
    case PIXMPI_RGBA32UI:
        return {GL_RGBA32UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT};
    case PIXMPI_R8:
        return {GL_R8, GL_RED, GL_UNSIGNED_BYTE};
    case PIXMPI_RG16F:
        return {GL_RG16F, GL_RG, GL_HALF_FLOAT};
    case PIXMPI_RGB10_A2:
        return {GL_RGB10_A2, GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV};
    case PIXMPI_R32UI:
        return {GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT};
    case PIXMPI_RGBA16I:
        return {GL_RGBA16I, GL_RGBA_INTEGER, GL_SHORT};
    case PIXMPI_RGBA16F:
        return {GL_RGBA16F, GL_RGBA, GL_HALF_FLOAT};
    case PIXMPI_RGBA32F:
        return {GL_RGBA32F, GL_RGBA, GL_FLOAT};
    case PIXMPI_RGBA8_SRGB:
        return {GL_SRGB8_ALPHA8, GL_RGBA, GL_UNSIGNED_BYTE};
    case PIXMPI_DEPTH16:
        return {GL_DEPTH_COMPONENT16, GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT, GL_DEPTH_ATTACHMENT, GL_DEPTH_BUFFER_BIT};
    case PIXMPI_DEPTH24: // the lower bits are of no meaning
        return {GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT,     GL_DEPTH_ATTACHMENT,
                GL_DEPTH_BUFFER_BIT,  GL_DEPTH_STENCIL,   GL_UNSIGNED_INT_24_8};
    case PIXMPI_DEPTH32F:
        return {GL_DEPTH_COMPONENT32F, GL_DEPTH_COMPONENT, GL_FLOAT, GL_DEPTH_ATTACHMENT, GL_DEPTH_BUFFER_BIT};
    case PIXMPI_DEPTH24_STENCIL8:
        return {GL_DEPTH24_STENCIL8, GL_DEPTH_STENCIL, GL_UNSIGNED_INT_24_8, GL_DEPTH_STENCIL_ATTACHMENT,
                GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT};
    case PIXMPI_DEPTH32F_STENCIL8:
        return {GL_DEPTH32F_STENCIL8, GL_DEPTH_STENCIL, GL_FLOAT_32_UNSIGNED_INT_24_8_REV, GL_DEPTH_STENCIL_ATTACHMENT,
                GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT};
    default:
        NEED(!"a format that ends_gl.cpp knows");
        return {};
    }
}

class GlEnd : public VerbEnd<pixMPI_Surface> {
  public:
    GlEnd(pixMPI_Format format_, int width_, int height_)
        : VerbEnd(verbs, format_, width_, height_), gl(gl_format(format_)) {
        glPixelStorei(GL_PACK_ALIGNMENT, 1);
        glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
        glGenFramebuffers(1, &framebuffer);
    }
    ~GlEnd() override {
        glDeleteFramebuffers(1, &framebuffer);
        CHECK_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
    }
    Bytes read() override {
        Bytes pixels(bytes());
        glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
        NEED(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE);
        glReadPixels(0, 0, width, height, gl.format, gl.type, pixels.data());
        glBindFramebuffer(GL_FRAMEBUFFER, 0);
        return pixels;
    }

  protected:
    const GlFormat gl;
    GLuint framebuffer = 0; ///< with the pixels as its colour, or its depth
};

/// A level of a 2D texture, or a layer of an array, among others.
class Texture : public GlEnd {
  public:
    Texture(pixMPI_Format format_, int width_, int height_, bool array)
        : GlEnd(format_, width_, height_), array_(array) {
        glGenTextures(1, &texture_);
        glBindTexture(target(), texture_);
        glTexParameteri(target(), GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        glTexParameteri(target(), GL_TEXTURE_MAX_LEVEL, 0);
        glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
        if (array_) {
            glTexImage3D(target(), 0, static_cast<GLint>(gl.internal), width, height, layers, 0, gl.format, gl.type,
                         nullptr);
            glFramebufferTextureLayer(GL_FRAMEBUFFER, gl.attachment, texture_, 0, layer);
        } else {
            glTexImage2D(target(), 0, static_cast<GLint>(gl.internal), width, height, 0, gl.format, gl.type, nullptr);
            glFramebufferTexture2D(GL_FRAMEBUFFER, gl.attachment, target(), texture_, 0);
        }
        glBindFramebuffer(GL_FRAMEBUFFER, 0);
        glBindTexture(target(), 0);
        surface = glMPI_Texture(target(), texture_, 0, array_ ? layer : 0);
    }
    ~Texture() override { glDeleteTextures(1, &texture_); }
    void write(const Bytes &pixels) override {
        NEED(pixels.size() == bytes());
        glBindTexture(target(), texture_);
        if (array_)
            glTexSubImage3D(target(), 0, 0, 0, layer, width, height, 1, gl.put_format, gl.put_type, pixels.data());
        else
            glTexSubImage2D(target(), 0, 0, 0, width, height, gl.put_format, gl.put_type, pixels.data());
        glBindTexture(target(), 0);
    }

  protected:
    static constexpr int layers = 3, layer = 2;
    GLenum target() const { return array_ ? GL_TEXTURE_2D_ARRAY : GL_TEXTURE_2D; }
    const bool array_;
    GLuint texture_ = 0;
};

/// The same texture, named by the framebuffer that it is attached to.
class Framebuffer : public Texture {
  public:
    Framebuffer(pixMPI_Format format_, int width_, int height_) : Texture(format_, width_, height_, false) {
        surface = glMPI_Framebuffer(framebuffer, gl.attachment);
    }
};

/// Rows with gaps, after a beginning that is not the surface's.
class Buffer : public VerbEnd<pixMPI_Surface> {
  public:
    Buffer(pixMPI_Format format_, int width_, int height_) : VerbEnd(verbs, format_, width_, height_) {
        surface = glMPI_Buffer(0, format, width, height);
        row_ = static_cast<std::size_t>(surface.row_bytes);
        surface.offset = 48;
        surface.row_bytes += 16;
        pitch_ = static_cast<std::size_t>(surface.row_bytes);
        content_.assign(48 + pitch_ * static_cast<std::size_t>(height), gap);
        glGenBuffers(1, &surface.name);
        glBindBuffer(GL_COPY_WRITE_BUFFER, surface.name);
        glBufferData(GL_COPY_WRITE_BUFFER, static_cast<GLsizeiptr>(content_.size()), content_.data(), GL_DYNAMIC_COPY);
        glBindBuffer(GL_COPY_WRITE_BUFFER, 0);
    }
    ~Buffer() override { glDeleteBuffers(1, &surface.name); }
    void write(const Bytes &pixels) override {
        NEED(pixels.size() == bytes());
        for (int y = 0; y < height; ++y)
            std::copy_n(pixels.data() + row_ * static_cast<std::size_t>(y), row_, row(y));
        glBindBuffer(GL_COPY_WRITE_BUFFER, surface.name);
        // NVIDIA's driver (580.159) may lose the first glBufferSubData of a buffer that a request has been made for.
        void *const memory = glMapBufferRange(GL_COPY_WRITE_BUFFER, 0, static_cast<GLsizeiptr>(content_.size()),
                                              GL_MAP_WRITE_BIT);
        NEED(memory);
        std::memcpy(memory, content_.data(), content_.size());
        NEED(glUnmapBuffer(GL_COPY_WRITE_BUFFER) == GL_TRUE);
        glBindBuffer(GL_COPY_WRITE_BUFFER, 0);
    }
    Bytes read() override {
        load();
        Bytes pixels(bytes());
        for (int y = 0; y < height; ++y)
            std::copy_n(row(y), row_, pixels.data() + row_ * static_cast<std::size_t>(y));
        return pixels;
    }
    void check_surroundings() override {
        load();
        for (int i = 0; i < 48; ++i)
            CHECK_EQ(content_[static_cast<std::size_t>(i)], gap);
        for (int y = 0; y < height; ++y)
            for (std::size_t x = row_; x < pitch_; ++x)
                CHECK_EQ(row(y)[x], gap);
    }

  private:
    static constexpr std::uint8_t gap = 0x5a;
    std::uint8_t *row(int y) { return content_.data() + 48 + pitch_ * static_cast<std::size_t>(y); }
    void load() {
        glBindBuffer(GL_COPY_READ_BUFFER, surface.name);
        glGetBufferSubData(GL_COPY_READ_BUFFER, 0, static_cast<GLsizeiptr>(content_.size()), content_.data());
        glBindBuffer(GL_COPY_READ_BUFFER, 0);
    }
    std::size_t row_ = 0, pitch_ = 0;
    Bytes content_;
};

class Renderbuffer : public GlEnd {
  public:
    Renderbuffer(pixMPI_Format format_, int width_, int height_)
        : GlEnd(format_, width_, height_), source_(format_, width_, height_, false) {
        glGenRenderbuffers(1, &name_);
        glBindRenderbuffer(GL_RENDERBUFFER, name_);
        glRenderbufferStorage(GL_RENDERBUFFER, gl.internal, width, height);
        glBindRenderbuffer(GL_RENDERBUFFER, 0);
        glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, gl.attachment, GL_RENDERBUFFER, name_);
        glBindFramebuffer(GL_FRAMEBUFFER, 0);
        surface = glMPI_Renderbuffer(name_);
    }
    ~Renderbuffer() override { glDeleteRenderbuffers(1, &name_); }
    /// Renderbuffers take no uploads, so by way of a texture.
    void write(const Bytes &pixels) override {
        source_.write(pixels);
        glBindFramebuffer(GL_READ_FRAMEBUFFER, source_.attached());
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer);
        glBlitFramebuffer(0, 0, width, height, 0, 0, width, height, gl.planes, GL_NEAREST);
        glBindFramebuffer(GL_FRAMEBUFFER, 0);
    }

  private:
    struct Source : Texture {
        using Texture::Texture;
        GLuint attached() const { return framebuffer; }
    };
    Source source_;
    GLuint name_ = 0;
};

template <class Kind, auto... more> std::unique_ptr<End> make(pixMPI_Format format, int width, int height) {
    need_context();
    return std::make_unique<Kind>(format, width, height, more...);
}

const bool added = [] {
    add_end_kind({"gl", "texture", make<Texture, false>, false});
    add_end_kind({"gl", "layer", make<Texture, true>, false});
    add_end_kind({"gl", "framebuffer", make<Framebuffer>, false});
    add_end_kind({"gl", "renderbuffer", make<Renderbuffer>, false});
    add_end_kind({"gl", "buffer", make<Buffer>, false});
    return true;
}();

} // namespace

demo::HeadlessOptions context_options() {
    demo::HeadlessOptions options;
    options.card = test_gpus::card_of(rank);
    options.on_error = [](const char *text) {
        failed(__FILE__, __LINE__, std::string("OpenGL's debug callback was told: ") + text);
    };
    return options;
}

namespace {

std::unique_ptr<demo::Headless> &the_context() {
    static std::unique_ptr<demo::Headless> one;
    return one;
}

} // namespace

demo::Headless &need_context() {
    std::unique_ptr<demo::Headless> &context = the_context();
    std::string error;
    if (!context) {
        context = demo::Headless::make(context_options(), error);
        if (!context)
            failed(__FILE__, __LINE__, error);
        NEED(context != nullptr);
        at_end([] { the_context().reset(); });
        say_device("gl", context->text(), context->card_uuid());
    }
    return *context;
}

} // namespace api
