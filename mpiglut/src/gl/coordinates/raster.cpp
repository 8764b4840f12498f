// The raster position. glRasterPos goes through the matrices and the shifted viewport and is right by itself, unless
// the viewport is too large; glWindowPos is shifted here, as glDrawTex of OpenGL ES 1 is. The place of pixels that are
// drawn there is rounded here.

#include "base/export.h"
#include "base/real.h"
#include "gl/context/error.h"
#include "gl/coordinates/coordinates.h"
#include "gl/draw/habits.h"
#include "gl/value/values.h"

#include <cmath>
#include <cstdlib>

namespace mpiglut::gl {

namespace {

void shift_raster(GLfloat dx, GLfloat dy) {
    // An empty bitmap moves the raster position and leaves its colour and texture coordinates alone.
    REAL(glBitmap)(0, 0, 0, 0, dx, dy, nullptr);
}

// The program's projection comes back from the driver's a little rounded. Positions on the very edge of the window,
// which many programs use, are not to be clipped away for that, nor whole pixels missed.
constexpr double inside = 1 - 1e-6;
GLfloat snapped(GLfloat value) {
    const GLfloat whole = std::round(value);
    return std::abs(value - whole) < 1.0f / 256 ? whole : value;
}

/// Does glRasterPos by itself not arrive where it should?
bool needs_help(const Context &c) { return !c.crop.identity() || (c.render_mode != GL_RENDER && too_large(c)); }

void set_real_viewport(const Context &c) {
    const Viewports::Box &box = c.real_viewport;
    REAL(glViewport)(static_cast<GLint>(box[0]), static_cast<GLint>(box[1]), static_cast<GLsizei>(box[2]),
                     static_cast<GLsizei>(box[3]));
}

std::array<GLfloat, 4> raster_position() {
    std::array<GLfloat, 4> position{};
    REAL(glGetFloatv)(GL_CURRENT_RASTER_POSITION, position.data());
    return position;
}

/// With a cropped projection, positions on other tiles would be clipped away and their text with them. So the position
/// is found with the program's own projection in a viewport that is small enough. Then it is set with a viewport around
/// that place, which is exact.
template <class F> void whole_raster_position(Context &c, F &&real_call) {
    if (!needs_help(c)) {
        real_call();
        return;
    }
    const bool renders = c.render_mode == GL_RENDER;
    if (renders) { // else it is so already
        shrink_viewport(c, inside);
        set_real_viewport(c);
    }
    real_call();
    GLboolean valid = GL_FALSE;
    REAL(glGetBooleanv)(GL_CURRENT_RASTER_POSITION_VALID, &valid);
    auto [x, y, z, w] = raster_position();
    unshrink(c, x, y);
    if (valid && renders) {
        aim_viewport(c, x, y);
        set_real_viewport(c);
        real_call();
    }
    if (renders)
        apply_viewport(c);
    if (!valid)
        return;
    if (!renders) { // an empty bitmap would leave a token in the feedback buffer
        REAL(glWindowPos3f)(snapped(x), snapped(y), z);
        return;
    }
    const auto real = raster_position();
    if (const GLfloat dx = snapped(real[0]) - real[0], dy = snapped(real[1]) - real[1]; dx != 0 || dy != 0)
        shift_raster(dx, dy);
}

template <class F> void set_raster_position(F real_call) {
    Context *c = current();
    if (!c || !needs_help(*c)) {
        real_call();
        return;
    }
    perform(*c, [real_call](Context &now) { whole_raster_position(now, real_call); });
}

template <class F> void set_window_position(GLdouble x, GLdouble y, F real_call) {
    Context *c = current();
    if (!c) {
        real_call(x, y);
        return;
    }
    perform(*c, [x, y, real_call](Context &now) {
        const Origin origin = draw_origin(now);
        real_call(x - origin.x, y - origin.y);
    });
}

} // namespace

void move_raster(Context &c, Origin to) {
    const Origin from = std::exchange(c.raster_origin, to);
    if (from == to)
        return;
    ErrorScope errors;
    shift_raster(static_cast<GLfloat>(from.x - to.x), static_cast<GLfloat>(from.y - to.y));
}

void nudge_raster(Context &c) {
    const Origin origin = draw_origin(c);
    if (!c.limits.rounds_away || origin == Origin{})
        return;
    const auto real = raster_position();
    const auto nudge = [](GLfloat position, int from) {
        const auto shift = static_cast<GLfloat>(from);
        return (std::round(position + shift) - shift - std::round(position)) / 4;
    };
    c.raster_nudge = {nudge(real[0], origin.x), nudge(real[1], origin.y)};
    if (c.raster_nudge != std::array<GLfloat, 2>{})
        shift_raster(c.raster_nudge[0], c.raster_nudge[1]);
}

void restore_raster(Context &c) {
    const auto nudge = std::exchange(c.raster_nudge, {});
    if (nudge != std::array<GLfloat, 2>{})
        shift_raster(-nudge[0], -nudge[1]);
}

} // namespace mpiglut::gl

using namespace mpiglut::gl;

// Every number of coordinates in every type, given one by one and as an array.
#define FOR_TYPES(function)                                                                                            \
    function(s, GLshort) function(i, GLint) function(f, GLfloat) function(d, GLdouble)

