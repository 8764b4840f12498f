// The projection led by a sub-window. The driver's projection matrices are S * P, S for the sub-window and P the
// program's; glMultMatrix and its kin multiply from the right and need no help, what replaces the matrix does.

#include "gl/projection.h"

#include "base/export.h"
#include "base/real.h"
#include "gl/coordinates.h"
#include "gl/pixel_store.h"
#include "gl/values.h"

#include <algorithm>

namespace mpiglut::gl {

namespace {

constexpr Matrix identity = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

Matrix led(const SubWindow &s, Matrix m) {
    for (int column = 0; column < 4; ++column) {
        GLdouble *v = &m[4 * column];
        v[0] = v[0] * s.scale_x + v[3] * s.offset_x;
        v[1] = v[1] * s.scale_y + v[3] * s.offset_y;
    }
    return m;
}

Matrix unled(const SubWindow &s, const Matrix &m) {
    return led({1 / s.scale_x, 1 / s.scale_y, -s.offset_x / s.scale_x, -s.offset_y / s.scale_y}, m);
}

class MatrixMode {
  public:
    explicit MatrixMode(GLenum mode) : before_(get(GL_MATRIX_MODE)) { REAL(glMatrixMode)(mode); }
    ~MatrixMode() { REAL(glMatrixMode)(before_); }
    MatrixMode(const MatrixMode &) = delete;
    MatrixMode &operator=(const MatrixMode &) = delete;

  private:
    GLenum before_;
};

Matrix driver_projection() {
    Matrix matrix{};
    REAL(glGetDoublev)(GL_PROJECTION_MATRIX, matrix.data());
    return matrix;
}

/// Of the projection stack's top, at this level from the bottom. The program's own matrix is remembered as long as the
/// driver's is still what was made of it, so that rounding does not add up over the frames.
Matrix program_matrix(const Context &c, const SubWindow &s, std::size_t level) {
    const Matrix real = driver_projection();
    if (s.identity())
        return real;
    return level < c.led.size() && c.led[level].real == real ? c.led[level].program : unled(s, real);
}

/// Loads S * program as the projection stack's top; the matrix mode is projection.
Led load_led(const SubWindow &s, const Matrix &program) {
    REAL(glLoadMatrixd)(led(s, program).data());
    return {program, driver_projection()};
}

void lead_projection(Context &c, const SubWindow &next) {
    const SubWindow before = std::exchange(c.sub_window, next);
    if (!c.limits.fixed_function)
        return;
    const MatrixMode mode(GL_PROJECTION);
    std::vector<Led> levels(std::max(get(GL_PROJECTION_STACK_DEPTH), 1));
    for (std::size_t i = levels.size(); i-- > 0;) {
        levels[i].program = program_matrix(c, before, i);
        if (i > 0)
            REAL(glPopMatrix)();
    }
    for (std::size_t i = 0; i < levels.size(); ++i) {
        if (i > 0)
            REAL(glPushMatrix)();
        levels[i] = load_led(next, levels[i].program);
    }
    c.led = next.identity() ? std::vector<Led>{} : std::move(levels);
}

struct Span {
    float start, size;
};

/// What of a viewport is worth having, along one axis: the part and as much around it as the driver allows, because
/// wide points and stippled lines that are cut there are not what they were; or a pixel beside it.
Span visible(Span viewport, int part_start, int part_size, int limit) {
    const int around = std::max((limit - part_size) / 2, 0);
    const float low = static_cast<float>(part_start - around), high = static_cast<float>(part_start + part_size + around);
    const float end = viewport.start + viewport.size;
    if (viewport.start >= high)
        return {viewport.start, 1};
    if (end <= low)
        return {end - 1, 1};
    const float start = std::max(viewport.start, low);
    return {start, std::max(std::min(end, high) - start, 1.0f)};
}

/// Along one axis: real = start - origin, and the sub-window's scale and offset.
void fit(Span whole, int origin, int part_size, int limit, GLfloat &start, GLfloat &size, double &scale, double &offset) {
    const Span seen = visible(whole, origin, part_size, limit);
    start = seen.start - static_cast<float>(origin);
    size = seen.size;
    scale = static_cast<double>(whole.size) / seen.size;
    offset = (2.0 * (static_cast<double>(whole.start) - seen.start) + whole.size) / seen.size - 1;
}

bool exceeds(const Context &c, GLfloat start, GLfloat size, int limit) {
    return size > static_cast<float>(limit) || (size > 0 && (start < c.limits.lowest || start > c.limits.highest));
}
bool exceeds_x(const Context &c) {
    const Viewports::Box &box = c.viewport[0];
    return exceeds(c, box[0] - static_cast<float>(draw_origin(c).x), box[2], c.limits.width);
}
bool exceeds_y(const Context &c) {
    const Viewports::Box &box = c.viewport[0];
    return exceeds(c, box[1] - static_cast<float>(draw_origin(c).y), box[3], c.limits.height);
}

/// Could a list or a frame that begins now come to be drawn with a led projection?
bool may_lead(const Context &c) {
    const Part &part = c.surface->part;
    return c.limits.fixed_function && (!c.sub_window.identity() || part.full_width > c.limits.width ||
                                       part.full_height > c.limits.height);
}

/// glLoadMatrix with this mode, whatever the mode is.
void load(Context &c, GLenum mode, const Matrix &matrix) {
    const MatrixMode scope(mode);
    if (mode != GL_PROJECTION || c.sub_window.identity()) {
        REAL(glLoadMatrixd)(matrix.data());
        return;
    }
    const Led now = load_led(c.sub_window, matrix);
    c.led.resize(std::max(get(GL_PROJECTION_STACK_DEPTH), 1));
    c.led.back() = now;
}

template <bool transposed, class T> Matrix matrix_from(const T *m) {
    Matrix matrix;
    for (int i = 0; i < 16; ++i)
        matrix[i] = m[transposed ? 4 * (i % 4) + i / 4 : i];
    return matrix;
}

/// The wrappers' replacement for loading a matrix; `mode` 0: the current one.
void load_in(GLenum mode, const Matrix &matrix) {
    perform(*current(), [mode, matrix](Context &c) { load(c, mode ? mode : get(GL_MATRIX_MODE), matrix); });
}
bool leads() {
    const Context *c = current();
    return c && may_lead(*c);
}

} // namespace

bool too_large(const Context &c) { return c.surface && draws_window(c) && (exceeds_x(c) || exceeds_y(c)); }

void place_viewport(Context &c) {
    const Viewports::Box &whole = c.viewport[0];
    const Origin origin = draw_origin(c);
    c.real_viewport = {whole[0] - static_cast<float>(origin.x), whole[1] - static_cast<float>(origin.y), whole[2],
                       whole[3]};
    SubWindow sub;
    if (too_large(c)) {
        if (c.render_mode != GL_RENDER) {
            shrink_viewport(c);
            return;
        }
        const Part &part = c.surface->part;
        Viewports::Box &real = c.real_viewport;
        if (exceeds_x(c))
            fit({whole[0], whole[2]}, origin.x, part.width, c.limits.width, real[0], real[2], sub.scale_x, sub.offset_x);
        if (exceeds_y(c))
            fit({whole[1], whole[3]}, origin.y, part.height, c.limits.height, real[1], real[3], sub.scale_y,
                sub.offset_y);
    }
    if (sub != c.sub_window) {
        lead_projection(c, sub);
        shaders_moved(c);
    }
}

void shrink_viewport(Context &c, double scale) {
    const Viewports::Box &whole = c.viewport[0];
    c.real_viewport = {0, 0, std::min(whole[2], static_cast<float>(c.limits.width)),
                       std::min(whole[3], static_cast<float>(c.limits.height))};
    if (const SubWindow lead{scale, scale, 0, 0}; c.sub_window != lead)
        lead_projection(c, lead);
}

void unshrink(const Context &c, GLfloat &x, GLfloat &y) {
    const Viewports::Box &whole = c.viewport[0], &real = c.real_viewport;
    const auto larger = [](double value, double start, double size, double small, double scale) {
        const double from_middle = (value - small / 2) / scale;
        return static_cast<GLfloat>(start + size / 2 + from_middle * size / std::max(small, 1.0));
    };
    x = larger(x, whole[0], whole[2], real[2], c.sub_window.scale_x);
    y = larger(y, whole[1], whole[3], real[3], c.sub_window.scale_y);
}

Matrix program_projection(Context &c) {
    return program_matrix(c, c.sub_window, std::max(get(GL_PROJECTION_STACK_DEPTH), 1) - 1);
}

bool projection_fallback() {
    const Context *c = current();
    return c && !c->sub_window.identity();
}

SubWindow sub_window() {
    const Context *c = current();
    return c ? c->sub_window : SubWindow{};
}

} // namespace mpiglut::gl

