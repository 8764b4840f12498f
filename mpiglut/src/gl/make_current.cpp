// The ways a context becomes current, comes and goes.

#include "base/export.h"
#include "base/real.h"
#include "gl/coordinates.h"
#include "gl/present.h"

namespace mpiglut::gl {

namespace {

/// `real` makes the context current to the drawables it is given.
template <class F> Bool make_current(Display *display, GLXDrawable draw, GLXDrawable read, GLXContext context, F real) {
    if (!active())
        return real(draw, read);
    const GLXDrawable real_draw = substitute(display, draw, context);
    const GLXDrawable real_read = read == draw ? real_draw : substitute(display, read, context);
    const Bool done = real(real_draw, real_read);
    if (done)
        made_current(context, draw, read);
    return done;
}

GLXContext created(GLXContext context, GLXContext shares_with) {
    if (active())
        share_lists(context, shares_with);
    return context;
}

} // namespace
} // namespace mpiglut::gl

using namespace mpiglut;
using namespace mpiglut::gl;

MPIGLUT_EXPORT Bool glXMakeCurrent(Display *display, GLXDrawable drawable, GLXContext context) {
    return make_current(display, drawable, drawable, context, [=](GLXDrawable draw, GLXDrawable) {
        return REAL(glXMakeCurrent)(display, draw, context);
    });
}

MPIGLUT_EXPORT Bool glXMakeContextCurrent(Display *display, GLXDrawable draw, GLXDrawable read, GLXContext context) {
    return make_current(display, draw, read, context, [=](GLXDrawable real_draw, GLXDrawable real_read) {
        return REAL(glXMakeContextCurrent)(display, real_draw, real_read, context);
    });
}

MPIGLUT_EXPORT Bool glXMakeCurrentReadSGI(Display *display, GLXDrawable draw, GLXDrawable read, GLXContext context) {
    return make_current(display, draw, read, context, [=](GLXDrawable real_draw, GLXDrawable real_read) {
        return REAL(glXMakeCurrentReadSGI)(display, real_draw, real_read, context);
    });
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