#define WINDOW_POS(suffix, type, vendor)                                                                               \
    MPIGLUT_EXPORT void glWindowPos2##suffix##vendor(type x, type y) {                                                 \
        set_window_position(x, y, [](GLdouble rx, GLdouble ry) { REAL(glWindowPos2d)(rx, ry); });                      \
    }                                                                                                                  \
    MPIGLUT_EXPORT void glWindowPos3##suffix##vendor(type x, type y, type z) {                                         \
        set_window_position(x, y, [z](GLdouble rx, GLdouble ry) { REAL(glWindowPos3d)(rx, ry, z); });                  \
    }                                                                                                                  \
    MPIGLUT_EXPORT void glWindowPos2##suffix##v##vendor(const type *v) { glWindowPos2##suffix##vendor(v[0], v[1]); }   \
    MPIGLUT_EXPORT void glWindowPos3##suffix##v##vendor(const type *v) {                                               \
        glWindowPos3##suffix##vendor(v[0], v[1], v[2]);                                                                \
    }
#define WINDOW_POS_CORE(suffix, type) WINDOW_POS(suffix, type, )
#define WINDOW_POS_ARB(suffix, type) WINDOW_POS(suffix, type, ARB)
#define WINDOW_POS_MESA(suffix, type)                                                                                  \
    WINDOW_POS(suffix, type, MESA)                                                                                     \
    MPIGLUT_EXPORT void glWindowPos4##suffix##MESA(type x, type y, type z, type w) {                                   \
        set_window_position(x, y, [z, w](GLdouble rx, GLdouble ry) { REAL(glWindowPos4dMESA)(rx, ry, z, w); });        \
    }                                                                                                                  \
    MPIGLUT_EXPORT void glWindowPos4##suffix##vMESA(const type *v) { glWindowPos4##suffix##MESA(v[0], v[1], v[2], v[3]); }
FOR_TYPES(WINDOW_POS_CORE)
FOR_TYPES(WINDOW_POS_ARB)
FOR_TYPES(WINDOW_POS_MESA)

#define RASTER_POS(suffix, type)                                                                                       \
    MPIGLUT_EXPORT void glRasterPos2##suffix(type x, type y) {                                                         \
        set_raster_position([=] { REAL(glRasterPos2##suffix)(x, y); });                                                \
    }                                                                                                                  \
    MPIGLUT_EXPORT void glRasterPos3##suffix(type x, type y, type z) {                                                 \
        set_raster_position([=] { REAL(glRasterPos3##suffix)(x, y, z); });                                             \
    }                                                                                                                  \
    MPIGLUT_EXPORT void glRasterPos4##suffix(type x, type y, type z, type w) {                                         \
        set_raster_position([=] { REAL(glRasterPos4##suffix)(x, y, z, w); });                                          \
    }                                                                                                                  \
    MPIGLUT_EXPORT void glRasterPos2##suffix##v(const type *v) { glRasterPos2##suffix(v[0], v[1]); }                   \
    MPIGLUT_EXPORT void glRasterPos3##suffix##v(const type *v) { glRasterPos3##suffix(v[0], v[1], v[2]); }             \
    MPIGLUT_EXPORT void glRasterPos4##suffix##v(const type *v) { glRasterPos4##suffix(v[0], v[1], v[2], v[3]); }
FOR_TYPES(RASTER_POS)

MPIGLUT_EXPORT void glDrawPixels(GLsizei width, GLsizei height, GLenum format, GLenum type, const void *pixels) {
    Context *c = current();
    const bool rounds = c && c->limits.rounds_away;
    static constexpr mpiglut::content::Call call("glDrawPixels");
    note_image(call, width, height, 1, format, type, pixels);
    if (rounds)
        perform(*c, nudge_raster);
    {
        const Covering covering(4);
        REAL(glDrawPixels)(width, height, format, type, pixels);
    }
    if (rounds)
        perform(*c, restore_raster);
}

// GL_OES_draw_texture: GL/glext.h does not have it.
#define MPIGLUT_DRAW_TEXTURE(suffix, Type, one)                                                                        \
    extern "C" void glDrawTex##suffix##OES(Type, Type, Type, Type, Type);                                              \
    extern "C" void glDrawTex##suffix##vOES(const Type *);                                                             \
    MPIGLUT_EXPORT void glDrawTex##suffix##OES(Type x, Type y, Type z, Type width, Type height) {                      \
        const Context *c = current();                                                                                  \
        const Origin origin = c ? draw_origin(*c) : Origin{};                                                          \
        REAL(glDrawTex##suffix##OES)                                                                                   \
        (static_cast<Type>(x - origin.x * (one)), static_cast<Type>(y - origin.y * (one)), z, width, height);          \
    }                                                                                                                  \
    MPIGLUT_EXPORT void glDrawTex##suffix##vOES(const Type *place) {                                                   \
        glDrawTex##suffix##OES(place[0], place[1], place[2], place[3], place[4]);                                      \
    }
MPIGLUT_DRAW_TEXTURE(s, GLshort, 1)
MPIGLUT_DRAW_TEXTURE(i, GLint, 1)
MPIGLUT_DRAW_TEXTURE(x, GLfixed, 1 << 16)
MPIGLUT_DRAW_TEXTURE(f, GLfloat, 1)