using namespace mpiglut::gl;

MPIGLUT_EXPORT void glLoadIdentity() { leads() ? load_in(0, identity) : REAL(glLoadIdentity)(); }
MPIGLUT_EXPORT void glMatrixLoadIdentityEXT(GLenum mode) {
    leads() ? load_in(mode, identity) : REAL(glMatrixLoadIdentityEXT)(mode);
}

#define LOAD_MATRIX(name, type, transposed)                                                                            \
    MPIGLUT_EXPORT void name(const type *m) {                                                                          \
        static constexpr mpiglut::content::Call call(#name);                                                           \
        note_matrix(call, m);                                                                                          \
        leads() ? load_in(0, matrix_from<transposed>(m)) : REAL(name)(m);                                              \
    }
#define LOAD_MATRIX_IN(name, type, transposed)                                                                         \
    MPIGLUT_EXPORT void name(GLenum mode, const type *m) {                                                             \
        leads() ? load_in(mode, matrix_from<transposed>(m)) : REAL(name)(mode, m);                                     \
    }
LOAD_MATRIX(glLoadMatrixf, GLfloat, false)
LOAD_MATRIX(glLoadMatrixd, GLdouble, false)
LOAD_MATRIX(glLoadTransposeMatrixf, GLfloat, true)
LOAD_MATRIX(glLoadTransposeMatrixd, GLdouble, true)
LOAD_MATRIX(glLoadTransposeMatrixfARB, GLfloat, true)
LOAD_MATRIX(glLoadTransposeMatrixdARB, GLdouble, true)
LOAD_MATRIX_IN(glMatrixLoadfEXT, GLfloat, false)
LOAD_MATRIX_IN(glMatrixLoaddEXT, GLdouble, false)
LOAD_MATRIX_IN(glMatrixLoadTransposefEXT, GLfloat, true)
LOAD_MATRIX_IN(glMatrixLoadTransposedEXT, GLdouble, true)
