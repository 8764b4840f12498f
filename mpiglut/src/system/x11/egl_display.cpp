// EGL's calls about displays, and those that belong to none.
#include "base/export.h"
#include "base/lookup.h"
#include "system/x11/egl_objects.h"
#include "system/x11/gl_binding.h"
#include "system/x11/gl_drawables.h"
#include "system/x11/gl_windows.h"
#include "system/x11/tile_system.h"
#include "system/x11/x11.h"

#include <X11/Xlib.h>

#include <cstring>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace mpiglut::x11::egl {
namespace {

struct Displays {
    std::mutex mutex;
    std::vector<std::unique_ptr<Display>> all;
};

Displays &displays() {
    static auto *const the_displays = new Displays;
    return *the_displays;
}

constexpr const char *client_extensions =
    "EGL_EXT_client_extensions EGL_EXT_platform_base EGL_KHR_client_get_all_proc_addresses EGL_KHR_platform_x11 "
    "EGL_EXT_platform_x11 EGL_EXT_platform_xcb";
constexpr const char *extensions =
    "EGL_EXT_buffer_age EGL_EXT_create_context_robustness EGL_EXT_swap_buffers_with_damage EGL_KHR_config_attribs "
    "EGL_KHR_context_flush_control EGL_KHR_create_context EGL_KHR_create_context_no_error EGL_KHR_fence_sync "
    "EGL_KHR_get_all_proc_addresses EGL_KHR_gl_colorspace EGL_KHR_no_config_context EGL_KHR_surfaceless_context "
    "EGL_KHR_swap_buffers_with_damage EGL_KHR_wait_sync EGL_MESA_configless_context";

EGLDisplay platform_display(EGLenum platform, void *native) {
    if (active() && (platform == EGL_PLATFORM_X11_KHR || platform == EGL_PLATFORM_XCB_EXT))
        return display_for(native, platform == EGL_PLATFORM_XCB_EXT);
    return EGL_NO_DISPLAY;
}

} // namespace

Here &here() {
    static thread_local Here *const mine = new Here; // exit handlers draw, too
    return *mine;
}

Display *find_display(EGLDisplay display) {
    if (!active() || !display)
        return nullptr;
    const std::lock_guard lock(displays().mutex);
    for (const auto &one : displays().all)
        if (one.get() == display)
            return one.get();
    return nullptr;
}

EGLDisplay display_for(void *native, bool is_xcb) {
    const std::lock_guard lock(displays().mutex);
    for (const auto &one : displays().all)
        if (one->native == native && one->is_xcb == is_xcb)
            return one.get();
    auto made = std::make_unique<Display>();
    made->native = native;
    made->is_xcb = is_xcb;
    return displays().all.emplace_back(std::move(made)).get();
}

void forget_connection(const xcb_connection_t *connection) {
    std::vector<Display *> ended;
    {
        const std::lock_guard lock(displays().mutex);
        for (const auto &one : displays().all)
            if (one->connection == connection)
                ended.push_back(one.get());
    }
    for (Display *const display : ended) {
        display->connection = nullptr;
        display->initialized = false;
        surfaces().change_all([display](Surface &one) {
            if (one.display != display)
                return;
            if (one.is_window)
                forget_glx_window(one.name); // another one may get its name
            one.name = None;
        });
        contexts().change_all([display](Context &one) { one.alone = one.display == display ? None : one.alone; });
    }
}

} // namespace mpiglut::x11::egl

using namespace mpiglut;
using namespace mpiglut::x11::egl;
using EglContext = mpiglut::x11::egl::Context;
using EglDisplay = mpiglut::x11::egl::Display;
using EglSurface = mpiglut::x11::egl::Surface;

MPIGLUT_EXPORT EGLDisplay eglGetDisplay(EGLNativeDisplayType native) {
    return x11::active() ? display_for(reinterpret_cast<void *>(native), false) : pass(REAL(eglGetDisplay), native);
}

MPIGLUT_EXPORT EGLDisplay eglGetPlatformDisplay(EGLenum platform, void *native, const EGLAttrib *attributes) {
    const EGLDisplay own = platform_display(platform, native);
    return own ? own : pass(REAL(eglGetPlatformDisplay), platform, native, attributes);
}

