// EGL's calls that make contexts, end them, and make them current.
#include "base/export.h"
#include "base/x_errors.h"
#include "gl/context/context.h"
#include "gl/context/make_current.h"
#include "system/x11/egl_objects.h"
#include "system/x11/gl_binding.h"
#include "system/x11/gl_configs.h"
#include "system/x11/gl_drawables.h"
#include "system/x11/tile_system.h"
#include "system/x11/x11.h"

#include <X11/Xlib.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace mpiglut::x11::egl {
namespace {

/// What the program asks of a context.
struct Asked {
    EGLint major = 1, minor = 0, profile = EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, flags = 0;
    EGLint flags_as_such = 0; ///< not those that have attributes of their own
    EGLint release = EGL_CONTEXT_RELEASE_BEHAVIOR_FLUSH_KHR;
    bool no_error = false, has_profile = false;
    std::optional<EGLint> reset;
};

/// False for a list that has an unknown attribute.
bool read_asked(const EGLint *list, Asked &asked) {
    const auto flag = [&asked](EGLint value, int bit) { asked.flags |= value ? bit : 0; };
    for (; list && list[0] != EGL_NONE; list += 2)
        switch (list[0]) {
        case EGL_CONTEXT_MAJOR_VERSION: asked.major = list[1]; break;
        case EGL_CONTEXT_MINOR_VERSION: asked.minor = list[1]; break;
        case EGL_CONTEXT_OPENGL_PROFILE_MASK: asked.profile = list[1], asked.has_profile = true; break;
        case EGL_CONTEXT_FLAGS_KHR: asked.flags |= asked.flags_as_such = list[1]; break;
        case EGL_CONTEXT_OPENGL_DEBUG: flag(list[1], GLX_CONTEXT_DEBUG_BIT_ARB); break;
        case EGL_CONTEXT_OPENGL_FORWARD_COMPATIBLE: flag(list[1], GLX_CONTEXT_FORWARD_COMPATIBLE_BIT_ARB); break;
        case EGL_CONTEXT_OPENGL_ROBUST_ACCESS:
        case EGL_CONTEXT_OPENGL_ROBUST_ACCESS_EXT: flag(list[1], GLX_CONTEXT_ROBUST_ACCESS_BIT_ARB); break;
        case EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY:
        case EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY_EXT: asked.reset = list[1]; break;
        case EGL_CONTEXT_OPENGL_NO_ERROR_KHR: asked.no_error = list[1] != 0; break;
        case EGL_CONTEXT_PRIORITY_LEVEL_IMG: break; // a hint
        case EGL_CONTEXT_RELEASE_BEHAVIOR_KHR: asked.release = list[1]; break;
        default: return false;
        }
    return true;
}

constexpr EGLint all_flags = EGL_CONTEXT_OPENGL_DEBUG_BIT_KHR | EGL_CONTEXT_OPENGL_FORWARD_COMPATIBLE_BIT_KHR |
                             EGL_CONTEXT_OPENGL_ROBUST_ACCESS_BIT_KHR;
constexpr EGLint flags_of_es = EGL_CONTEXT_OPENGL_DEBUG_BIT_KHR;
constexpr EGLint all_profiles =
    EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT | EGL_CONTEXT_OPENGL_COMPATIBILITY_PROFILE_BIT;

/// What is wrong with it, as EGL says it.
EGLint error_in(const Asked &asked, EGLenum api) {
    const bool is_es = api == EGL_OPENGL_ES_API;
    if (asked.flags_as_such & ~(is_es ? flags_of_es : all_flags) || (asked.has_profile && is_es) ||
        (asked.release != EGL_CONTEXT_RELEASE_BEHAVIOR_FLUSH_KHR &&
         asked.release != EGL_CONTEXT_RELEASE_BEHAVIOR_NONE_KHR))
        return EGL_BAD_ATTRIBUTE;
    return asked.profile & ~all_profiles || !asked.profile ? EGL_BAD_MATCH : EGL_SUCCESS;
}

/// The same for GLX. The bits of profiles and flags are the same.
std::vector<int> for_glx(const Asked &asked, EGLenum api) {
    std::vector<int> list{GLX_CONTEXT_MAJOR_VERSION_ARB, asked.major, GLX_CONTEXT_MINOR_VERSION_ARB, asked.minor};
    const auto add = [&list](int name, int value) { list.insert(list.end(), {name, value}); };
    if (api == EGL_OPENGL_ES_API)
        add(GLX_CONTEXT_PROFILE_MASK_ARB, GLX_CONTEXT_ES2_PROFILE_BIT_EXT);
    else if (asked.major * 10 + asked.minor >= 32)
        add(GLX_CONTEXT_PROFILE_MASK_ARB, asked.profile);
    if (asked.flags)
        add(GLX_CONTEXT_FLAGS_ARB, asked.flags);
    if (asked.reset)
        add(GLX_CONTEXT_RESET_NOTIFICATION_STRATEGY_ARB, *asked.reset == EGL_LOSE_CONTEXT_ON_RESET
                                                             ? GLX_LOSE_CONTEXT_ON_RESET_ARB
                                                             : GLX_NO_RESET_NOTIFICATION_ARB);
    if (asked.no_error)
        add(GLX_CONTEXT_OPENGL_NO_ERROR_ARB, True);
    if (asked.release == EGL_CONTEXT_RELEASE_BEHAVIOR_NONE_KHR)
        add(GLX_CONTEXT_RELEASE_BEHAVIOR_ARB, GLX_CONTEXT_RELEASE_BEHAVIOR_NONE_ARB);
    list.push_back(None);
    return list;
}

GLXContext create(GLXFBConfig config, GLXContext share, const std::vector<int> &attributes) {
    const Ours ours;
    const QuietErrors quiet(tile());
    const auto make = REAL(glXCreateContextAttribsARB);
    return make ? make(tile(), config, share, True, attributes.data()) : nullptr;
}

/// What a context without a surface is current to.
GLXDrawable alone(Display &display, Context &context) {
    const int size[] = {GLX_PBUFFER_WIDTH, 1, GLX_PBUFFER_HEIGHT, 1, None};
    if (!context.alone)
        context.alone = make_pbuffer(display.connection, context.config, size);
    return context.alone;
}

/// A context for any format is made anew in that of the first surface. Nothing is lost: it was never current, and the
/// new one shares what the old one shared.
void fit_to(Context &context, const Surface *surface) {
    if (!std::exchange(context.takes_any, false) || !surface || context.config == surface->config)
        return;
    const GLXContext fitting = create(surface->config, context.real, context.asked);
    if (!fitting)
        return;
    note_context(fitting, surface->config);
    gl::created(false, fitting, context.real);
    const GLXContext old = std::exchange(context.real, fitting);
    context.config = surface->config;
    gl::destroyed(old);
    forget_context(old);
    REAL(glXDestroyContext)(tile(), old);
}

/// One that the system's EGL has current in this thread ends to be: libglvnd lets GLX have none beside it.
void release_system() {
    const EGLDisplay display = pass(REAL(eglGetCurrentDisplay));
    if (display && pass(REAL(eglGetCurrentContext)))
        pass(REAL(eglMakeCurrent), display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
}

/// Of a display of the system's EGL. Ours is current again where that refuses.
EGLBoolean make_system_current(EGLDisplay display, EGLSurface draw, EGLSurface read, EGLContext context) {
    Here &h = here();
    if (!active() || !context || !h.context)
        return pass(REAL(eglMakeCurrent), display, draw, read, context);
    const Binding before = bound();
    x11::make_current(nullptr, nullptr, None, None, nullptr);
    const EGLBoolean done = pass(REAL(eglMakeCurrent), display, draw, read, context);
    if (done)
        release();
    else
        x11::make_current(nullptr, h.display->connection, before.draw, before.read, before.context);
    return done;
}

/// Another thread has one of these current.
bool is_elsewhere(const Context &context, const Surface *draw, const Surface *read) {
    const Here &h = here();
    const auto uses = [&h](const Surface *one) { return (one == h.draw) + (one == h.read); };
    return contexts().is_elsewhere(context, &context == h.context) ||
           (draw && surfaces().is_elsewhere(*draw, uses(draw))) || (read && surfaces().is_elsewhere(*read, uses(read)));
}

} // namespace

Objects<Context> &contexts() {
    static auto *const all = new Objects<Context>; // threads may still draw while static objects are destroyed
    return *all;
}

void end(const Context &context) {
    surfaces().change_all([&context](Surface &one) {
        if (one.texture_of == &context)
            one.texture_of = nullptr;
    });
    gl::destroyed(context.real);
    forget_context(context.real);
    REAL(glXDestroyContext)(tile(), context.real);
    if (context.alone)
        destroy_pbuffer(context.alone);
}

::Display *display_of_xlib() {
    const Here &h = here();
    return h.context && !h.display->is_xcb ? static_cast<::Display *>(h.display->native) : nullptr;
}

void release() {
    Here &h = here();
    surfaces().replace(h.draw, nullptr);
    surfaces().replace(h.read, nullptr);
    contexts().replace(h.context, nullptr);
}

} // namespace mpiglut::x11::egl

