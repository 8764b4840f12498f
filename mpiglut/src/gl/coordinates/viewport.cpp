// Viewports and scissor boxes: two kinds of rectangles in window coordinates, one or sixteen of each.

#include "base/export.h"
#include "base/real.h"
#include "gl/coordinates/coordinates.h"
#include "sync/digest.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>

namespace mpiglut::gl {

namespace {

auto real_boxes(const Viewports &boxes, Origin origin) {
    std::array<Viewports::Box, max_boxes> real;
    for (std::size_t i = 0; i < real.size(); ++i)
        real[i] = {boxes[i][0] - static_cast<GLfloat>(origin.x), boxes[i][1] - static_cast<GLfloat>(origin.y),
                   boxes[i][2], boxes[i][3]};
    return real;
}

struct ViewportKind {
    using Value = GLfloat;
    static Viewports &of(Context &c) { return c.viewport; }
    static void apply(Context &c) { apply_viewport(c); }
    static Viewports::Box limited(const Context &c, Viewports::Box box) {
        const auto within = [&c](GLfloat place, int size) { // windows may be larger than a driver's bounds
            return std::clamp(place, c.limits.lowest, std::max(c.limits.highest, static_cast<float>(size)));
        };
        box[0] = within(box[0], widest_viewport(c));
        box[1] = within(box[1], highest_viewport(c));
        box[2] = std::min(box[2], static_cast<float>(widest_viewport(c)));
        box[3] = std::min(box[3], static_cast<float>(highest_viewport(c)));
        return box;
    }
};

struct ScissorKind {
    using Value = GLint;
    static Scissors &of(Context &c) { return c.scissor; }
    static void apply(Context &c) { apply_scissor(c); }
    static Scissors::Box limited(const Context &, const Scissors::Box &box) { return box; }
};

template <class T> void note_boxes(GLuint first, std::span<const std::array<T, 4>> boxes) {
    const auto bits = [](T a, T b) {
        return std::uint64_t{std::bit_cast<std::uint32_t>(a)} << 32 | std::bit_cast<std::uint32_t>(b);
    };
    for (const auto &box : boxes)
        note(Did::viewport, bits(box[0], box[1]) + first, bits(box[2], box[3]));
}

/// glViewport and glScissor. False when GL would refuse.
template <class Kind> bool set_all(Context &c, const typename Boxes<typename Kind::Value>::Box &box) {
    if (box[2] < 0 || box[3] < 0)
        return false;
    perform(c, [box](Context &now) {
        Kind::of(now).set_all(Kind::limited(now, box));
        note_boxes<typename Kind::Value>(0, std::span(&box, 1));
        Kind::apply(now);
    });
    return true;
}

/// The indexed forms: `values` has four for each of `count` boxes. False when GL would refuse.
template <class Kind> bool set_some(Context &c, GLuint first, GLsizei count, const typename Kind::Value *values) {
    using Box = typename Boxes<typename Kind::Value>::Box;
    if (!values || count < 0 || std::uint64_t{first} + count > static_cast<std::uint64_t>(c.limits.viewports))
        return false;
    std::array<Box, max_boxes> boxes{};
    for (GLsizei i = 0; i < count; ++i) {
        std::copy_n(values + 4 * i, 4, boxes[i].begin());
        if (!(boxes[i][2] >= 0 && boxes[i][3] >= 0))
            return false;
    }
    perform(c, [boxes, first, count](Context &now) {
        for (GLsizei i = 0; i < count; ++i)
            Kind::of(now).set(first + i, Kind::limited(now, boxes[i]));
        note_boxes<typename Kind::Value>(first, std::span(boxes).first(count));
        Kind::apply(now);
    });
    return true;
}

template <class T, class Get> void pull(Boxes<T> &boxes, int count, Get get) {
    typename Boxes<T>::Box box{};
    get(0, box.data());
    boxes.set_all(box);
    for (int i = 1; i < count; ++i) {
        get(i, box.data());
        if (box != boxes[i])
            boxes.set(i, box);
    }
}

void (*other_size)(int width, int height) = nullptr; ///< the window system's

void look_at_size(const Context &c, GLint x, GLint y, GLsizei width, GLsizei height) {
    if (!other_size || x != 0 || y != 0 || !draws_window(c))
        return;
    const Part &part = c.surface->part;
    if (width != part.full_width || height != part.full_height)
        other_size(width, height);
}

} // namespace

void on_other_size(void (*call)(int width, int height)) { other_size = call; }

int widest_viewport(const Context &c) {
    return std::max(c.limits.driver_width, c.surface ? c.surface->part.full_width : 0);
}
int highest_viewport(const Context &c) {
    return std::max(c.limits.driver_height, c.surface ? c.surface->part.full_height : 0);
}

void pull_viewport(Context &c) {
    const bool indexed = c.limits.viewports > 1;
    pull(c.viewport, c.limits.viewports, [indexed](int i, GLfloat *box) {
        indexed ? REAL(glGetFloati_v)(GL_VIEWPORT, i, box) : REAL(glGetFloatv)(GL_VIEWPORT, box);
    });
}

void pull_scissor_boxes(Context &c) {
    const bool indexed = c.limits.viewports > 1;
    pull(c.scissor, c.limits.viewports, [indexed](int i, GLint *box) {
        indexed ? REAL(glGetIntegeri_v)(GL_SCISSOR_BOX, i, box) : REAL(glGetIntegerv)(GL_SCISSOR_BOX, box);
    });
}

void apply_viewport(Context &c) {
    place_viewport(c);
    const Viewports::Box &first = c.real_viewport;
    if (c.viewport.same()) {
        REAL(glViewport)(static_cast<GLint>(first[0]), static_cast<GLint>(first[1]), static_cast<GLsizei>(first[2]),
                         static_cast<GLsizei>(first[3]));
        return;
    }
    auto real = real_boxes(c.viewport, draw_origin(c));
    real[0] = first;
    REAL(glViewportArrayv)(0, c.limits.viewports, real[0].data());
}

} // namespace mpiglut::gl

