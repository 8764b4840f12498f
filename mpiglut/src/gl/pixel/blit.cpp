// glBlitFramebuffer between the window and framebuffer objects, both ways.
#include "base/export.h"
#include "base/real.h"
#include "gl/coordinates/coordinates.h"
#include "gl/draw/cut.h"
#include "gl/draw/habits.h"
#include "gl/pixel/copy.h"
#include "gl/pixel/pixel_store.h"
#include "gl/pixel/resolved.h"

#include <GL/glext.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace mpiglut::gl {

namespace {

/// Two opposite corners; the second may lie left of or below the first, which mirrors the picture.
struct Corners {
    GLint x0, y0, x1, y1;
    bool operator==(const Corners &) const = default;
    Corners shifted(const Origin &o) const { return {x0 - o.x, y0 - o.y, x1 - o.x, y1 - o.y}; }
    pixmpi::Rect rect(int margin) const {
        const auto near = [](GLint v) { return std::clamp(v, -(1 << 28), 1 << 28); }; // no window is further away
        const auto [left, right] = std::minmax({near(x0), near(x1)});
        const auto [bottom, top] = std::minmax({near(y0), near(y1)});
        return {left - margin, bottom - margin, right - left + 2 * margin, top - bottom + 2 * margin};
    }
};

unsigned planes_for(GLbitfield mask) {
    return (mask & GL_COLOR_BUFFER_BIT ? WindowImage::color : 0u) |
           (mask & GL_DEPTH_BUFFER_BIT ? WindowImage::depth : 0u) |
           (mask & GL_STENCIL_BUFFER_BIT ? WindowImage::stencil : 0u);
}

/// The size of what a framebuffer object has for colours: what lies outside is not copied. 0: unknown.
pixmpi::Rect colours_of(const Context &c, GLuint framebuffer) {
    GLint type = 0, name = 0, level = 0, width = 0, height = 0;
    if (framebuffer == 0 || c.limits.version < 45)
        return {};
    const auto parameter = [framebuffer](GLenum which, GLint &value) {
        REAL(glGetNamedFramebufferAttachmentParameteriv)(framebuffer, GL_COLOR_ATTACHMENT0, which, &value);
    };
    parameter(GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE, type);
    if (type != GL_TEXTURE && type != GL_RENDERBUFFER)
        return {};
    parameter(GL_FRAMEBUFFER_ATTACHMENT_OBJECT_NAME, name);
    if (type == GL_TEXTURE) {
        parameter(GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_LEVEL, level);
        REAL(glGetTextureLevelParameteriv)(static_cast<GLuint>(name), level, GL_TEXTURE_WIDTH, &width);
        REAL(glGetTextureLevelParameteriv)(static_cast<GLuint>(name), level, GL_TEXTURE_HEIGHT, &height);
    } else {
        REAL(glGetNamedRenderbufferParameteriv)(static_cast<GLuint>(name), GL_RENDERBUFFER_WIDTH, &width);
        REAL(glGetNamedRenderbufferParameteriv)(static_cast<GLuint>(name), GL_RENDERBUFFER_HEIGHT, &height);
    }
    return {0, 0, width, height};
}

/// A copy of a whole picture to the whole window is as good as a clear.
void note_overwriting(const Context &c, GLuint source, const Corners &from, const Corners &to, GLbitfield mask) {
    if (!watched || !(mask & GL_COLOR_BUFFER_BIT))
        return;
    const pixmpi::Rect read = from.rect(0);
    if (!read.empty() && pixmpi::intersect(read, colours_of(c, source)) == read)
        window_is_overwritten(c, to.rect(0), GL_COLOR_BUFFER_BIT);
}

/// What the framebuffer object that is bound for reading has there; GL_NONE for nothing.
GLenum format_of(GLenum attachment) {
    const auto parameter = [attachment](GLenum which) {
        GLint value = 0;
        REAL(glGetFramebufferAttachmentParameteriv)(GL_READ_FRAMEBUFFER, attachment, which, &value);
        return value;
    };
    const GLint type = parameter(GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE);
    if (type != GL_RENDERBUFFER && type != GL_TEXTURE)
        return GL_NONE;
    const auto name = static_cast<GLuint>(parameter(GL_FRAMEBUFFER_ATTACHMENT_OBJECT_NAME));
    GLint format = GL_NONE;
    if (type == GL_RENDERBUFFER) {
        const auto before = static_cast<GLuint>(get(GL_RENDERBUFFER_BINDING));
        glBindRenderbuffer(GL_RENDERBUFFER, name);
        glGetRenderbufferParameteriv(GL_RENDERBUFFER, GL_RENDERBUFFER_INTERNAL_FORMAT, &format);
        glBindRenderbuffer(GL_RENDERBUFFER, before);
    } else {
        const auto before = static_cast<GLuint>(get(GL_TEXTURE_BINDING_2D_MULTISAMPLE));
        REAL(glBindTexture)(GL_TEXTURE_2D_MULTISAMPLE, name);
        REAL(glGetTexLevelParameteriv)(GL_TEXTURE_2D_MULTISAMPLE, 0, GL_TEXTURE_INTERNAL_FORMAT, &format);
        REAL(glBindTexture)(GL_TEXTURE_2D_MULTISAMPLE, before);
    }
    return static_cast<GLenum>(format);
}

/// The picture of the framebuffer object that is bound for reading, with one sample for each pixel. While it lives it is
/// bound for reading instead.
class OneSample {
  public:
    OneSample(const Context &c, const Corners &from, GLbitfield mask) : context_(c) {
        const Part &part = c.surface->part;
        const int width = std::clamp(std::max(from.x0, from.x1), 1, std::max(part.full_width, 1));
        const int height = std::clamp(std::max(from.y0, from.y1), 1, std::max(part.full_height, 1));
        std::vector<std::pair<GLenum, GLenum>> planes; // where, and the format
        if (mask & GL_COLOR_BUFFER_BIT)
            planes.emplace_back(GL_COLOR_ATTACHMENT0, format_of(static_cast<GLenum>(get(GL_READ_BUFFER))));
        if (mask & GL_DEPTH_BUFFER_BIT)
            planes.emplace_back(GL_DEPTH_ATTACHMENT, format_of(GL_DEPTH_ATTACHMENT));
        if (mask & GL_STENCIL_BUFFER_BIT)
            planes.emplace_back(GL_STENCIL_ATTACHMENT, format_of(GL_STENCIL_ATTACHMENT));
        const auto before = static_cast<GLuint>(get(GL_RENDERBUFFER_BINDING));
        REAL(glGenFramebuffers)(1, &framebuffer_);
        REAL(glBindFramebuffer)(GL_DRAW_FRAMEBUFFER, framebuffer_);
        for (const auto &[place, format] : planes) {
            if (format == GL_NONE)
                continue;
            const bool both = format == GL_DEPTH24_STENCIL8 || format == GL_DEPTH32F_STENCIL8;
            glGenRenderbuffers(1, &buffers_.emplace_back(0));
            glBindRenderbuffer(GL_RENDERBUFFER, buffers_.back());
            glRenderbufferStorage(GL_RENDERBUFFER, format, width, height);
            REAL(glFramebufferRenderbuffer)
            (GL_DRAW_FRAMEBUFFER, both ? GL_DEPTH_STENCIL_ATTACHMENT : place, GL_RENDERBUFFER, buffers_.back());
        }
        glBindRenderbuffer(GL_RENDERBUFFER, before);
        is_complete_ = glCheckFramebufferStatus(GL_DRAW_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
        if (is_complete_) {
            const NoScissor no_scissor(c.limits.viewports);
            REAL(glBlitFramebuffer)
            (from.x0, from.y0, from.x1, from.y1, from.x0, from.y0, from.x1, from.y1, mask, GL_NEAREST);
            REAL(glBindFramebuffer)(GL_READ_FRAMEBUFFER, framebuffer_);
        }
        REAL(glBindFramebuffer)(GL_DRAW_FRAMEBUFFER, c.draw_framebuffer);
    }
    ~OneSample() {
        REAL(glBindFramebuffer)(GL_READ_FRAMEBUFFER, context_.read_framebuffer);
        REAL(glDeleteFramebuffers)(1, &framebuffer_);
        glDeleteRenderbuffers(static_cast<GLsizei>(buffers_.size()), buffers_.data());
    }
    OneSample(const OneSample &) = delete;
    OneSample &operator=(const OneSample &) = delete;

    /// False where the formats are not known, as of a layer of an array.
    bool is_complete() const { return is_complete_; }
    GLuint framebuffer() const { return framebuffer_; }

  private:
    const Context &context_;
    GLuint framebuffer_ = 0;
    bool is_complete_ = false;
    std::vector<GLuint> buffers_;
};

/// OpenGL ES copies from several samples to the same place alone, and on a tile the window's is another one.
bool needs_one_sample(const Context &c, const Origin &origin) {
    if (!c.limits.es || c.limits.version < 30 || (origin.x == 0 && origin.y == 0))
        return false;
    const ErrorScope errors;
    REAL(glBindFramebuffer)(GL_DRAW_FRAMEBUFFER, c.read_framebuffer);
    const bool several = get(GL_SAMPLE_BUFFERS) > 0;
    REAL(glBindFramebuffer)(GL_DRAW_FRAMEBUFFER, c.draw_framebuffer);
    return several;
}

/// call(framebuffer to read, source, destination) makes the real copy.
template <class F>
void blit(Context &c, bool reads, bool draws, const Corners &from, const Corners &to, GLbitfield mask, GLenum filter,
          F &&call) {
    const Origin origin = draws && c.surface ? Origin{c.surface->part.x, c.surface->part.y} : Origin{};
    if (!reads && from == to && needs_one_sample(c, origin)) {
        ErrorScope errors;
        const OneSample picture(c, from, mask);
        errors.fetch();
        if (picture.is_complete()) {
            call(picture.framebuffer(), from, to.shifted(origin));
            return errors.keep(errors.fetch());
        }
    }
    // A linear filter may look one pixel further than the rectangle.
    copy_from(c, reads && c.read_surface, from.rect(filter == GL_NEAREST ? 0 : 1), planes_for(mask),
              [&](const Origin &o, GLuint source) { call(source, from.shifted(o), to.shifted(origin)); });
}

} // namespace

} // namespace mpiglut::gl

