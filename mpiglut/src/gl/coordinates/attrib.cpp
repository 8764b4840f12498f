// glPushAttrib and glPopAttrib of viewport, scissor and stipple. The driver's own stack holds real values that are
// wrong when the origin has changed in between, so the mirror has a stack next to it. Its entries are matched with the
// driver's by depth, so that pushes and pops that the mirror never sees, in lists, do no harm.

#include "base/export.h"
#include "base/real.h"
#include "gl/coordinates/coordinates.h"
#include "gl/draw/cut.h"
#include "gl/pixel/pixel_store.h"

#include <algorithm>

namespace mpiglut::gl {

namespace {

void pop_attrib(Context &c) {
    const int depth = c.saved.empty() ? 0 : attrib_depth();
    REAL(glPopAttrib)();
    while (!c.saved.empty() && c.saved.back().depth > depth)
        c.saved.pop_back();
    if (c.saved.empty() || c.saved.back().depth != depth || depth == 0)
        return;
    const Saved &saved = c.saved.back();
    // Under the origin of the push, what the driver restored is right already.
    const bool reapply =
        looks_at_targets || saved.origin != draw_origin(c) || saved.crop != c.crop || c.render_mode != GL_RENDER;
    if (saved.mask & GL_VIEWPORT_BIT)
        c.viewport = saved.viewport;
    if (saved.mask & GL_SCISSOR_BIT)
        c.scissor = saved.scissor;
    if (saved.mask & scissor_tests)
        c.scissor_on = saved.scissor_on;
    if (saved.mask & GL_POLYGON_STIPPLE_BIT)
        c.stipple = saved.stipple;
    c.saved.pop_back();
    if (reapply)
        apply(c);
}

} // namespace

int attrib_depth() { return get(GL_ATTRIB_STACK_DEPTH); }

void pull_attrib(Context &c) {
    const int depth = attrib_depth();
    std::erase_if(c.saved, [depth](const Saved &saved) { return saved.depth > depth; });
}

void save_attrib(Context &c, GLbitfield mask, int depth) {
    c.saved.push_back({depth, mask, draw_origin(c), c.crop, c.viewport, c.scissor, c.scissor_on, c.stipple});
}

} // namespace mpiglut::gl

using namespace mpiglut::gl;

MPIGLUT_EXPORT void glPushAttrib(GLbitfield mask) {
    Context *c = current();
    const GLbitfield mirrored = mask & (mirrored_bits | (looks_at_targets ? scissor_tests : 0u));
    if (c && c->recording.open) {
        // Goes into the real list; should anything translated follow, the list gets the note before it.
        c->recording.pushes.push_back({mirrored, false});
        REAL(glPushAttrib)(mask);
        return;
    }
    if (!c || !mirrored) {
        REAL(glPushAttrib)(mask);
        return;
    }
    const int before = attrib_depth();
    REAL(glPushAttrib)(mask);
    if (const int depth = attrib_depth(); depth > before) // not refused
        save_attrib(*c, mirrored, depth);
}

MPIGLUT_EXPORT void glPopAttrib() {
    Context *c = current();
    if (!c) {
        REAL(glPopAttrib)();
        return;
    }
    if (c->recording.open && !c->recording.pushes.empty()) {
        const OpenPush push = c->recording.pushes.back();
        c->recording.pushes.pop_back();
        if (!push.noted) { // both ends are in the real list, and nothing translated between them
            REAL(glPopAttrib)();
            return;
        }
    }
    perform(*c, [](Context &now) {
        pop_attrib(now);
        if (now.limits.clip_control && too_large(now))
            apply_viewport(now); // GL_TRANSFORM_BIT has the origin of the clip space
    });
}