using namespace mpiglut;
using namespace mpiglut::x11::egl;
using EglDisplay = mpiglut::x11::egl::Display;
using EglContext = mpiglut::x11::egl::Context;
using EglSurface = mpiglut::x11::egl::Surface;

MPIGLUT_EXPORT EGLContext eglCreateContext(EGLDisplay display, EGLConfig config, EGLContext share,
                                           const EGLint *attributes) {
    EglDisplay *const own = find_display(display);
    if (!own)
        return pass(REAL(eglCreateContext), display, config, share, attributes);
    Asked asked;
    if (!own->initialized)
        return refuse<EGLContext>(EGL_NOT_INITIALIZED);
    if (!read_asked(attributes, asked))
        return refuse<EGLContext>(EGL_BAD_ATTRIBUTE);
    if (const EGLint error = error_in(asked, here().api); error != EGL_SUCCESS)
        return refuse<EGLContext>(error);
    const bool takes_any = !config;
    if (takes_any) {
        const VisualID usual = xcb_setup_roots_iterator(xcb_get_setup(own->connection)).data->root_visual;
        config = with_colours(*own, x11::config_of_visual(own->connection, usual), EGL_GL_COLORSPACE_LINEAR);
    }
    if (!is_config(*own, static_cast<GLXFBConfig>(config)))
        return refuse<EGLContext>(EGL_BAD_CONFIG);
    const auto real_config = static_cast<GLXFBConfig>(config);
    const EglContext *const sharing = contexts().find(share);
    if (share && !sharing)
        return refuse<EGLContext>(EGL_BAD_CONTEXT);
    const GLXContext other = sharing ? sharing->real : nullptr;
    const std::vector<int> for_tile = for_glx(asked, here().api);
    const GLXContext real = create(real_config, other, for_tile);
    if (!real)
        return refuse<EGLContext>(EGL_BAD_MATCH);
    x11::note_context(real, real_config);
    gl::created(false, real, other);
    return succeed<EGLContext>(
        contexts().add({real, real_config, for_tile, takes_any, here().api, asked.major, None, own}));
}

