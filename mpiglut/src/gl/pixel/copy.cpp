// glCopyTexImage, glCopyTexSubImage and glCopyPixels.
#include "gl/pixel/copy.h"

#include "base/export.h"
#include "base/real.h"
#include "gl/coordinates/coordinates.h"
#include "gl/pixel/pixel_store.h"

#include <GL/glext.h>

#include <cstddef>
#include <vector>

namespace mpiglut::gl {

namespace {

constexpr unsigned depth_and_stencil = WindowImage::depth | WindowImage::stencil;

/// What a texture of this format copies from the window.
unsigned planes_for(GLenum internal_format) {
    switch (internal_format) {
    case GL_DEPTH_COMPONENT:
    case GL_DEPTH_COMPONENT16:
    case GL_DEPTH_COMPONENT24:
    case GL_DEPTH_COMPONENT32:
    case GL_DEPTH_COMPONENT32F:
    case GL_DEPTH_STENCIL:
    case GL_DEPTH24_STENCIL8:
    case GL_DEPTH32F_STENCIL8:
        return depth_and_stencil;
    default:
        return WindowImage::color;
    }
}

unsigned planes_for_texture(GLenum target, GLint level) {
    ErrorScope errors; // a wrong target is for the copy itself to complain about
    GLint bits = 0;
    REAL(glGetTexLevelParameteriv)(target, level, GL_TEXTURE_DEPTH_SIZE, &bits);
    return bits > 0 ? depth_and_stencil : WindowImage::color;
}

unsigned planes_for_named_texture(GLuint texture, GLint level) {
    ErrorScope errors;
    GLint bits = 0;
    REAL(glGetTextureLevelParameteriv)(texture, level, GL_TEXTURE_DEPTH_SIZE, &bits);
    return bits > 0 ? depth_and_stencil : WindowImage::color;
}

unsigned planes_for_pixels(GLenum type) {
    switch (type) {
    case GL_DEPTH:
    case GL_STENCIL:
    case GL_DEPTH_STENCIL:
    case GL_DEPTH_STENCIL_TO_RGBA_NV:
    case GL_DEPTH_STENCIL_TO_BGRA_NV:
        return depth_and_stencil;
    default:
        return WindowImage::color;
    }
}

bool zoomed() {
    GLfloat x = 1, y = 1;
    REAL(glGetFloatv)(GL_ZOOM_X, &x);
    REAL(glGetFloatv)(GL_ZOOM_Y, &y);
    return x != 1 || y != 1;
}

/// glCopyPixels of colours from a framebuffer object, by way of memory: into a window some drivers (NVIDIA's 580) zoom
/// one row of it again and again.
void copy_by_memory(GLint x, GLint y, GLsizei width, GLsizei height) {
    std::vector<GLfloat> pixels(std::size_t{4} * width * height);
    {
        const PlainPixels plain(PlainPixels::pack | PlainPixels::pack_order | PlainPixels::transfer);
        REAL(glReadPixels)(x, y, width, height, GL_RGBA, GL_FLOAT, pixels.data());
    }
    const PlainPixels plain(PlainPixels::unpack);
    REAL(glDrawPixels)(width, height, GL_RGBA, GL_FLOAT, pixels.data());
}

void copy_pixels(GLint x, GLint y, GLsizei width, GLsizei height, GLenum type) {
    Context *c = current();
    const bool object = c && c->limits.version >= 30 && get(GL_READ_FRAMEBUFFER_BINDING) != 0;
    if (c)
        nudge_raster(*c);
    if (object && type == GL_COLOR && width > 0 && height > 0 && zoomed())
        copy_by_memory(x, y, width, height);
    else
        REAL(glCopyPixels)(x, y, width, height, type);
    if (c)
        restore_raster(*c);
}

/// One copy, in the window or in a list. `what()` says what is taken; `call(x, y)` makes it from the real place.
template <class W, class F> void copy(const pixmpi::Rect &asked, W what, F call) {
    Context *context = current();
    if (!context)
        return call(asked.x, asked.y);
    perform(*context, [=](Context &c) {
        const bool collective = reads_window(c) && is_collective(c, asked);
        copy_from(c, reads_window(c), asked, collective ? what() : 0u,
                  [&](const Origin &o, GLuint) { call(asked.x - o.x, asked.y - o.y); });
    });
}

} // namespace

} // namespace mpiglut::gl

using namespace mpiglut::gl;

MPIGLUT_EXPORT void glCopyPixels(GLint x, GLint y, GLsizei width, GLsizei height, GLenum type) {
    copy(
        {x, y, width, height}, [=] { return planes_for_pixels(type); },
        [=](GLint rx, GLint ry) { copy_pixels(rx, ry, width, height, type); });
}

