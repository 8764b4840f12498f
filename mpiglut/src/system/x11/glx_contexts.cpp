// GLX's calls that make contexts, end them, and make them current. In a run of an X11 program they are those of the
// tile's display, and so are the drawables.
#include "base/export.h"
#include "base/real.h"
#include "clock/callers.h"
#include "clock/virtual.h"
#include "gl/context/context.h"
#include "gl/context/make_current.h"
#include "gl/present/present.h"
#include "system/x11/egl_objects.h"
#include "system/x11/gl_binding.h"
#include "system/x11/gl_configs.h"
#include "system/x11/glx_drawables.h"
#include "system/x11/tile_system.h"
#include "system/x11/x11.h"

#include <GL/glx.h>
#include <X11/Xlib.h>

namespace mpiglut {
namespace {

bool is_program(clock::Caller caller) { return clock::origin_of_call(caller) == clock::Origin::program; }

/// `real` makes the context current to the drawables it is given.
template <class F>
Bool make_current(clock::Caller caller, Display *display, GLXDrawable draw, GLXDrawable read, GLXContext context,
                  F real) {
    if (x11::is_redirected(display)) {
        const bool made = x11::make_current(display, x11::connection_of(display), draw, read, context);
        for (const GLXDrawable one : {draw, read})
            if (!made)
                x11::tell_of_nothing(display, one);
        return made;
    }
    if (active())
        return gl::make_current(is_program(caller), display, draw, read, context, real);
    // FreeGLUT's exit handler makes each window's context current. Mesa 25 ends the process by an X error if a thread
    // that still draws has it; and any thread may be the one that reaches the last frame.
    return gl::held_by_another(context) ? False : real(draw, read);
}

GLXContext created(clock::Caller caller, GLXContext context, GLXContext shares_with) {
    return active() ? gl::created(is_program(caller), context, shares_with) : context;
}

GLXContext made(GLXContext context, GLXContext shares_with, GLXFBConfig config) {
    if (context) {
        x11::note_context(context, config);
        gl::created(false, context, shares_with);
    }
    return context;
}

GLXDrawable stands_for(GLXDrawable drawable) { return active() ? gl::stands_for(drawable) : drawable; }

} // namespace
} // namespace mpiglut

using namespace mpiglut;

MPIGLUT_EXPORT Bool glXMakeCurrent(Display *display, GLXDrawable drawable, GLXContext context) {
    return make_current(MPIGLUT_CALLER, display, drawable, drawable, context, [=](GLXDrawable draw, GLXDrawable) {
        return REAL(glXMakeCurrent)(display, draw, context);
    });
}

MPIGLUT_EXPORT Bool glXMakeContextCurrent(Display *display, GLXDrawable draw, GLXDrawable read, GLXContext context) {
    return make_current(MPIGLUT_CALLER, display, draw, read, context, [=](GLXDrawable to, GLXDrawable from) {
        return REAL(glXMakeContextCurrent)(display, to, from, context);
    });
}

MPIGLUT_EXPORT Bool glXMakeCurrentReadSGI(Display *display, GLXDrawable draw, GLXDrawable read, GLXContext context) {
    return make_current(MPIGLUT_CALLER, display, draw, read, context, [=](GLXDrawable to, GLXDrawable from) {
        return REAL(glXMakeCurrentReadSGI)(display, to, from, context);
    });
}

MPIGLUT_EXPORT GLXDrawable glXGetCurrentDrawable(void) {
    return x11::active() ? x11::bound().draw : stands_for(REAL(glXGetCurrentDrawable)());
}

MPIGLUT_EXPORT GLXDrawable glXGetCurrentReadDrawable(void) {
    return x11::active() ? x11::bound().read : stands_for(REAL(glXGetCurrentReadDrawable)());
}

MPIGLUT_EXPORT Display *glXGetCurrentDisplay(void) {
    if (!x11::active())
        return REAL(glXGetCurrentDisplay)();
    Display *const display = x11::bound().display;
    return display ? display : x11::egl::display_of_xlib();
}

MPIGLUT_EXPORT Display *glXGetCurrentDisplayEXT(void) { return glXGetCurrentDisplay(); }

MPIGLUT_EXPORT GLXContext glXCreateContext(Display *display, XVisualInfo *visual, GLXContext share, Bool direct) {
    if (x11::is_redirected(display)) {
        const x11::Ours ours;
        const GLXFBConfig config =
            visual ? x11::config_of_visual(x11::connection_of(display), visual->visualid) : nullptr;
        return config ? made(REAL(glXCreateNewContext)(x11::tile(), config, GLX_RGBA_TYPE, share, direct), share, config)
                      : nullptr;
    }
    return created(MPIGLUT_CALLER, REAL(glXCreateContext)(display, visual, share, direct), share);
}

MPIGLUT_EXPORT GLXContext glXCreateNewContext(Display *display, GLXFBConfig config, int type, GLXContext share,
                                              Bool direct) {
    if (x11::is_redirected(display)) {
        const x11::Ours ours;
        return made(REAL(glXCreateNewContext)(x11::tile(), config, type, share, direct), share, config);
    }
    return created(MPIGLUT_CALLER, REAL(glXCreateNewContext)(display, config, type, share, direct), share);
}

MPIGLUT_EXPORT GLXContext glXCreateContextAttribsARB(Display *display, GLXFBConfig config, GLXContext share, Bool direct,
                                                     const int *attributes) {
    if (x11::is_redirected(display)) {
        const x11::Ours ours;
        return made(REAL(glXCreateContextAttribsARB)(x11::tile(), config, share, direct, attributes), share, config);
    }
    return created(MPIGLUT_CALLER, REAL(glXCreateContextAttribsARB)(display, config, share, direct, attributes), share);
}

MPIGLUT_EXPORT GLXContext glXCreateContextWithConfigSGIX(Display *display, GLXFBConfigSGIX config, int type,
                                                         GLXContext share, Bool direct) {
    return glXCreateNewContext(display, config, type, share, direct);
}

MPIGLUT_EXPORT void glXDestroyContext(Display *display, GLXContext context) {
    if (active())
        gl::destroyed(context);
    if (x11::active())
        x11::forget_context(context);
    REAL(glXDestroyContext)(x11::on_tile(display), context);
}

MPIGLUT_EXPORT void glXCopyContext(Display *display, GLXContext from, GLXContext to, unsigned long mask) {
    REAL(glXCopyContext)(x11::on_tile(display), from, to, mask);
}

MPIGLUT_EXPORT Bool glXIsDirect(Display *display, GLXContext context) {
    return REAL(glXIsDirect)(x11::on_tile(display), context);
}

MPIGLUT_EXPORT int glXQueryContext(Display *display, GLXContext context, int name, int *value) {
    return REAL(glXQueryContext)(x11::on_tile(display), context, name, value);
}

MPIGLUT_EXPORT int glXQueryContextInfoEXT(Display *display, GLXContext context, int name, int *value) {
    return glXQueryContext(display, context, name, value);
}
