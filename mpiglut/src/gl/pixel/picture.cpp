// What a window shows on this tile: for captures, and when it has no back buffer.
#include "base/export.h"
#include "base/real.h"
#include "gl/context/context.h"
#include "gl/context/error.h"
#include "gl/context/make_current.h"
#include "gl/coordinates/mirror.h"
#include "gl/pixel/pixel_store.h"
#include "gl/pixel/resolved.h"
#include "run/capture.h"
#include "run/report.h"

#include <GL/gl.h>

#include <vector>

namespace mpiglut::gl {
namespace {

/// OpenGL ES reads no three colours.
void read_four(Picture &picture) {
    std::vector<GLubyte> pixels(picture.rgb.size() / 3 * 4);
    REAL(glReadPixels)(0, 0, picture.width, picture.height, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
    for (std::size_t i = 0; i < picture.rgb.size(); ++i)
        picture.rgb[i] = pixels[i / 3 * 4 + i % 3];
}

void (*shown_front)(bool is_window) = nullptr; ///< the window system's

/// What was drawn to the window since the last time is complete.
void report_front() {
    if (!shown_front)
        return;
    const Context *const c = current();
    if (!c)
        return shown_front(false);
    if (c->draw_framebuffer)
        return;
    if (!c->surface->double_buffered)
        shown_front(true);
    else if (!c->limits.es && draws_to_front())
        report_once(Report::note, "the program draws to the front buffer of a window that has a back buffer: what it "
                                  "draws there makes no frame, and tiles show it one before the other");
}

} // namespace

void on_shown_front(void (*call)(bool is_window)) { shown_front = call; }

Picture read_part(const Surface &surface, bool front) {
    Picture picture(surface.part.width, surface.part.height);
    const ErrorScope errors;
    const PlainPixels plain(PlainPixels::pack | PlainPixels::pack_order | PlainPixels::transfer);
    const Context *context = current();
    const GLuint framebuffer = context ? context->read_framebuffer : 0;
    if (framebuffer)
        REAL(glBindFramebuffer)(GL_READ_FRAMEBUFFER, 0);
    const GLint buffer = get(GL_READ_BUFFER, GL_BACK);
    glReadBuffer(front ? GL_FRONT : GL_BACK);
    {
        const Resolved resolved(context, surface.part.width, surface.part.height);
        if (context && context->limits.es)
            read_four(picture);
        else
            REAL(glReadPixels)(0, 0, picture.width, picture.height, GL_RGB, GL_UNSIGNED_BYTE, picture.rgb.data());
    }
    glReadBuffer(static_cast<GLenum>(buffer));
    if (framebuffer)
        REAL(glBindFramebuffer)(GL_READ_FRAMEBUFFER, framebuffer);
    turn_upside_down(picture);
    return picture;
}

bool draws_to_front() {
    const Context *context = current();
    if (context && (context->draw_framebuffer || context->limits.es)) // OpenGL ES has no such choice
        return false;
    const GLint buffer = get(GL_DRAW_BUFFER, GL_BACK);
    return buffer == GL_FRONT || buffer == GL_FRONT_LEFT || buffer == GL_FRONT_AND_BACK;
}

} // namespace mpiglut::gl

using namespace mpiglut::gl;

MPIGLUT_EXPORT void glFlush(void) {
    REAL(glFlush)();
    report_front();
}

MPIGLUT_EXPORT void glFinish(void) {
    REAL(glFinish)();
    report_front();
}
