// Feedback and selection. While they are on, nothing is rasterized, so the driver works in the whole window's
// coordinates (see draw_origin) and what it returns is right as it is. Only where the viewport is too large for that is
// it made smaller, and what comes back is scaled here.

#include "base/export.h"
#include "base/real.h"
#include "gl/coordinates/coordinates.h"
#include "gl/pixel/pixel_store.h"

#include <algorithm>

namespace mpiglut::gl {

namespace {

/// Numbers in one vertex; x and y come first in all of them.
int vertex_size(GLenum type) {
    GLboolean rgba = GL_TRUE;
    REAL(glGetBooleanv)(GL_RGBA_MODE, &rgba);
    const int colour = rgba ? 4 : 1;
    switch (type) {
    case GL_2D: return 2;
    case GL_3D: return 3;
    case GL_3D_COLOR: return 3 + colour;
    case GL_3D_COLOR_TEXTURE: return 3 + colour + 4;
    default: return 4 + colour + 4; // GL_4D_COLOR_TEXTURE
    }
}

/// Calls `change(x, y)` for each vertex of a feedback buffer; stops where the buffer was cut off. Raster positions are
/// the window's own already (raster.cpp).
template <class F> void each_vertex(GLfloat *at, const GLfloat *end, int size, F change) {
    while (at < end) {
        int vertices = 1;
        bool raster = false;
        switch (static_cast<GLint>(*at++)) {
        case GL_PASS_THROUGH_TOKEN:
            ++at;
            continue;
        case GL_BITMAP_TOKEN:
        case GL_DRAW_PIXEL_TOKEN:
        case GL_COPY_PIXEL_TOKEN:
            raster = true;
            break;
        case GL_LINE_TOKEN:
        case GL_LINE_RESET_TOKEN:
            vertices = 2;
            break;
        case GL_POLYGON_TOKEN:
            vertices = at < end ? static_cast<int>(*at++) : 0;
            break;
        default: // a point
            break;
        }
        for (; vertices > 0 && end - at >= 2; --vertices, at += std::min<std::ptrdiff_t>(size, end - at))
            if (!raster)
                change(at[0], at[1]);
    }
}

void enter(Context &c, GLenum mode) {
    c.render_mode = mode;
    apply(c);
}

} // namespace

void pull_feedback(Context &c) {
    void *values = nullptr;
    REAL(glGetPointerv)(GL_FEEDBACK_BUFFER_POINTER, &values);
    c.render_mode = static_cast<GLenum>(get(GL_RENDER_MODE, GL_RENDER));
    c.feedback = {static_cast<GLfloat *>(values), get(GL_FEEDBACK_BUFFER_SIZE),
                  static_cast<GLenum>(get(GL_FEEDBACK_BUFFER_TYPE, GL_2D))};
}

} // namespace mpiglut::gl

using namespace mpiglut::gl;

MPIGLUT_EXPORT void glFeedbackBuffer(GLsizei size, GLenum type, GLfloat *buffer) {
    REAL(glFeedbackBuffer)(size, type, buffer);
    if (Context *c = current(); c && size >= 0 && type >= GL_2D && type <= GL_4D_COLOR_TEXTURE)
        c->feedback = {buffer, size, type};
}

MPIGLUT_EXPORT GLint glRenderMode(GLenum mode) {
    Context *c = current();
    if (!c || !c->limits.fixed_function || (mode != GL_RENDER && mode != GL_FEEDBACK && mode != GL_SELECT))
        return REAL(glRenderMode)(mode);
    const GLenum before = c->render_mode;
    if (mode != before && before == GL_RENDER) // moving the raster position would leave a token in the buffer
        enter(*c, mode);
    const GLint result = REAL(glRenderMode)(mode);
    if (before == GL_FEEDBACK && c->feedback.values && too_large(*c)) {
        const GLsizei count = result < 0 ? c->feedback.size : result;
        each_vertex(c->feedback.values, c->feedback.values + count, vertex_size(c->feedback.type),
                    [c](GLfloat &x, GLfloat &y) { unshrink(*c, x, y); });
    }
    if (const auto now = static_cast<GLenum>(get(GL_RENDER_MODE, GL_RENDER)); now != c->render_mode)
        enter(*c, now);
    return result;
}
