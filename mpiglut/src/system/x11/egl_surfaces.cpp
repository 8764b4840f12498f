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
#include <memory>
#include <mutex>
#include <vector>

namespace mpiglut::x11::egl {
namespace {

/// A window has one surface at most.
bool is_drawn_to(xcb_window_t window) {
    return surfaces().find_if([window](const Surface &one) { return one.is_window && one.name == window; });
}

EGLSurface create_window(Display &display, EGLConfig config, xcb_window_t window) {
    if (!display.initialized)
        return refuse<EGLSurface>(EGL_NOT_INITIALIZED);
    if (!is_config(display, static_cast<GLXFBConfig>(config)))
        return refuse<EGLSurface>(EGL_BAD_CONFIG);
    if (!ask(display.connection, {window}).front().is_window)
        return refuse<EGLSurface>(EGL_BAD_NATIVE_WINDOW);
    if (is_drawn_to(window))
        return refuse<EGLSurface>(EGL_BAD_ALLOC);
    return succeed<EGLSurface>(surfaces().add({&display, static_cast<GLXFBConfig>(config), window, true}));
}

/// What eglCreatePlatformWindowSurface gets is where the window's name is.
xcb_window_t name_at(const Display &display, const void *native) {
    return display.is_xcb ? *static_cast<const xcb_window_t *>(native)
                          : static_cast<xcb_window_t>(*static_cast<const unsigned long *>(native));
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

void end(const Surface &surface) {
    if (!surface.is_window && surface.name)
        destroy_pbuffer(surface.name);
}

} // namespace mpiglut::x11::egl

using namespace mpiglut;
using namespace mpiglut::x11::egl;
using EglDisplay = mpiglut::x11::egl::Display;
using EglSurface = mpiglut::x11::egl::Surface;

MPIGLUT_EXPORT EGLSurface eglCreateWindowSurface(EGLDisplay display, EGLConfig config, EGLNativeWindowType window,
                                                 const EGLint *attributes) {
    EglDisplay *const own = find_display(display);
    return own ? create_window(*own, config, static_cast<xcb_window_t>(window))
               : pass(REAL(eglCreateWindowSurface), display, config, window, attributes);
}

MPIGLUT_EXPORT EGLSurface eglCreatePlatformWindowSurface(EGLDisplay display, EGLConfig config, void *native,
                                                         const EGLAttrib *attributes) {
    EglDisplay *const own = find_display(display);
    return own ? create_window(*own, config, name_at(*own, native))
               : pass(REAL(eglCreatePlatformWindowSurface), display, config, native, attributes);
}

MPIGLUT_EXPORT EGLSurface eglCreatePlatformWindowSurfaceEXT(EGLDisplay display, EGLConfig config, void *native,
                                                            const EGLint *attributes) {
    EglDisplay *const own = find_display(display);
    return own ? create_window(*own, config, name_at(*own, native))
               : pass(REAL(eglCreatePlatformWindowSurfaceEXT), display, config, native, attributes);
}

MPIGLUT_EXPORT EGLSurface eglCreatePbufferSurface(EGLDisplay display, EGLConfig config, const EGLint *attributes) {
    EglDisplay *const own = find_display(display);
    if (!own)
        return pass(REAL(eglCreatePbufferSurface), display, config, attributes);
    if (!own->initialized)
        return refuse<EGLSurface>(EGL_NOT_INITIALIZED);
    int size[] = {GLX_PBUFFER_WIDTH, 0, GLX_PBUFFER_HEIGHT, 0, GLX_LARGEST_PBUFFER, False, None};
    for (; attributes && attributes[0] != EGL_NONE; attributes += 2)
        if (attributes[0] == EGL_WIDTH || attributes[0] == EGL_HEIGHT)
            size[attributes[0] == EGL_WIDTH ? 1 : 3] = attributes[1];
        else if (attributes[0] == EGL_LARGEST_PBUFFER)
            size[5] = attributes[1];
    size[1] = std::max(size[1], 1);
    size[3] = std::max(size[3], 1);
    const GLXDrawable name = x11::make_pbuffer(own->connection, static_cast<GLXFBConfig>(config), size);
    return name ? succeed<EGLSurface>(surfaces().add({own, static_cast<GLXFBConfig>(config), name, false}))
                : refuse<EGLSurface>(EGL_BAD_ALLOC);
}

MPIGLUT_EXPORT EGLSurface eglCreatePixmapSurface(EGLDisplay display, EGLConfig config, EGLNativePixmapType pixmap,
                                                 const EGLint *attributes) {
    EglDisplay *const own = find_display(display);
    if (!own)
        return pass(REAL(eglCreatePixmapSurface), display, config, pixmap, attributes);
    if (!own->initialized)
        return refuse<EGLSurface>(EGL_NOT_INITIALIZED);
    const GLXDrawable name =
        x11::make_pixmap(own->connection, static_cast<GLXFBConfig>(config), static_cast<xcb_drawable_t>(pixmap));
    return name ? succeed<EGLSurface>(surfaces().add({own, static_cast<GLXFBConfig>(config), name, false}))
                : refuse<EGLSurface>(EGL_BAD_NATIVE_PIXMAP);
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
    case EGL_RENDER_BUFFER: *value = EGL_BACK_BUFFER; break;
    case EGL_SWAP_BEHAVIOR: *value = EGL_BUFFER_DESTROYED; break;
    case EGL_TEXTURE_FORMAT:
    case EGL_TEXTURE_TARGET: *value = EGL_NO_TEXTURE; break;
    case EGL_MULTISAMPLE_RESOLVE: *value = EGL_MULTISAMPLE_RESOLVE_DEFAULT; break;
    case EGL_HORIZONTAL_RESOLUTION:
    case EGL_VERTICAL_RESOLUTION:
    case EGL_PIXEL_ASPECT_RATIO: *value = EGL_UNKNOWN; break;
    case EGL_LARGEST_PBUFFER:
    case EGL_MIPMAP_TEXTURE:
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
