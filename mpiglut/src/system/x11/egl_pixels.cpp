// EGL's calls that take pixels from a surface to somewhere else: a pbuffer is a texture (eglBindTexImage), and a pixmap
// gets a surface's pixels (eglCopyBuffers). Each is a copy. A pbuffer that is drawn to while it is a texture is copied
// again where the thread makes another surface current.
#include "base/export.h"
#include "gl/context/error.h"
#include "gl/pixel/pixel_store.h"
#include "system/x11/egl_objects.h"
#include "system/x11/gl_binding.h"
#include "system/x11/gl_configs.h"
#include "system/x11/gl_drawables.h"
#include "system/x11/gl_pixmaps.h"
#include "system/x11/x11.h"

#include <GL/gl.h>

namespace mpiglut::x11::egl {
namespace {

unsigned size_of(const Surface &pbuffer, int which) {
    unsigned value = 0;
    query_pbuffer(pbuffer.name, which, &value);
    return value;
}

/// The pbuffer's pixels become those of the texture that is bound. False where the context cannot read them.
bool copy_to_texture(const Surface &pbuffer) {
    const auto width = static_cast<GLsizei>(size_of(pbuffer, GLX_WIDTH));
    const auto height = static_cast<GLsizei>(size_of(pbuffer, GLX_HEIGHT));
    // OpenGL ES makes no alpha of a surface that has none.
    const bool has_alpha = pbuffer.texture_format == EGL_TEXTURE_RGBA && attribute(pbuffer.config, GLX_ALPHA_SIZE) > 0;
    return read_from(pbuffer.name, [&] {
        const gl::ErrorScope errors;
        const gl::PlainPixels plain(gl::PlainPixels::transfer);
        const SurfaceBound surface(GL_BACK);
        REAL(glCopyTexImage2D)(GL_TEXTURE_2D, 0, has_alpha ? GL_RGBA : GL_RGB, 0, 0, width, height, 0);
        if (pbuffer.has_levels && REAL(glGenerateMipmap))
            ::glGenerateMipmap(GL_TEXTURE_2D);
    });
}

/// What is wrong with a call about a pbuffer that is a texture, as EGL says it.
EGLint error_in(const Surface *surface, EGLint buffer) {
    if (!surface || surface->is_window || surface->name == None || pixmap_of(surface->name).name)
        return EGL_BAD_SURFACE;
    if (buffer != EGL_BACK_BUFFER)
        return EGL_BAD_PARAMETER;
    return surface->texture_format == EGL_NO_TEXTURE ? EGL_BAD_MATCH : EGL_SUCCESS;
}

/// The end of a texture releases its pbuffer. Other contexts than its own are not asked for it.
bool is_ended_texture(const Surface &pbuffer) {
    return pbuffer.texture_of && pbuffer.texture_of == here().context && pbuffer.texture &&
           !REAL(glIsTexture)(pbuffer.texture);
}

} // namespace

void update_textures() {
    const Here &h = here();
    if (h.draw && h.draw->texture_of)
        h.draw->is_changed = true;
    const auto is_stale = [&h](const Surface &one) {
        return one.texture_of == h.context && one.is_changed && &one != h.draw && one.name != None;
    };
    while (Surface *const pbuffer = h.context ? surfaces().find_if(is_stale) : nullptr) {
        pbuffer->is_changed = false;
        if (is_ended_texture(*pbuffer)) {
            pbuffer->texture_of = nullptr;
            continue;
        }
        const gl::ErrorScope errors;
        const GLint before = gl::get(GL_TEXTURE_BINDING_2D);
        REAL(glBindTexture)(GL_TEXTURE_2D, pbuffer->texture);
        copy_to_texture(*pbuffer);
        REAL(glBindTexture)(GL_TEXTURE_2D, before);
    }
}

} // namespace mpiglut::x11::egl

using namespace mpiglut;
using namespace mpiglut::x11::egl;
using EglSurface = mpiglut::x11::egl::Surface;

MPIGLUT_EXPORT EGLBoolean eglBindTexImage(EGLDisplay display, EGLSurface name, EGLint buffer) {
    if (!find_display(display))
        return pass(REAL(eglBindTexImage), display, name, buffer);
    EglSurface *const surface = surfaces().find(name);
    if (const EGLint error = error_in(surface, buffer); error != EGL_SUCCESS)
        return refuse(error);
    if (surface->texture_of && !is_ended_texture(*surface))
        return refuse(EGL_BAD_ACCESS);
    surface->texture_of = nullptr;
    const Here &h = here();
    if (!h.context)
        return succeed();
    if (!copy_to_texture(*surface))
        return refuse(EGL_BAD_MATCH);
    surface->texture_of = h.context;
    surface->texture = static_cast<unsigned>(gl::get(GL_TEXTURE_BINDING_2D));
    surface->is_changed = h.draw == surface;
    return succeed();
}

/// The texture keeps the pixels that it has.
MPIGLUT_EXPORT EGLBoolean eglReleaseTexImage(EGLDisplay display, EGLSurface name, EGLint buffer) {
    if (!find_display(display))
        return pass(REAL(eglReleaseTexImage), display, name, buffer);
    EglSurface *const surface = surfaces().find(name);
    if (const EGLint error = error_in(surface, buffer); error != EGL_SUCCESS)
        return refuse(error);
    surface->texture_of = nullptr;
    return succeed();
}

MPIGLUT_EXPORT EGLBoolean eglCopyBuffers(EGLDisplay display, EGLSurface name, EGLNativePixmapType pixmap) {
    const auto *const own = find_display(display);
    if (!own)
        return pass(REAL(eglCopyBuffers), display, name, pixmap);
    const EglSurface *const surface = surfaces().find(name);
    if (!own->initialized)
        return refuse(EGL_NOT_INITIALIZED);
    if (!surface || surface->name == None || surface != here().draw)
        return refuse(EGL_BAD_SURFACE);
    EGLint width = 0, height = 0;
    ::eglQuerySurface(display, name, EGL_WIDTH, &width);
    ::eglQuerySurface(display, name, EGL_HEIGHT, &height);
    if (width <= 0 || height <= 0)
        return refuse(EGL_BAD_NATIVE_WINDOW); // the program has destroyed it
    auto sent = x11::Sent::other_depth;
    x11::read_from(surface->name, [&] {
        sent = x11::send_pixels(own->connection, static_cast<xcb_pixmap_t>(pixmap), width, height, GL_BACK);
    });
    return sent == x11::Sent::all ? succeed()
                                  : refuse(sent == x11::Sent::no_pixmap ? EGL_BAD_NATIVE_PIXMAP : EGL_BAD_MATCH);
}