MPIGLUT_EXPORT EGLBoolean eglDestroyContext(EGLDisplay display, EGLContext context) {
    if (!find_display(display))
        return pass(REAL(eglDestroyContext), display, context);
    EglContext *const own = contexts().find(context);
    if (!own)
        return refuse(EGL_BAD_CONTEXT);
    contexts().destroy_if([own](const EglContext &one) { return &one == own; });
    return succeed();
}

MPIGLUT_EXPORT EGLBoolean eglMakeCurrent(EGLDisplay display, EGLSurface draw, EGLSurface read, EGLContext context) {
    EglDisplay *const own = find_display(display);
    Here &h = here();
    if (!own && !(x11::active() && !context && h.context))
        return make_system_current(display, draw, read, context);
    if (!context) {
        if (draw || read)
            return refuse(EGL_BAD_MATCH);
        x11::make_current(nullptr, nullptr, None, None, nullptr);
        release();
        return succeed();
    }
    if (!own->initialized)
        return refuse(EGL_NOT_INITIALIZED);
    EglContext *const wanted = contexts().find(context);
    if (!wanted)
        return refuse(EGL_BAD_CONTEXT);
    EglSurface *const to = surfaces().find(draw), *const from = surfaces().find(read);
    if ((draw && !to) || (read && !from))
        return refuse(EGL_BAD_SURFACE);
    if ((to && to->name == None) || (from && from->name == None))
        return refuse(EGL_BAD_NATIVE_WINDOW);
    if (is_elsewhere(*wanted, to, from))
        return refuse(EGL_BAD_ACCESS);
    if (!h.context)
        release_system();
    fit_to(*wanted, to);
    const GLXDrawable to_name = to ? to->name : alone(*own, *wanted), from_name = from ? from->name : to_name;
    if (!x11::make_current(nullptr, own->connection, to_name, from_name, wanted->real))
        return refuse(to && to->is_window ? EGL_BAD_NATIVE_WINDOW : EGL_BAD_MATCH);
    h.display = own;
    surfaces().replace(h.draw, to);
    surfaces().replace(h.read, from);
    contexts().replace(h.context, wanted);
    update_textures();
    return succeed();
}

MPIGLUT_EXPORT EGLContext eglGetCurrentContext(void) {
    return x11::active() && here().context ? here().context : pass(REAL(eglGetCurrentContext));
}

MPIGLUT_EXPORT EGLSurface eglGetCurrentSurface(EGLint which) {
    if (!x11::active() || !here().context)
        return pass(REAL(eglGetCurrentSurface), which);
    return which == EGL_READ ? here().read : here().draw;
}

MPIGLUT_EXPORT EGLDisplay eglGetCurrentDisplay(void) {
    return x11::active() && here().context ? here().display : pass(REAL(eglGetCurrentDisplay));
}

MPIGLUT_EXPORT EGLBoolean eglQueryContext(EGLDisplay display, EGLContext context, EGLint name, EGLint *value) {
    const EglDisplay *const own = find_display(display);
    if (!own)
        return pass(REAL(eglQueryContext), display, context, name, value);
    const EglContext *const wanted = contexts().find(context);
    if (!wanted)
        return refuse(EGL_BAD_CONTEXT);
    switch (name) {
    case EGL_CONFIG_ID: return config_value(*own, wanted->config, EGL_CONFIG_ID, *value) ? succeed() : EGL_FALSE;
    case EGL_CONTEXT_CLIENT_TYPE: *value = static_cast<EGLint>(wanted->api); break;
    case EGL_CONTEXT_CLIENT_VERSION: *value = wanted->version; break;
    case EGL_RENDER_BUFFER:
        *value = here().context == wanted && here().draw ? buffer_of(*here().draw) : EGL_NONE;
        break;
    default: return refuse(EGL_BAD_ATTRIBUTE);
    }
    return succeed();
}