// Each function under its name in the core and the one in EXT_texture or EXT_copy_texture.
#define MPIGLUT_COPY_TEXTURE(suffix)                                                                                   \
    MPIGLUT_EXPORT void glCopyTexImage1D##suffix(GLenum target, GLint level, GLenum format, GLint x, GLint y,          \
                                                 GLsizei width, GLint border) {                                        \
        copy(                                                                                                          \
            {x, y, width, 1}, [=] { return planes_for(format); },                                                      \
            [=](GLint rx, GLint ry) {                                                                                  \
                REAL(glCopyTexImage1D##suffix)(target, level, format, rx, ry, width, border);                          \
            });                                                                                                        \
    }                                                                                                                  \
    MPIGLUT_EXPORT void glCopyTexImage2D##suffix(GLenum target, GLint level, GLenum format, GLint x, GLint y,          \
                                                 GLsizei width, GLsizei height, GLint border) {                        \
        copy(                                                                                                          \
            {x, y, width, height}, [=] { return planes_for(format); },                                                 \
            [=](GLint rx, GLint ry) {                                                                                  \
                REAL(glCopyTexImage2D##suffix)(target, level, format, rx, ry, width, height, border);                  \
            });                                                                                                        \
    }                                                                                                                  \
    MPIGLUT_EXPORT void glCopyTexSubImage1D##suffix(GLenum target, GLint level, GLint to_x, GLint x, GLint y,          \
                                                    GLsizei width) {                                                   \
        copy(                                                                                                          \
            {x, y, width, 1}, [=] { return planes_for_texture(target, level); },                                       \
            [=](GLint rx, GLint ry) { REAL(glCopyTexSubImage1D##suffix)                                                \
                                      (target, level, to_x, rx, ry, width); });       \
    }                                                                                                                  \
    MPIGLUT_EXPORT void glCopyTexSubImage2D##suffix(GLenum target, GLint level, GLint to_x, GLint to_y, GLint x,       \
                                                    GLint y, GLsizei width, GLsizei height) {                          \
        copy(                                                                                                          \
            {x, y, width, height}, [=] { return planes_for_texture(target, level); },                                  \
            [=](GLint rx, GLint ry) {                                                                                  \
                REAL(glCopyTexSubImage2D##suffix)(target, level, to_x, to_y, rx, ry, width, height);                   \
            });                                                                                                        \
    }                                                                                                                  \
    MPIGLUT_EXPORT void glCopyTexSubImage3D##suffix(GLenum target, GLint level, GLint to_x, GLint to_y, GLint to_z,    \
                                                    GLint x, GLint y, GLsizei width, GLsizei height) {                 \
        copy(                                                                                                          \
            {x, y, width, height}, [=] { return planes_for_texture(target, level); },                                  \
            [=](GLint rx, GLint ry) {                                                                                  \
                REAL(glCopyTexSubImage3D##suffix)(target, level, to_x, to_y, to_z, rx, ry, width, height);             \
            });                                                                                                        \
    }
MPIGLUT_COPY_TEXTURE()
MPIGLUT_COPY_TEXTURE(EXT)

MPIGLUT_EXPORT void glCopyTextureSubImage1D(GLuint texture, GLint level, GLint to_x, GLint x, GLint y, GLsizei width) {
    copy(
        {x, y, width, 1}, [=] { return planes_for_named_texture(texture, level); },
        [=](GLint rx, GLint ry) { REAL(glCopyTextureSubImage1D)
                                  (texture, level, to_x, rx, ry, width); });
}

MPIGLUT_EXPORT void glCopyTextureSubImage2D(GLuint texture, GLint level, GLint to_x, GLint to_y, GLint x, GLint y,
                                            GLsizei width, GLsizei height) {
    copy(
        {x, y, width, height}, [=] { return planes_for_named_texture(texture, level); },
        [=](GLint rx, GLint ry) { REAL(glCopyTextureSubImage2D)
                                  (texture, level, to_x, to_y, rx, ry, width, height); });
}

MPIGLUT_EXPORT void glCopyTextureSubImage3D(GLuint texture, GLint level, GLint to_x, GLint to_y, GLint to_z, GLint x,
                                            GLint y, GLsizei width, GLsizei height) {
    copy(
        {x, y, width, height}, [=] { return planes_for_named_texture(texture, level); },
        [=](GLint rx, GLint ry) {
            REAL(glCopyTextureSubImage3D)(texture, level, to_x, to_y, to_z, rx, ry, width, height);
        });
}
