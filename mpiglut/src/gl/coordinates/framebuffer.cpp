// Which framebuffer is bound: the window's, with translated coordinates, or an object, which is left alone.

#include "base/export.h"
#include "base/real.h"
#include "gl/coordinates/coordinates.h"
#include "gl/draw/cut.h"
#include "gl/draw/queries.h"
#include "gl/pixel/pixel_store.h"

#include <algorithm>

namespace mpiglut::gl {

namespace {

GLuint bound(GLenum binding) { return static_cast<GLuint>(get(binding)); }

/// Runs `change`, which may bind another framebuffer for drawing, and follows it.
template <class F> void follow(Context &c, bool leaves_window, F change) {
    const bool drew_window = draws_window(c);
    if (leaves_window && drew_window && c.limits.fixed_function) {
        // While the window is still bound: an object may not be complete, and nothing can be drawn to it then.
        const Unrecorded unrecorded(c);
        move_raster(c, {});
    }
    change();
    if (drew_window != draws_window(c))
        queries_moved(c);
    if (looks_at_targets)
        look_at_target(c);
    if (drew_window != draws_window(c) || (leaves_window && drew_window))
        apply(c);
}

template <class F> void bind(GLenum target, GLuint name, F real) {
    Context *c = current();
    if (!c) {
        real(target, name);
        return;
    }
    const bool draw = target != GL_READ_FRAMEBUFFER;
    follow(*c, draw && name != 0, [&] {
        real(target, name);
        // A name that GL refuses is not bound; 0 is never refused.
        if (draw)
            c->draw_framebuffer = name ? bound(GL_DRAW_FRAMEBUFFER_BINDING) : 0;
        if (target != GL_DRAW_FRAMEBUFFER)
            c->read_framebuffer = name && c->limits.version >= 30 ? bound(GL_READ_FRAMEBUFFER_BINDING) : name;
    });
}

template <class F> void remove(GLsizei count, const GLuint *names, F real) {
    Context *c = current();
    if (!c || count <= 0 || !names) {
        real(count, names);
        return;
    }
    follow(*c, false, [&] {
        real(count, names);
        for (GLuint *binding : {&c->draw_framebuffer, &c->read_framebuffer})
            if (std::find(names, names + count, *binding) != names + count)
                *binding = 0;
    });
}

} // namespace

void pull_framebuffers(Context &c) {
    if (!c.limits.framebuffers)
        return;
    c.draw_framebuffer = bound(GL_DRAW_FRAMEBUFFER_BINDING);
    c.read_framebuffer = c.limits.version >= 30 ? bound(GL_READ_FRAMEBUFFER_BINDING) : c.draw_framebuffer;
}

} // namespace mpiglut::gl

using namespace mpiglut::gl;

#define BIND_FRAMEBUFFER(function)                                                                                     \
    MPIGLUT_EXPORT void function(GLenum target, GLuint framebuffer) {                                                  \
        bind(target, framebuffer, REAL(function));                                                                     \
    }
#define DELETE_FRAMEBUFFERS(function)                                                                                  \
    MPIGLUT_EXPORT void function(GLsizei count, const GLuint *framebuffers) {                                          \
        remove(count, framebuffers, REAL(function));                                                                   \
    }
BIND_FRAMEBUFFER(glBindFramebuffer)
BIND_FRAMEBUFFER(glBindFramebufferEXT)
DELETE_FRAMEBUFFERS(glDeleteFramebuffers)
DELETE_FRAMEBUFFERS(glDeleteFramebuffersEXT)
