// EGL's calls about surfaces, and what is exchanged and waited for there.
#include "base/export.h"
#include "gl/context/context.h"
#include "system/x11/egl_objects.h"
#include "system/x11/gl_binding.h"
#include "system/x11/gl_configs.h"
#include "system/x11/gl_drawables.h"
#include "system/x11/gl_windows.h"
#include "system/x11/x11.h"

#include <GL/gl.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <vector>

namespace mpiglut::x11::egl {
namespace {

/// A window has one surface at most.
bool is_drawn_to(xcb_window_t window) {
    return surfaces().find_if([window](const Surface &one) { return one.is_window && one.name == window; });
}

bool is_any_of(EGLint value, std::initializer_list<EGLint> all) { return std::ranges::find(all, value) != all.end(); }

/// An attribute that any surface may have; false for an unknown one, or an unknown value.
bool read_common(EGLint name, EGLint value, EGLint &colours) {
    switch (name) {
    case EGL_GL_COLORSPACE: colours = value; [[fallthrough]];
    case EGL_VG_COLORSPACE: return is_any_of(value, {EGL_GL_COLORSPACE_LINEAR, EGL_GL_COLORSPACE_SRGB});
    case EGL_VG_ALPHA_FORMAT: return is_any_of(value, {EGL_VG_ALPHA_FORMAT_NONPRE, EGL_VG_ALPHA_FORMAT_PRE});
    default: return false;
    }
}

/// The list of a window's or a pixmap's surface; false for one with an unknown attribute or value.
template <class Attribute> bool read_list(const Attribute *list, bool is_window, EGLint &colours) {
    for (; list && list[0] != EGL_NONE; list += 2) {
        const auto name = static_cast<EGLint>(list[0]), value = static_cast<EGLint>(list[1]);
        const bool is_buffer =
            is_window && name == EGL_RENDER_BUFFER && is_any_of(value, {EGL_BACK_BUFFER, EGL_SINGLE_BUFFER});
        if (!is_buffer && !read_common(name, value, colours))
            return false;
    }
    return true;
}

template <class Attribute>
EGLSurface create_window(Display &display, EGLConfig name, xcb_window_t window, const Attribute *attributes) {
    const auto config = static_cast<GLXFBConfig>(name);
    EGLint colours = EGL_GL_COLORSPACE_LINEAR;
    if (!display.initialized)
        return refuse<EGLSurface>(EGL_NOT_INITIALIZED);
    if (!is_config(display, config))
        return refuse<EGLSurface>(EGL_BAD_CONFIG);
    if (!read_list(attributes, true, colours))
        return refuse<EGLSurface>(EGL_BAD_ATTRIBUTE);
    if (!ask(display.connection, {window}).front().is_window)
        return refuse<EGLSurface>(EGL_BAD_NATIVE_WINDOW);
    if (is_drawn_to(window))
        return refuse<EGLSurface>(EGL_BAD_ALLOC);
    const GLXFBConfig real = with_colours(display, config, colours);
    if (!real)
        return refuse<EGLSurface>(EGL_BAD_MATCH);
    if (colours == EGL_GL_COLORSPACE_SRGB) // else it gets the format of its context
        note_glx_window(display.connection, window, real);
    else
        forget_glx_window(window);
    return succeed<EGLSurface>(surfaces().add(
        {.display = &display, .config = config, .name = window, .is_window = true, .colours = colours}));
}

template <class Attribute>
EGLSurface create_pixmap(Display &display, EGLConfig name, xcb_pixmap_t pixmap, const Attribute *attributes) {
    Surface wanted{.display = &display, .config = static_cast<GLXFBConfig>(name)};
    if (!display.initialized)
        return refuse<EGLSurface>(EGL_NOT_INITIALIZED);
    if (!is_config(display, wanted.config))
        return refuse<EGLSurface>(EGL_BAD_CONFIG);
    if (!read_list(attributes, false, wanted.colours))
        return refuse<EGLSurface>(EGL_BAD_ATTRIBUTE);
    const GLXFBConfig real = with_colours(display, wanted.config, wanted.colours);
    if (!real)
        return refuse<EGLSurface>(EGL_BAD_MATCH);
    wanted.name = make_pixmap(display.connection, real, pixmap);
    return wanted.name ? succeed<EGLSurface>(surfaces().add(wanted)) : refuse<EGLSurface>(EGL_BAD_NATIVE_PIXMAP);
}

/// The largest one that the driver makes keeps the shape of a texture.
void limit_texture(const Surface &wanted, int &width, int &height) {
    const double most_wide = attribute(wanted.config, GLX_MAX_PBUFFER_WIDTH);
    const double most_high = attribute(wanted.config, GLX_MAX_PBUFFER_HEIGHT);
    const double scale = std::min(most_wide / width, most_high / height);
    if (!wanted.is_largest || wanted.texture_format == EGL_NO_TEXTURE || scale <= 0 || scale >= 1)
        return;
    width = std::max(static_cast<int>(std::lround(width * scale)), 1);
    height = std::max(static_cast<int>(std::lround(height * scale)), 1);
}

/// What is wrong with the list, as EGL says it.
EGLint read_pbuffer(const EGLint *list, Surface &wanted, int &width, int &height) {
    EGLint target = EGL_NO_TEXTURE;
    for (; list && list[0] != EGL_NONE; list += 2) {
        if (is_any_of(list[0], {EGL_WIDTH, EGL_HEIGHT}) && list[1] < 0)
            return EGL_BAD_PARAMETER;
        switch (list[0]) {
        case EGL_WIDTH: width = std::max(list[1], 1); break;
        case EGL_HEIGHT: height = std::max(list[1], 1); break;
        case EGL_LARGEST_PBUFFER: wanted.is_largest = list[1] != 0; break;
        case EGL_TEXTURE_FORMAT: wanted.texture_format = list[1]; break;
        case EGL_TEXTURE_TARGET: target = list[1]; break;
        case EGL_MIPMAP_TEXTURE: wanted.has_levels = list[1] != 0; break;
        default:
            if (!read_common(list[0], list[1], wanted.colours))
                return EGL_BAD_ATTRIBUTE;
        }
    }
    if (!is_any_of(wanted.texture_format, {EGL_NO_TEXTURE, EGL_TEXTURE_RGB, EGL_TEXTURE_RGBA}) ||
        !is_any_of(target, {EGL_NO_TEXTURE, EGL_TEXTURE_2D}) ||
        (wanted.texture_format == EGL_TEXTURE_RGBA && attribute(wanted.config, GLX_ALPHA_SIZE) <= 0))
        return EGL_BAD_ATTRIBUTE;
    return (target == EGL_NO_TEXTURE) == (wanted.texture_format == EGL_NO_TEXTURE) ? EGL_SUCCESS : EGL_BAD_MATCH;
}

/// What eglCreatePlatformWindowSurface gets is where the window's name is; a pixmap's likewise.
std::uint32_t name_at(const Display &display, const void *native) {
    return display.is_xcb ? *static_cast<const std::uint32_t *>(native)
                          : static_cast<std::uint32_t>(*static_cast<const unsigned long *>(native));
}

EGLint size_of(const Surface &surface, bool height) {
    if (surface.name == None)
        return 0;
    if (surface.is_window) {
        const pixmpi::Rect place = ask(surface.display->connection, {static_cast<xcb_drawable_t>(surface.name)})[0].place;
        return height ? place.height : place.width;
    }
    unsigned value = 0;
    query_pbuffer(surface.name, height ? GLX_HEIGHT : GLX_WIDTH, &value);
    return static_cast<EGLint>(value);
}

EGLBoolean swap(EGLDisplay display, EGLSurface name) {
    if (!find_display(display))
        return refuse(EGL_BAD_DISPLAY);
    const Surface *const surface = surfaces().find(name);
    if (!surface || surface->name == None)
        return refuse(EGL_BAD_SURFACE);
    if (const ProgramWindow *const window = surface->is_window ? find_window(surface->name) : nullptr)
        swap_window(window->id);
    return succeed();
}

} // namespace

Objects<Surface> &surfaces() {
    static auto *const all = new Objects<Surface>; // threads may still draw while static objects are destroyed
    return *all;
}

EGLint buffer_of(const Surface &surface) {
    return !surface.is_window && pixmap_of(surface.name).name ? EGL_SINGLE_BUFFER : EGL_BACK_BUFFER;
}

void end(const Surface &surface) {
    if (!surface.is_window && surface.name)
        destroy_pbuffer(surface.name);
    else if (surface.name && !is_drawn_to(static_cast<xcb_window_t>(surface.name)))
        forget_glx_window(surface.name);
}

} // namespace mpiglut::x11::egl

