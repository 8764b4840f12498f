// The scissor: its boxes as the driver has them, and with --cut its tests too, since a cut is a box of the library's
// within that of the program.

#include "base/export.h"
#include "base/real.h"
#include "gl/coordinates/coordinates.h"
#include "gl/draw/cut.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

namespace mpiglut::gl {

namespace {

using Box = Scissors::Box;

GLint shifted(GLint whole, int origin) {
    constexpr std::int64_t most = std::numeric_limits<GLint>::max();
    return static_cast<GLint>(std::clamp<std::int64_t>(std::int64_t{whole} - origin, -most, most));
}

Box intersection(const Box &a, const Box &b) {
    const auto end = [](const Box &box, int axis) { return std::int64_t{box[axis]} + box[axis + 2]; };
    Box both{std::max(a[0], b[0]), std::max(a[1], b[1]), 0, 0};
    for (const int axis : {0, 1})
        both[axis + 2] =
            static_cast<GLint>(std::max<std::int64_t>(std::min(end(a, axis), end(b, axis)) - both[axis], 0));
    return both;
}

unsigned all_tests(const Context &c) { return (1u << c.limits.viewports) - 1; }

void give_tests(const Context &c, unsigned on) {
    const unsigned all = all_tests(c);
    if ((on & all) == all)
        return REAL(glEnable)(GL_SCISSOR_TEST);
    REAL(glDisable)(GL_SCISSOR_TEST);
    for (GLuint i = 0; i < static_cast<GLuint>(c.limits.viewports); ++i)
        if (on >> i & 1)
            REAL(glEnablei)(GL_SCISSOR_TEST, i);
}

void give_scissor(const Context &c, Origin origin, const std::optional<Box> &cut) {
    const auto real = [&](GLuint index) {
        const Box &whole = c.scissor[index];
        const Box box{shifted(whole[0], origin.x), shifted(whole[1], origin.y), whole[2], whole[3]};
        return !cut ? box : c.scissor_on >> index & 1 ? intersection(box, *cut) : *cut;
    };
    const unsigned on = c.scissor_on & all_tests(c);
    if (c.scissor.same() && (!cut || on == 0 || on == all_tests(c))) {
        const Box box = real(0);
        REAL(glScissor)(box[0], box[1], box[2], box[3]);
    } else {
        std::array<Box, max_boxes> boxes;
        for (GLuint i = 0; i < boxes.size(); ++i)
            boxes[i] = real(i);
        REAL(glScissorArrayv)(0, c.limits.viewports, boxes[0].data());
    }
    if (looks_at_targets)
        give_tests(c, cut ? all_tests(c) : c.scissor_on);
}

/// False where the driver is to hear of it.
bool set_test(GLenum what, unsigned which, bool on) {
    Context *c = what == GL_SCISSOR_TEST && looks_at_targets ? current() : nullptr;
    if (!c || !which || which & ~all_tests(*c))
        return false;
    perform(*c, [which, on](Context &now) {
        now.scissor_on = on ? now.scissor_on | which : now.scissor_on & ~which;
        apply_scissor(now);
    });
    return true;
}

unsigned every_test() {
    const Context *c = looks_at_targets ? current() : nullptr;
    return c ? all_tests(*c) : 0;
}
unsigned one_test(GLuint index) { return index < max_boxes ? 1u << index : 0; }

} // namespace

void pull_scissor(Context &c) {
    pull_scissor_boxes(c);
    if (!looks_at_targets)
        return;
    c.scissor_on = 0;
    for (GLuint i = 0; i < static_cast<GLuint>(c.limits.viewports); ++i)
        if (c.limits.viewports > 1 ? REAL(glIsEnabledi)(GL_SCISSOR_TEST, i) : REAL(glIsEnabled)(GL_SCISSOR_TEST))
            c.scissor_on |= 1u << i;
}

void apply_scissor(Context &c) { give_scissor(c, draw_origin(c), cut_box(c)); }

bool enable_scissor(GLenum what) { return set_test(what, every_test(), true); }

std::optional<bool> scissor_test(GLenum what, GLuint index) {
    const Context *c = what == GL_SCISSOR_TEST && looks_at_targets ? current() : nullptr;
    if (!c || index >= static_cast<GLuint>(c->limits.viewports))
        return std::nullopt;
    return (c->scissor_on >> index & 1) != 0;
}

NamedScissor::NamedScissor(Context *c, GLuint framebuffer) {
    if (!c || !c->surface)
        return;
    const bool other_origin = (framebuffer == 0) != draws_window(*c) && REAL(glIsEnabled)(GL_SCISSOR_TEST);
    const bool other_cut = cut_box(*c) && framebuffer != c->draw_framebuffer;
    if (!other_origin && !other_cut)
        return;
    context_ = c;
    const Part &part = c->surface->part;
    give_scissor(*c, framebuffer == 0 ? Origin{part.x, part.y} : Origin{}, std::nullopt);
}

NamedScissor::~NamedScissor() {
    if (context_)
        apply_scissor(*context_);
}

} // namespace mpiglut::gl

using namespace mpiglut::gl;

MPIGLUT_EXPORT void glDisable(GLenum what) {
    if (!set_test(what, every_test(), false))
        REAL(glDisable)(what);
}

MPIGLUT_EXPORT void glEnablei(GLenum what, GLuint index) {
    if (!set_test(what, one_test(index), true))
        REAL(glEnablei)(what, index);
}

MPIGLUT_EXPORT void glDisablei(GLenum what, GLuint index) {
    if (!set_test(what, one_test(index), false))
        REAL(glDisablei)(what, index);
}

MPIGLUT_EXPORT GLboolean glIsEnabled(GLenum what) {
    const std::optional<bool> on = scissor_test(what, 0);
    return on ? *on : REAL(glIsEnabled)(what);
}

MPIGLUT_EXPORT GLboolean glIsEnabledi(GLenum what, GLuint index) {
    const std::optional<bool> on = scissor_test(what, index);
    return on ? *on : REAL(glIsEnabledi)(what, index);
}
