// The ways a context becomes current, comes and goes.

#include "base/export.h"
#include "base/real.h"
#include "clock/callers.h"
#include "clock/clock.h"
#include "clock/role.h"
#include "clock/virtual.h"
#include "gl/coordinates.h"
#include "gl/present.h"

namespace mpiglut::gl {

namespace {

void (*before_window)(GLXDrawable) = nullptr; ///< the window model's

/// FreeGLUT makes a window's context current around each callback, in the thread of the ticks, where the program may
/// want nothing of it: it does not take the context from the thread that draws with it.
bool is_left_to_drawing(bool by_program, GLXContext context) {
    return role() == Role::ticks && someone_draws() && !by_program && held_elsewhere(context);
}

/// No context here, in place of one that another thread has. One that it has taken from here is left alone: letting go
/// of it would work on it.
Bool leave(Display *display, GLXContext context) {
    if (!was_current_here(context)) {
        REAL(glXMakeContextCurrent)(display, None, None, nullptr);
        made_current(nullptr, None, None, false);
    }
    return True;
}

/// `real` makes the context current to the drawables it is given.
template <class F>
Bool make_current(clock::Caller caller, Display *display, GLXDrawable draw, GLXDrawable read, GLXContext context,
                  F real) {
    if (!active())
        return real(draw, read);
    const bool by_program = clock::origin_of_call(caller) == clock::Origin::program;
    if (!context)
        clock::hand_over();
    else if (is_left_to_drawing(by_program, context))
        return leave(display, context);
    if (context && before_window && is_window(draw))
        before_window(stands_for(draw));
    const GLXDrawable real_draw = substitute(display, draw, context);
    const GLXDrawable real_read = read == draw ? real_draw : substitute(display, read, context);
    const Bool done = real(real_draw, real_read);
    if (!done)
        return done;
    made_current(context, draw, read, by_program && role() == Role::ticks);
    if (context)
        fit_drawable(); // the window may have got another size while neither thread had it
    return done;
}

GLXContext created(GLXContext context, GLXContext shares_with) {
    if (active()) {
        clock::hand_over();
        share_lists(context, shares_with);
    }
    return context;
}

} // namespace

void on_window_current(void (*call)(GLXDrawable)) { before_window = call; }

} // namespace mpiglut::gl

using namespace mpiglut;
using namespace mpiglut::gl;

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
    const GLXDrawable drawable = REAL(glXGetCurrentDrawable)();
    return active() ? stands_for(drawable) : drawable;
}

MPIGLUT_EXPORT GLXDrawable glXGetCurrentReadDrawable(void) {
    const GLXDrawable drawable = REAL(glXGetCurrentReadDrawable)();
    return active() ? stands_for(drawable) : drawable;
}

MPIGLUT_EXPORT GLXContext glXCreateContext(Display *display, XVisualInfo *visual, GLXContext share, Bool direct) {
    return created(REAL(glXCreateContext)(display, visual, share, direct), share);
}

MPIGLUT_EXPORT GLXContext glXCreateNewContext(Display *display, GLXFBConfig config, int type, GLXContext share,
                                              Bool direct) {
    return created(REAL(glXCreateNewContext)(display, config, type, share, direct), share);
}

MPIGLUT_EXPORT GLXContext glXCreateContextAttribsARB(Display *display, GLXFBConfig config, GLXContext share, Bool direct,
                                                     const int *attributes) {
    return created(REAL(glXCreateContextAttribsARB)(display, config, share, direct, attributes), share);
}

MPIGLUT_EXPORT void glXDestroyContext(Display *display, GLXContext context) {
    if (active())
        destroyed(context);
    REAL(glXDestroyContext)(display, context);
}
