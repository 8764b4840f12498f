#include "gl/pixel/window_image.h"

#include "base/real.h"
#include "gl/pixel/gather.h"
#include "gl/pixel/pixel_layout.h"
#include "gl/pixel/pixel_store.h"
#include "gl/pixel/resolved.h"

#include <cstddef>
#include <optional>

namespace mpiglut::gl {

using pixmpi::Rect;

struct WindowImage::Plane {
    GLenum attachment, internal, format, type;
};

namespace {

/// Of the default framebuffer, which is bound for reading.
GLint bits(GLenum attachment, GLenum size) {
    GLint value = 0;
    REAL(glGetFramebufferAttachmentParameteriv)(GL_READ_FRAMEBUFFER, attachment, size, &value);
    return value;
}

} // namespace

/// Formats that hold what the window has without loss, and that glBlitFramebuffer takes for equal ones.
std::vector<WindowImage::Plane> WindowImage::planes(unsigned what) const {
    std::vector<Plane> result;
    if (what & color) {
        const GLint red = bits(context_.read_surface->double_buffered ? GL_BACK_LEFT : GL_FRONT_LEFT,
                               GL_FRAMEBUFFER_ATTACHMENT_RED_SIZE);
        if (red <= 8)
            result.push_back({GL_COLOR_ATTACHMENT0, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE});
        else if (red <= 16)
            result.push_back({GL_COLOR_ATTACHMENT0, GL_RGBA16, GL_RGBA, GL_UNSIGNED_SHORT});
        else
            result.push_back({GL_COLOR_ATTACHMENT0, GL_RGBA32F, GL_RGBA, GL_FLOAT});
    }
    if (!(what & (depth | stencil)))
        return result;
    const GLint depth_bits = bits(GL_DEPTH, GL_FRAMEBUFFER_ATTACHMENT_DEPTH_SIZE);
    const GLint stencil_bits = bits(GL_STENCIL, GL_FRAMEBUFFER_ATTACHMENT_STENCIL_SIZE);
    if (depth_bits > 0 && stencil_bits > 0)
        result.push_back({GL_DEPTH_STENCIL_ATTACHMENT, GL_DEPTH24_STENCIL8, GL_DEPTH_STENCIL, GL_UNSIGNED_INT_24_8});
    else if (depth_bits > 0)
        result.push_back({GL_DEPTH_ATTACHMENT,
                          static_cast<GLenum>(depth_bits <= 16   ? GL_DEPTH_COMPONENT16
                                              : depth_bits <= 24 ? GL_DEPTH_COMPONENT24
                                                                 : GL_DEPTH_COMPONENT32),
                          GL_DEPTH_COMPONENT, GL_UNSIGNED_INT});
    else if (stencil_bits > 0)
        result.push_back({GL_STENCIL_ATTACHMENT, GL_STENCIL_INDEX8, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE});
    return result;
}

WindowImage::WindowImage(Context &c, const Rect &asked, unsigned what) : context_(c) {
    const PlainPixels plain(PlainPixels::pack_order | PlainPixels::unpack | PlainPixels::transfer);
    const Rect rect = intersect(asked, read_window(c));
    if (c.read_framebuffer != 0)
        REAL(glBindFramebuffer)(GL_READ_FRAMEBUFFER, 0);
    origin_ = {c.read_surface->part.x, c.read_surface->part.y};

    std::vector<Plane> all = planes(what);
    std::vector<comm::Bytes> pixels;
    for (const Plane &plane : all) {
        const PixelLayout layout(pixel_bits(plane.format, plane.type), rect.width, {.alignment = 1});
        pixels.emplace_back(layout.extent(rect.height));
        // Copies within the GL take what a multisampled window shows.
        std::optional<Resolved> resolved;
        if (plane.attachment == GL_COLOR_ATTACHMENT0)
            resolved.emplace(&c, c.read_surface->part.width, c.read_surface->part.height);
        compose(layout, pixels.back().data(), rect, rect,
                gather_pixels(c, window_source(c), rect, plane.format, plane.type).pieces);
    }
    if (all.empty())
        return;

    origin_ = {rect.x, rect.y};
    REAL(glGenFramebuffers)(1, &framebuffer_);
    REAL(glBindFramebuffer)(GL_FRAMEBUFFER, framebuffer_);
    for (std::size_t i = 0; i < all.size(); ++i)
        attach(all[i], rect, pixels[i].data());
    if (!(what & color)) {
        REAL(glReadBuffer)(GL_NONE);
        REAL(glDrawBuffer)(GL_NONE);
    }
    REAL(glBindFramebuffer)(GL_DRAW_FRAMEBUFFER, c.draw_framebuffer);
}

void WindowImage::attach(const Plane &plane, const Rect &rect, const void *pixels) {
    const GLint before = get(GL_TEXTURE_BINDING_2D);
    GLuint &texture = textures_.emplace_back(0);
    REAL(glGenTextures)(1, &texture);
    REAL(glBindTexture)(GL_TEXTURE_2D, texture);
    REAL(glTexParameteri)(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    REAL(glTexImage2D)
    (GL_TEXTURE_2D, 0, static_cast<GLint>(plane.internal), rect.width, rect.height, 0, plane.format, plane.type,
     pixels);
    REAL(glFramebufferTexture2D)(GL_READ_FRAMEBUFFER, plane.attachment, GL_TEXTURE_2D, texture, 0);
    REAL(glBindTexture)(GL_TEXTURE_2D, before);
}

WindowImage::~WindowImage() {
    REAL(glBindFramebuffer)(GL_READ_FRAMEBUFFER, context_.read_framebuffer);
    if (framebuffer_)
        REAL(glDeleteFramebuffers)(1, &framebuffer_);
    if (!textures_.empty())
        REAL(glDeleteTextures)(static_cast<GLsizei>(textures_.size()), textures_.data());
}

} // namespace mpiglut::gl