using namespace mpiglut::gl;

MPIGLUT_EXPORT void glViewport(GLint x, GLint y, GLsizei width, GLsizei height) {
    Context *c = current();
    const auto real = [](GLint v) { return static_cast<GLfloat>(v); };
    if (c)
        look_at_size(*c, x, y, width, height);
    if (!c || !set_all<ViewportKind>(*c, {real(x), real(y), real(width), real(height)}))
        REAL(glViewport)(x, y, width, height);
}

MPIGLUT_EXPORT void glScissor(GLint x, GLint y, GLsizei width, GLsizei height) {
    Context *c = current();
    if (!c || !set_all<ScissorKind>(*c, {x, y, width, height}))
        REAL(glScissor)(x, y, width, height);
}

MPIGLUT_EXPORT void glViewportArrayv(GLuint first, GLsizei count, const GLfloat *v) {
    Context *c = current();
    if (!c || !set_some<ViewportKind>(*c, first, count, v))
        REAL(glViewportArrayv)(first, count, v);
}

MPIGLUT_EXPORT void glViewportIndexedfv(GLuint index, const GLfloat *v) {
    Context *c = current();
    if (!c || !set_some<ViewportKind>(*c, index, 1, v))
        REAL(glViewportIndexedfv)(index, v);
}

MPIGLUT_EXPORT void glViewportIndexedf(GLuint index, GLfloat x, GLfloat y, GLfloat w, GLfloat h) {
    Context *c = current();
    const GLfloat v[4] = {x, y, w, h};
    if (!c || !set_some<ViewportKind>(*c, index, 1, v))
        REAL(glViewportIndexedf)(index, x, y, w, h);
}

MPIGLUT_EXPORT void glScissorArrayv(GLuint first, GLsizei count, const GLint *v) {
    Context *c = current();
    if (!c || !set_some<ScissorKind>(*c, first, count, v))
        REAL(glScissorArrayv)(first, count, v);
}

MPIGLUT_EXPORT void glScissorIndexedv(GLuint index, const GLint *v) {
    Context *c = current();
    if (!c || !set_some<ScissorKind>(*c, index, 1, v))
        REAL(glScissorIndexedv)(index, v);
}

MPIGLUT_EXPORT void glScissorIndexed(GLuint index, GLint left, GLint bottom, GLsizei width, GLsizei height) {
    Context *c = current();
    const GLint v[4] = {left, bottom, width, height};
    if (!c || !set_some<ScissorKind>(*c, index, 1, v))
        REAL(glScissorIndexed)(index, left, bottom, width, height);
}