using namespace mpiglut;
using namespace mpiglut::x11::egl;
using EglDisplay = mpiglut::x11::egl::Display;
using EglSurface = mpiglut::x11::egl::Surface;

MPIGLUT_EXPORT EGLSurface eglCreateWindowSurface(EGLDisplay display, EGLConfig config, EGLNativeWindowType window,
                                                 const EGLint *attributes) {
    EglDisplay *const own = find_display(display);
    return own ? create_window(*own, config, static_cast<xcb_window_t>(window), attributes)
               : pass(REAL(eglCreateWindowSurface), display, config, window, attributes);
}

MPIGLUT_EXPORT EGLSurface eglCreatePlatformWindowSurface(EGLDisplay display, EGLConfig config, void *native,
                                                         const EGLAttrib *attributes) {
    EglDisplay *const own = find_display(display);
    return own ? create_window(*own, config, name_at(*own, native), attributes)
               : pass(REAL(eglCreatePlatformWindowSurface), display, config, native, attributes);
}

MPIGLUT_EXPORT EGLSurface eglCreatePlatformWindowSurfaceEXT(EGLDisplay display, EGLConfig config, void *native,
                                                            const EGLint *attributes) {
    EglDisplay *const own = find_display(display);
    return own ? create_window(*own, config, name_at(*own, native), attributes)
               : pass(REAL(eglCreatePlatformWindowSurfaceEXT), display, config, native, attributes);
}

