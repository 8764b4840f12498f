#include "gl/habits.h"

#include "base/export.h"
#include "base/real.h"
#include "clock/virtual.h"
#include "gl/mirror.h"
#include "gl/pixel_store.h"

#include <GL/gl.h>
#include <GL/glext.h>

#include <algorithm>
#include <array>
#include <utility>

namespace mpiglut::gl {
namespace {

bool watched = false;

/// Of the frame at work, which the thread of the ticks draws.
struct Frame {
    GLbitfield cleared = 0;          ///< in whole
    GLbitfield tested = 0;           ///< depth or stencil: pixels were compared with what was there
    const char *otherwise = nullptr; ///< something else that goes on with an earlier frame
};
Frame frame;

/// The context's, if what it does counts.
Context *counted() {
    Context *c = watched ? current() : nullptr;
    return c && draws_window(*c) && clock::on_main_thread() ? c : nullptr;
}

bool writes_all(GLbitfield buffer) {
    if (buffer == GL_COLOR_BUFFER_BIT) {
        std::array<GLboolean, 4> mask{};
        REAL(glGetBooleanv)(GL_COLOR_WRITEMASK, mask.data());
        const GLint target = get(GL_DRAW_BUFFER, GL_BACK);
        return mask == std::array<GLboolean, 4>{GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE} &&
               (target == GL_BACK || target == GL_BACK_LEFT || target == GL_FRONT_AND_BACK);
    }
    if (buffer == GL_DEPTH_BUFFER_BIT)
        return get(GL_DEPTH_WRITEMASK, GL_TRUE) == GL_TRUE;
    const GLint bits = get(GL_STENCIL_BITS, 8), all = static_cast<GLint>((1u << std::min(bits, 30)) - 1);
    return (get(GL_STENCIL_WRITEMASK, all) & all) == all;
}

bool in_whole(const Context &c) {
    if (!REAL(glIsEnabled)(GL_SCISSOR_TEST))
        return true;
    const Scissors::Box &box = c.scissor[0];
    const Part &window = c.surface->part;
    return box[0] <= 0 && box[1] <= 0 && box[0] + box[2] >= window.full_width && box[1] + box[3] >= window.full_height;
}

void look_at_tests() {
    if (REAL(glIsEnabled)(GL_DEPTH_TEST))
        frame.tested |= GL_DEPTH_BUFFER_BIT;
    if (REAL(glIsEnabled)(GL_STENCIL_TEST))
        frame.tested |= GL_STENCIL_BUFFER_BIT;
}

void note_clear(const Context &c, GLbitfield mask) {
    if (!in_whole(c))
        return;
    for (const GLbitfield buffer : {GL_COLOR_BUFFER_BIT, GL_DEPTH_BUFFER_BIT, GL_STENCIL_BUFFER_BIT})
        if (mask & buffer && writes_all(buffer))
            frame.cleared |= buffer;
}

void note_target(GLenum target) {
    if (target == GL_FRONT || target == GL_FRONT_LEFT || target == GL_FRONT_AND_BACK || target == GL_LEFT)
        frame.otherwise = "it draws to the front buffer";
}

} // namespace

void watch_habits() { watched = true; }

void window_is_read() {
    if (watched && clock::on_main_thread() && !(frame.cleared & GL_COLOR_BUFFER_BIT))
        frame.otherwise = "it reads the window before it clears it";
}

const char *kept_pixels() {
    if (watched && current())
        look_at_tests();
    const Frame now = std::exchange(frame, {});
    if (now.otherwise)
        return now.otherwise;
    if (!(now.cleared & GL_COLOR_BUFFER_BIT))
        return "it does not clear all of the window's colours";
    if (now.tested & GL_DEPTH_BUFFER_BIT & ~now.cleared)
        return "it does not clear all of the window's depths";
    if (now.tested & GL_STENCIL_BUFFER_BIT & ~now.cleared)
        return "it does not clear all of the window's stencil";
    return nullptr;
}

} // namespace mpiglut::gl

using namespace mpiglut::gl;

MPIGLUT_EXPORT void glClear(GLbitfield mask) {
    Context *c = counted();
    if (!c)
        return REAL(glClear)(mask);
    perform(*c, [mask](Context &now) {
        if (draws_window(now))
            note_clear(now, mask);
        REAL(glClear)(mask);
    });
}

MPIGLUT_EXPORT void glClearBufferfv(GLenum buffer, GLint index, const GLfloat *value) {
    if (Context *c = counted())
        note_clear(*c, buffer == GL_COLOR ? GL_COLOR_BUFFER_BIT : GL_DEPTH_BUFFER_BIT);
    REAL(glClearBufferfv)(buffer, index, value);
}

MPIGLUT_EXPORT void glClearBufferiv(GLenum buffer, GLint index, const GLint *value) {
    if (Context *c = counted(); c && buffer == GL_STENCIL)
        note_clear(*c, GL_STENCIL_BUFFER_BIT);
    REAL(glClearBufferiv)(buffer, index, value);
}

MPIGLUT_EXPORT void glClearBufferfi(GLenum buffer, GLint index, GLfloat depth, GLint stencil) {
    if (Context *c = counted())
        note_clear(*c, GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    REAL(glClearBufferfi)(buffer, index, depth, stencil);
}

MPIGLUT_EXPORT void glEnable(GLenum what) {
    Context *c = what == GL_DEPTH_TEST || what == GL_STENCIL_TEST ? counted() : nullptr;
    if (!c)
        return REAL(glEnable)(what);
    perform(*c, [what](Context &now) {
        if (draws_window(now))
            frame.tested |= what == GL_DEPTH_TEST ? GL_DEPTH_BUFFER_BIT : GL_STENCIL_BUFFER_BIT;
        REAL(glEnable)(what);
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
        frame.otherwise = "it uses the accumulation buffer";
    REAL(glAccum)(operation, value);
}