using namespace mpiglut::gl;

#define MPIGLUT_BLIT(name)                                                                                             \
    MPIGLUT_EXPORT void name(GLint x0, GLint y0, GLint x1, GLint y1, GLint to_x0, GLint to_y0, GLint to_x1,            \
                             GLint to_y1, GLbitfield mask, GLenum filter) {                                            \
        Context *context = current();                                                                                  \
        if (!context)                                                                                                  \
            return REAL(name)(x0, y0, x1, y1, to_x0, to_y0, to_x1, to_y1, mask, filter);                               \
        perform(*context, [=](Context &c) {                                                                            \
            if (draws_window(c))                                                                                       \
                note_overwriting(c, c.read_framebuffer, {x0, y0, x1, y1}, {to_x0, to_y0, to_x1, to_y1}, mask);         \
            blit(c, reads_window(c), draws_window(c), {x0, y0, x1, y1}, {to_x0, to_y0, to_x1, to_y1}, mask, filter,    \
                 [&](GLuint, const Corners &s, const Corners &d) {                                                     \
                     REAL(name)(s.x0, s.y0, s.x1, s.y1, d.x0, d.y0, d.x1, d.y1, mask, filter);                         \
                 });                                                                                                   \
            note_copied(c);                                                                                            \
        });                                                                                                            \
    }
MPIGLUT_BLIT(glBlitFramebuffer)
MPIGLUT_BLIT(glBlitFramebufferEXT)

MPIGLUT_EXPORT void glBlitNamedFramebuffer(GLuint read, GLuint draw, GLint x0, GLint y0, GLint x1, GLint y1,
                                           GLint to_x0, GLint to_y0, GLint to_x1, GLint to_y1, GLbitfield mask,
                                           GLenum filter) {
    const Corners from{x0, y0, x1, y1}, to{to_x0, to_y0, to_x1, to_y1};
    const auto real = [&](GLuint source, const Corners &s, const Corners &d) {
        REAL(glBlitNamedFramebuffer)(source, draw, s.x0, s.y0, s.x1, s.y1, d.x0, d.y0, d.x1, d.y1, mask, filter);
    };
    Context *c = current();
    if (!c || (read != 0 && draw != 0)) {
        const NamedScissor scissor(c, draw);
        return real(read, from, to);
    }
    if (draw == 0)
        note_overwriting(*c, read, from, to, mask);
    const NamedScissor scissor(c, draw);
    blit(*c, read == 0, draw == 0, from, to, mask, filter,
         [&](GLuint source, const Corners &s, const Corners &d) { real(read == 0 ? source : read, s, d); });
}