MPIGLUT_EXPORT EGLSurface eglCreatePbufferSurface(EGLDisplay display, EGLConfig config, const EGLint *attributes) {
    EglDisplay *const own = find_display(display);
    if (!own)
        return pass(REAL(eglCreatePbufferSurface), display, config, attributes);
    if (!own->initialized)
        return refuse<EGLSurface>(EGL_NOT_INITIALIZED);
    EglSurface wanted{.display = own, .config = static_cast<GLXFBConfig>(config)};
    if (!is_config(*own, wanted.config))
        return refuse<EGLSurface>(EGL_BAD_CONFIG);
    int size[] = {GLX_PBUFFER_WIDTH, 1, GLX_PBUFFER_HEIGHT, 1, GLX_LARGEST_PBUFFER, False, None};
    if (const EGLint error = read_pbuffer(attributes, wanted, size[1], size[3]); error != EGL_SUCCESS)
        return refuse<EGLSurface>(error);
    limit_texture(wanted, size[1], size[3]);
    size[5] = wanted.is_largest;
    const GLXFBConfig real = with_colours(*own, wanted.config, wanted.colours);
    if (!real)
        return refuse<EGLSurface>(EGL_BAD_MATCH);
    wanted.name = x11::make_pbuffer(own->connection, real, size);
    return wanted.name ? succeed<EGLSurface>(surfaces().add(wanted)) : refuse<EGLSurface>(EGL_BAD_ALLOC);
}

MPIGLUT_EXPORT EGLSurface eglCreatePixmapSurface(EGLDisplay display, EGLConfig config, EGLNativePixmapType pixmap,
                                                 const EGLint *attributes) {
    EglDisplay *const own = find_display(display);
    return own ? create_pixmap(*own, config, static_cast<xcb_pixmap_t>(pixmap), attributes)
               : pass(REAL(eglCreatePixmapSurface), display, config, pixmap, attributes);
}

MPIGLUT_EXPORT EGLSurface eglCreatePlatformPixmapSurface(EGLDisplay display, EGLConfig config, void *native,
                                                         const EGLAttrib *attributes) {
    EglDisplay *const own = find_display(display);
    return own ? create_pixmap(*own, config, name_at(*own, native), attributes)
               : pass(REAL(eglCreatePlatformPixmapSurface), display, config, native, attributes);
}

