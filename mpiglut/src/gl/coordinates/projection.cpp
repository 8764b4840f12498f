// The projection behind a crop. The driver's projection matrices are S * P, S for the crop and P the
// program's; glMultMatrix and similar calls multiply from the right and need no help, what replaces the matrix does.

#include "gl/coordinates/projection.h"

#include "base/export.h"
#include "base/real.h"
#include "gl/coordinates/coordinates.h"
#include "gl/pixel/pixel_store.h"
#include "gl/value/values.h"

#include <algorithm>
#include <cmath>

namespace mpiglut::gl {

namespace {

constexpr Matrix identity = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

Matrix cropped(const Crop &s, Matrix m) {
    for (int column = 0; column < 4; ++column) {
        GLdouble *v = &m[4 * column];
        v[0] = v[0] * s.scale_x + v[3] * s.offset_x;
        v[1] = v[1] * s.scale_y + v[3] * s.offset_y;
    }
    return m;
}

Matrix uncropped(const Crop &s, const Matrix &m) {
    return cropped({1 / s.scale_x, 1 / s.scale_y, -s.offset_x / s.scale_x, -s.offset_y / s.scale_y}, m);
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
Matrix program_matrix(const Context &c, const Crop &s, std::size_t level) {
    const Matrix real = driver_projection();
    if (s.identity())
        return real;
    return level < c.cropped.size() && c.cropped[level].real == real ? c.cropped[level].program : uncropped(s, real);
}

/// Loads S * program as the projection stack's top; the matrix mode is projection.
Cropped load_cropped(const Crop &s, const Matrix &program) {
    REAL(glLoadMatrixd)(cropped(s, program).data());
    return {program, driver_projection()};
}

void crop_projection(Context &c, const Crop &next) {
    const Crop before = std::exchange(c.crop, next);
    if (!c.limits.fixed_function)
        return;
    const MatrixMode mode(GL_PROJECTION);
    std::vector<Cropped> levels(std::max(get(GL_PROJECTION_STACK_DEPTH), 1));
    for (std::size_t i = levels.size(); i-- > 0;) {
        levels[i].program = program_matrix(c, before, i);
        if (i > 0)
            REAL(glPopMatrix)();
    }
    for (std::size_t i = 0; i < levels.size(); ++i) {
        if (i > 0)
            REAL(glPushMatrix)();
        levels[i] = load_cropped(next, levels[i].program);
    }
    c.cropped = next.identity() ? std::vector<Cropped>{} : std::move(levels);
}

struct Span {
    float start, size;
};

/// What of a viewport is worth having, along one axis: the part and as much around it as the driver allows, because
/// wide points and stippled lines that are cut there are not what they were; or a pixel next to it.
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

/// Along one axis: real = start - origin, and the crop's scale and offset.
void fit(Span whole, int origin, int part_size, int limit, GLfloat &start, GLfloat &size, double &scale, double &offset) {
    const Span seen = visible(whole, origin, part_size, limit);
    start = seen.start - static_cast<float>(origin);
    size = seen.size;
    scale = static_cast<double>(whole.size) / seen.size;
    offset = (2.0 * (static_cast<double>(whole.start) - seen.start) + whole.size) / seen.size - 1;
}

void heed_clip_control(const Context &c, Crop &crop) {
    if (c.limits.clip_control && get(GL_CLIP_ORIGIN, GL_LOWER_LEFT) == GL_UPPER_LEFT)
        crop.offset_y = -crop.offset_y; // y of the clip space goes down
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

/// Could a list or a frame that begins now come to be drawn with a cropped projection?
bool may_crop(const Context &c) {
    const Part &part = c.surface->part;
    return c.limits.fixed_function &&
           (!c.crop.identity() || part.full_width > c.limits.width || part.full_height > c.limits.height);
}

/// glLoadMatrix with this mode, whatever the mode is.
void load(Context &c, GLenum mode, const Matrix &matrix) {
    const MatrixMode scope(mode);
    if (mode != GL_PROJECTION || c.crop.identity()) {
        REAL(glLoadMatrixd)(matrix.data());
        return;
    }
    const Cropped now = load_cropped(c.crop, matrix);
    c.cropped.resize(std::max(get(GL_PROJECTION_STACK_DEPTH), 1));
    c.cropped.back() = now;
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
bool crops() {
    const Context *c = current();
    return c && may_crop(*c);
}

} // namespace

bool too_large(const Context &c) { return c.surface && draws_window(c) && (exceeds_x(c) || exceeds_y(c)); }

void place_viewport(Context &c) {
    const Viewports::Box &whole = c.viewport[0];
    const Origin origin = draw_origin(c);
    c.real_viewport = {whole[0] - static_cast<float>(origin.x), whole[1] - static_cast<float>(origin.y), whole[2],
                       whole[3]};
    Crop next;
    if (too_large(c)) {
        if (c.render_mode != GL_RENDER) {
            shrink_viewport(c);
            return;
        }
        const Part &part = c.surface->part;
        Viewports::Box &real = c.real_viewport;
        if (exceeds_x(c))
            fit({whole[0], whole[2]}, origin.x, part.width, c.limits.width, real[0], real[2], next.scale_x,
                next.offset_x);
        if (exceeds_y(c))
            fit({whole[1], whole[3]}, origin.y, part.height, c.limits.height, real[1], real[3], next.scale_y,
                next.offset_y);
        heed_clip_control(c, next);
    }
    if (next != c.crop) {
        crop_projection(c, next);
        shaders_moved(c);
    }
}

void shrink_viewport(Context &c, double scale) {
    const Viewports::Box &whole = c.viewport[0];
    c.real_viewport = {0, 0, std::min(whole[2], static_cast<float>(c.limits.width)),
                       std::min(whole[3], static_cast<float>(c.limits.height))};
    if (const Crop next{scale, scale, 0, 0}; c.crop != next)
        crop_projection(c, next);
}

void aim_viewport(Context &c, GLfloat x, GLfloat y) {
    const Viewports::Box &whole = c.viewport[0];
    const Origin origin = draw_origin(c);
    Crop next;
    const auto around = [](GLfloat at, int limit, Span all, int from, GLfloat &start, GLfloat &size, double &scale,
                           double &offset) {
        const double first = std::floor(at) - limit / 2;
        start = static_cast<GLfloat>(first - from);
        size = static_cast<GLfloat>(limit);
        scale = static_cast<double>(all.size) / limit;
        offset = (2 * (all.start - first) + all.size) / limit - 1;
    };
    around(x, c.limits.width, {whole[0], whole[2]}, origin.x, c.real_viewport[0], c.real_viewport[2], next.scale_x,
           next.offset_x);
    around(y, c.limits.height, {whole[1], whole[3]}, origin.y, c.real_viewport[1], c.real_viewport[3], next.scale_y,
           next.offset_y);
    heed_clip_control(c, next);
    if (next != c.crop)
        crop_projection(c, next);
}

void unshrink(const Context &c, GLfloat &x, GLfloat &y) {
    const Viewports::Box &whole = c.viewport[0], &real = c.real_viewport;
    const auto larger = [](double value, double start, double size, double small, double scale) {
        const double from_middle = (value - small / 2) / scale;
        return static_cast<GLfloat>(start + size / 2 + from_middle * size / std::max(small, 1.0));
    };
    x = larger(x, whole[0], whole[2], real[2], c.crop.scale_x);
    y = larger(y, whole[1], whole[3], real[3], c.crop.scale_y);
}

Matrix program_projection(Context &c) {
    return program_matrix(c, c.crop, std::max(get(GL_PROJECTION_STACK_DEPTH), 1) - 1);
}

bool projection_fallback() {
    const Context *c = current();
    return c && !c->crop.identity();
}

Crop crop() {
    const Context *c = current();
    return c ? c->crop : Crop{};
}

} // namespace mpiglut::gl

using namespace mpiglut::gl;

MPIGLUT_EXPORT void glClipControl(GLenum origin, GLenum depth) {
    Context *c = current();
    if (!c)
        return REAL(glClipControl)(origin, depth);
    perform(*c, [origin, depth](Context &now) {
        REAL(glClipControl)(origin, depth);
        if (too_large(now))
            apply_viewport(now);
    });
}

MPIGLUT_EXPORT void glLoadIdentity() { crops() ? load_in(0, identity) : REAL(glLoadIdentity)(); }
MPIGLUT_EXPORT void glMatrixLoadIdentityEXT(GLenum mode) {
    crops() ? load_in(mode, identity) : REAL(glMatrixLoadIdentityEXT)(mode);
}

#define LOAD_MATRIX(name, type, transposed)                                                                            \
    MPIGLUT_EXPORT void name(const type *m) {                                                                          \
        static constexpr mpiglut::content::Call call(#name);                                                           \
        note_matrix(call, m);                                                                                          \
        crops() ? load_in(0, matrix_from<transposed>(m)) : REAL(name)(m);                                              \
    }
#define LOAD_MATRIX_IN(name, type, transposed)                                                                         \
    MPIGLUT_EXPORT void name(GLenum mode, const type *m) {                                                             \
        crops() ? load_in(mode, matrix_from<transposed>(m)) : REAL(name)(mode, m);                                     \
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