MPIGLUT_EXPORT EGLDisplay eglGetPlatformDisplayEXT(EGLenum platform, void *native, const EGLint *attributes) {
    const EGLDisplay own = platform_display(platform, native);
    return own ? own : pass(REAL(eglGetPlatformDisplayEXT), platform, native, attributes);
}

MPIGLUT_EXPORT EGLBoolean eglInitialize(EGLDisplay display, EGLint *major, EGLint *minor) {
    EglDisplay *const own = find_display(display);
    if (!own)
        return pass(REAL(eglInitialize), display, major, minor);
    if (!own->connection) { // the program's, to the wall's X server: an operation of all ranks
        void *const native = own->native ? own->native : XOpenDisplay(nullptr);
        own->connection = own->is_xcb && own->native ? static_cast<xcb_connection_t *>(native)
                                                     : x11::connection_of(static_cast<::Display *>(native));
    }
    if (!own->connection || !x11::tile())
        return refuse(EGL_NOT_INITIALIZED);
    own->initialized = true;
    if (major)
        *major = 1;
    if (minor)
        *minor = 5;
    return succeed();
}

MPIGLUT_EXPORT EGLBoolean eglTerminate(EGLDisplay display) {
    EglDisplay *const own = find_display(display);
    if (!own)
        return pass(REAL(eglTerminate), display);
    own->initialized = false;
    surfaces().destroy_if([own](const EglSurface &one) { return one.display == own; });
    contexts().destroy_if([own](const EglContext &one) { return one.display == own; });
    return succeed();
}

MPIGLUT_EXPORT const char *eglQueryString(EGLDisplay display, EGLint name) {
    if (x11::active() && !display && name == EGL_EXTENSIONS) {
        const char *const real = pass(REAL(eglQueryString), display, name);
        return real ? real : client_extensions;
    }
    const EglDisplay *const own = find_display(display);
    if (!own)
        return pass(REAL(eglQueryString), display, name);
    if (!own->initialized)
        return refuse<const char *>(EGL_NOT_INITIALIZED);
    switch (name) {
    case EGL_VENDOR: return succeed("pixmpi");
    case EGL_VERSION: return succeed("1.5 by GLX");
    case EGL_CLIENT_APIS: return succeed("OpenGL OpenGL_ES ");
    case EGL_EXTENSIONS: return succeed(extensions);
    default: return refuse<const char *>(EGL_BAD_PARAMETER);
    }
}

MPIGLUT_EXPORT EGLint eglGetError(void) {
    if (!x11::active())
        return pass(REAL(eglGetError));
    const EGLint own = std::exchange(here().error, EGL_SUCCESS);
    if (own != EGL_SUCCESS)
        return own;
    const EGLint real = pass(REAL(eglGetError));
    return real ? real : EGL_SUCCESS;
}

MPIGLUT_EXPORT EGLBoolean eglBindAPI(EGLenum api) {
    if (!x11::active())
        return pass(REAL(eglBindAPI), api);
    if (api != EGL_OPENGL_API && api != EGL_OPENGL_ES_API)
        return refuse(EGL_BAD_PARAMETER);
    here().api = api;
    pass(REAL(eglBindAPI), api);
    return succeed();
}

MPIGLUT_EXPORT EGLenum eglQueryAPI(void) { return x11::active() ? here().api : pass(REAL(eglQueryAPI)); }

MPIGLUT_EXPORT EGLBoolean eglReleaseThread(void) {
    if (x11::active() && here().context)
        x11::make_current(nullptr, nullptr, None, None, nullptr);
    if (x11::active()) {
        release();
        here() = {};
    }
    const EGLBoolean real = pass(REAL(eglReleaseThread));
    return x11::active() ? succeed() : real;
}

MPIGLUT_EXPORT __eglMustCastToProperFunctionPointerType eglGetProcAddress(const char *name) {
    using Function = __eglMustCastToProperFunctionPointerType;
    void *found = reinterpret_cast<void *>(pass(REAL(eglGetProcAddress), name));
    if (!name || !x11::active())
        return reinterpret_cast<Function>(wrapped(name, found));
    if (void *const own = own_symbol(name); own && std::strncmp(name, "egl", 3) == 0)
        return reinterpret_cast<Function>(own);
    if (!found && std::strncmp(name, "gl", 2) == 0)
        found = real_symbol(name);
    return reinterpret_cast<Function>(wrapped(name, found));
}