MPIGLUT_EXPORT EGLSurface eglCreatePlatformPixmapSurfaceEXT(EGLDisplay display, EGLConfig config, void *native,
                                                            const EGLint *attributes) {
    EglDisplay *const own = find_display(display);
    return own ? create_pixmap(*own, config, name_at(*own, native), attributes)
               : pass(REAL(eglCreatePlatformPixmapSurfaceEXT), display, config, native, attributes);
}

MPIGLUT_EXPORT EGLBoolean eglDestroySurface(EGLDisplay display, EGLSurface name) {
    if (!find_display(display))
        return pass(REAL(eglDestroySurface), display, name);
    EglSurface *const surface = surfaces().find(name);
    if (!surface)
        return refuse(EGL_BAD_SURFACE);
    surfaces().destroy_if([surface](const EglSurface &one) { return &one == surface; });
    return succeed();
}

MPIGLUT_EXPORT EGLBoolean eglQuerySurface(EGLDisplay display, EGLSurface name, EGLint what, EGLint *value) {
    if (!find_display(display))
        return pass(REAL(eglQuerySurface), display, name, what, value);
    const EglSurface *const surface = surfaces().find(name);
    if (!surface)
        return refuse(EGL_BAD_SURFACE);
    switch (what) {
    case EGL_WIDTH: *value = size_of(*surface, false); break;
    case EGL_HEIGHT: *value = size_of(*surface, true); break;
    case EGL_CONFIG_ID: *value = x11::attribute(surface->config, GLX_FBCONFIG_ID); break;
    case EGL_RENDER_BUFFER: *value = buffer_of(*surface); break;
    case EGL_SWAP_BEHAVIOR: *value = EGL_BUFFER_DESTROYED; break;
    case EGL_TEXTURE_FORMAT: *value = surface->texture_format; break;
    case EGL_TEXTURE_TARGET:
        *value = surface->texture_format == EGL_NO_TEXTURE ? EGL_NO_TEXTURE : EGL_TEXTURE_2D;
        break;
    case EGL_MIPMAP_TEXTURE: *value = surface->has_levels; break;
    case EGL_LARGEST_PBUFFER: *value = surface->is_largest; break;
    case EGL_GL_COLORSPACE: *value = surface->colours; break;
    case EGL_MULTISAMPLE_RESOLVE: *value = EGL_MULTISAMPLE_RESOLVE_DEFAULT; break;
    case EGL_HORIZONTAL_RESOLUTION:
    case EGL_VERTICAL_RESOLUTION:
    case EGL_PIXEL_ASPECT_RATIO: *value = EGL_UNKNOWN; break;
    case EGL_MIPMAP_LEVEL:
    case EGL_BUFFER_AGE_EXT: *value = 0; break; // what the back buffer has is not known
    default: return refuse(EGL_BAD_ATTRIBUTE);
    }
    return succeed();
}

MPIGLUT_EXPORT EGLBoolean eglSurfaceAttrib(EGLDisplay display, EGLSurface surface, EGLint name, EGLint value) {
    return find_display(display) ? succeed() : pass(REAL(eglSurfaceAttrib), display, surface, name, value);
}

MPIGLUT_EXPORT EGLBoolean eglSwapBuffers(EGLDisplay display, EGLSurface surface) {
    return find_display(display) ? swap(display, surface) : pass(REAL(eglSwapBuffers), display, surface);
}

MPIGLUT_EXPORT EGLBoolean eglSwapBuffersWithDamageKHR(EGLDisplay display, EGLSurface surface, const EGLint *rectangles,
                                                      EGLint count) {
    return find_display(display) ? swap(display, surface)
                                 : pass(REAL(eglSwapBuffersWithDamageKHR), display, surface, rectangles, count);
}

MPIGLUT_EXPORT EGLBoolean eglSwapBuffersWithDamageEXT(EGLDisplay display, EGLSurface surface, const EGLint *rectangles,
                                                      EGLint count) {
    return find_display(display) ? swap(display, surface)
                                 : pass(REAL(eglSwapBuffersWithDamageEXT), display, surface, rectangles, count);
}

/// The wall shows frames together, whatever the program wants.
MPIGLUT_EXPORT EGLBoolean eglSwapInterval(EGLDisplay display, EGLint interval) {
    return find_display(display) ? succeed() : pass(REAL(eglSwapInterval), display, interval);
}
