// glClear and similar calls, which tell whether a frame begins anew; see habits.h. A call that names a framebuffer
// has that one's scissor, whichever is bound.
#include "gl/draw/habits.h"

#include "base/export.h"
#include "base/real.h"
#include "gl/coordinates/coordinates.h"

#include <GL/gl.h>
#include <GL/glext.h>

#include <algorithm>
#include <array>

namespace mpiglut::gl {

namespace {

GLbitfield bit_of(GLenum buffer) {
    switch (buffer) {
    case GL_COLOR:
        return GL_COLOR_BUFFER_BIT;
    case GL_DEPTH:
        return GL_DEPTH_BUFFER_BIT;
    case GL_STENCIL:
        return GL_STENCIL_BUFFER_BIT;
    case GL_DEPTH_STENCIL:
        return GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT;
    default:
        return 0;
    }
}

/// A clear that may go into a list, which keeps `call` and the values in it.
template <class F> void clear(GLbitfield bits, F call) {
    Context *c = counted();
    if (!c)
        return call();
    perform(*c, [bits, call](Context &now) {
        if (draws_window(now))
            note_clear(now, bits);
        call();
    });
}

/// A clear of a framebuffer by name, which goes into no list.
template <class F> void clear_named(GLuint framebuffer, GLbitfield bits, F &&call) {
    if (Context *c = framebuffer == 0 ? counted(true) : nullptr)
        note_clear(*c, bits);
    const NamedScissor scissor(current(), framebuffer);
    call();
}

/// The values of a clear: four for colours, one for everything else.
template <class T> std::array<T, 4> values_of(GLenum buffer, const T *values) {
    std::array<T, 4> all{};
    if (values)
        std::copy_n(values, buffer == GL_COLOR ? 4 : 1, all.begin());
    return all;
}

} // namespace

} // namespace mpiglut::gl

using namespace mpiglut::gl;

MPIGLUT_EXPORT void glClear(GLbitfield mask) {
    clear(mask, [mask] { REAL(glClear)(mask); });
}

// The clears of one buffer, with values of each type, of the bound framebuffer and of one by name.
#define CLEAR_BUFFER(letters, T)                                                                                       \
    MPIGLUT_EXPORT void glClearBuffer##letters(GLenum buffer, GLint index, const T *values) {                          \
        clear(bit_of(buffer), [buffer, index, copied = values_of(buffer, values)] {                                    \
            REAL(glClearBuffer##letters)(buffer, index, copied.data());                                                \
        });                                                                                                            \
    }                                                                                                                  \
    MPIGLUT_EXPORT void glClearNamedFramebuffer##letters(GLuint framebuffer, GLenum buffer, GLint index,               \
                                                         const T *values) {                                            \
        clear_named(framebuffer, bit_of(buffer), [=] {                                                                 \
            REAL(glClearNamedFramebuffer##letters)(framebuffer, buffer, index, values);                                \
        });                                                                                                            \
    }
CLEAR_BUFFER(fv, GLfloat)
CLEAR_BUFFER(iv, GLint)
CLEAR_BUFFER(uiv, GLuint)

MPIGLUT_EXPORT void glClearBufferfi(GLenum buffer, GLint index, GLfloat depth, GLint stencil) {
    clear(bit_of(buffer), [=] { REAL(glClearBufferfi)(buffer, index, depth, stencil); });
}

MPIGLUT_EXPORT void glClearNamedFramebufferfi(GLuint framebuffer, GLenum buffer, GLint index, GLfloat depth,
                                              GLint stencil) {
    clear_named(framebuffer, bit_of(buffer), [=] {
        REAL(glClearNamedFramebufferfi)(framebuffer, buffer, index, depth, stencil);
    });
}

// Draw calls look at what is enabled; what lists enable and draw is in the lists.
MPIGLUT_EXPORT void glEnable(GLenum what) {
    if (enable_scissor(what))
        return;
    Context *c = what == GL_DEPTH_TEST || what == GL_STENCIL_TEST ? counted() : nullptr;
    if (!c || !c->recording.open)
        return REAL(glEnable)(what);
    perform(*c, [what](Context &now) {
        REAL(glEnable)(what);
        if (draws_window(now))
            note_tests();
    });
}

MPIGLUT_EXPORT void glDrawBuffer(GLenum target) {
    Context *c = counted();
    if (!c)
        return REAL(glDrawBuffer)(target);
    perform(*c, [target](Context &now) {
        if (draws_window(now))
            note_target(target);
        REAL(glDrawBuffer)(target);
    });
}

MPIGLUT_EXPORT void glDrawBuffers(GLsizei count, const GLenum *targets) {
    if (counted())
        for (GLsizei i = 0; i < count; ++i)
            note_target(targets[i]);
    REAL(glDrawBuffers)(count, targets);
}

MPIGLUT_EXPORT void glAccum(GLenum operation, GLfloat value) {
    if (counted())
        note_accumulation();
    REAL(glAccum)(operation, value);
}
