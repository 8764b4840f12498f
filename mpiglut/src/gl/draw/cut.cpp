#include "gl/draw/cut.h"

#include "base/export.h"
#include "base/real.h"
#include "base/state.h"
#include "clock/role.h"
#include "gl/coordinates/coordinates.h"
#include "gl/context/error.h"
#include "gl/draw/queries.h"
#include "sync/comm.h"

#include <GL/glext.h>

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

namespace mpiglut::gl {

namespace {

constexpr int steady = 4;         ///< frames in a row
constexpr int smallest_part = 16; ///< of the window's size: what is smaller costs little

/// What a framebuffer object draws to first.
struct Attached {
    std::uint64_t key = 0; ///< the object and its level; 0: nothing that is known
    int width = 0, height = 0;
};

/// A texture or renderbuffer that was drawn to.
struct Drawn {
    std::int64_t frame = -1; ///< the last one
    int in_a_row = 0;
    bool cut = false;
};

/// Of the thread of the ticks.
struct Cut {
    int margin = -1;
    bool whole = false;
    bool seen = false;
    const char *refused = nullptr;
    std::unordered_map<std::uint64_t, Drawn> drawn;

    bool counts = false;
    GLuint open = 0; ///< the query that counts at the moment
    std::vector<std::pair<const Context *, GLuint>> counted;
} cut;

GLint parameter(GLenum target, GLenum attachment, GLenum name) {
    GLint value = 0;
    REAL(glGetFramebufferAttachmentParameteriv)(target, attachment, name, &value);
    return value;
}

Attached attached(GLenum target) {
    const ErrorScope errors;
    Attached found;
    for (const GLenum at : {GL_COLOR_ATTACHMENT0, GL_DEPTH_ATTACHMENT}) {
        const GLint type = parameter(target, at, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE);
        if (type != GL_TEXTURE && type != GL_RENDERBUFFER)
            continue;
        const auto name = static_cast<GLuint>(parameter(target, at, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_NAME));
        if (type == GL_TEXTURE) {
            const GLint level = parameter(target, at, GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_LEVEL);
            REAL(glGetTextureLevelParameteriv)(name, level, GL_TEXTURE_WIDTH, &found.width);
            REAL(glGetTextureLevelParameteriv)(name, level, GL_TEXTURE_HEIGHT, &found.height);
            found.key = name | static_cast<std::uint64_t>(level + 1) << 32;
        } else {
            REAL(glGetNamedRenderbufferParameteriv)(name, GL_RENDERBUFFER_WIDTH, &found.width);
            REAL(glGetNamedRenderbufferParameteriv)(name, GL_RENDERBUFFER_HEIGHT, &found.height);
            found.key = name;
        }
        break;
    }
    return found;
}

/// The window is so many times as large, in whole numbers and in both directions; 0: it is not.
int scale_of(const Part &window, const Attached &target) {
    const auto is = [](int size, int part, int scale) {
        return part == size / scale || part == (size + scale - 1) / scale;
    };
    for (int scale = 1; scale <= smallest_part; scale *= 2)
        if (is(window.full_width, target.width, scale) && is(window.full_height, target.height, scale))
            return scale;
    return 0;
}

/// Drawn to in this frame and in those before it.
bool is_steady(Drawn &one) {
    const std::int64_t frame = state().frames.complete;
    if (one.frame != frame)
        one.in_a_row = one.frame == frame - 1 ? one.in_a_row + 1 : 0;
    one.frame = frame;
    return one.in_a_row >= steady;
}

bool counts_already(const Context &c) {
    return c.queries && std::any_of(c.queries->active.begin(), c.queries->active.end(),
                                    [](const auto &one) { return counts_pixels(one.first.first); });
}

void end_count() {
    if (std::exchange(cut.open, 0))
        REAL(glEndQuery)(GL_SAMPLES_PASSED);
}

void begin_count(const Context &c) {
    if (!cut.counts || c.limits.version < 15 || c.recording.open)
        return;
    REAL(glGenQueries)(1, &cut.open);
    REAL(glBeginQuery)(GL_SAMPLES_PASSED, cut.open);
    cut.counted.emplace_back(&c, cut.open);
}

void attachment_changed(GLenum target) {
    Context *c = looks_at_targets ? current() : nullptr;
    if (c && target != GL_READ_FRAMEBUFFER && !draws_window(*c))
        look_at_target(*c);
}

void named_attachment_changed(GLuint framebuffer) {
    Context *c = looks_at_targets ? current() : nullptr;
    if (c && framebuffer == c->draw_framebuffer && !draws_window(*c))
        look_at_target(*c);
}

} // namespace

void cut_targets(int margin, bool whole) {
    if (cut.margin == margin && cut.whole == whole)
        return;
    cut.margin = margin;
    cut.whole = whole;
    if (Context *c = current())
        look_at_target(*c);
}

bool saw_targets() { return std::exchange(cut.seen, false); }
const char *no_cut() { return cut.refused; }
void refuse_cut(const char *why) {
    if (!cut.refused)
        cut.refused = why;
}

void count_drawn(bool on) {
    cut.counts = on;
    if (Context *c = current())
        look_at_target(*c);
}

std::uint64_t drawn_samples() {
    end_count();
    std::uint64_t sum = 0;
    const NoQueryBuffer to_memory;
    for (const auto &[context, query] : std::exchange(cut.counted, {})) {
        if (context != current())
            continue;
        GLuint samples = 0;
        REAL(glGetQueryObjectuiv)(query, GL_QUERY_RESULT, &samples);
        REAL(glDeleteQueries)(1, &query);
        sum += samples;
    }
    return sum;
}

void leave_count_to_program() {
    if (looks_at_targets && role() == Role::ticks)
        end_count();
}

void look_at_target(Context &c) {
    if (!looks_at_targets || role() != Role::ticks)
        return;
    const int before = std::exchange(c.target_scale, 0);
    end_count();
    if (!draws_window(c) && c.surface && c.limits.named_queries && !cut.refused && comm::size() > 1) {
        const Attached target = attached(GL_DRAW_FRAMEBUFFER);
        const int scale = target.key ? scale_of(c.surface->part, target) : 0;
        Drawn &drawn = cut.drawn[target.key];
        if (scale && is_steady(drawn)) {
            if (counts_already(c))
                refuse_cut("it counts samples in framebuffer objects");
            else
                begin_count(c);
            cut.seen = true;
            c.target_scale = cut.refused ? 0 : scale;
            drawn.cut = cut.margin >= 0 && c.target_scale;
        }
    }
    if (before || c.target_scale) {
        const Unrecorded unrecorded(c);
        apply_scissor(c);
    }
}

std::optional<Scissors::Box> cut_box(const Context &c) {
    if (!c.target_scale || !c.surface || draws_window(c) || cut.margin < 0 || cut.whole || role() != Role::ticks)
        return std::nullopt;
    const Part &part = c.surface->part;
    const int scale = c.target_scale, slack = scale > 1 ? 1 : 0;
    const auto span = [&](int at, int size, GLint &from, GLint &length) {
        from = std::max(at - cut.margin, 0) / scale - slack;
        length = (at + size + cut.margin + scale - 1) / scale + slack - from;
    };
    Scissors::Box box{};
    span(part.x, part.width, box[0], box[2]);
    span(part.y, part.height, box[1], box[3]);
    return box;
}

bool reads_cut(const Context &c) {
    if (!looks_at_targets || cut.margin < 0 || c.read_framebuffer == 0 || !c.read_surface || role() != Role::ticks)
        return false;
    const Attached source = attached(GL_READ_FRAMEBUFFER);
    const auto found = cut.drawn.find(source.key);
    if (found == cut.drawn.end() || !found->second.cut)
        return false;
    if (scale_of(c.read_surface->part, source) == 1)
        return true;
    refuse_cut("it reads pixels of a framebuffer object that is smaller than the window");
    return false;
}

} // namespace mpiglut::gl

using namespace mpiglut::gl;

#define ATTACHES(name, parameters, arguments)                                                                          \
    MPIGLUT_EXPORT void name parameters {                                                                              \
        REAL(name) arguments;                                                                                          \
        attachment_changed(target);                                                                                    \
    }
#define ATTACHES_NAMED(name, parameters, arguments)                                                                    \
    MPIGLUT_EXPORT void name parameters {                                                                              \
        REAL(name) arguments;                                                                                          \
        named_attachment_changed(framebuffer);                                                                         \
    }
ATTACHES(glFramebufferTexture, (GLenum target, GLenum at, GLuint texture, GLint level), (target, at, texture, level))
ATTACHES(glFramebufferTexture1D, (GLenum target, GLenum at, GLenum kind, GLuint texture, GLint level),
         (target, at, kind, texture, level))
ATTACHES(glFramebufferTexture2D, (GLenum target, GLenum at, GLenum kind, GLuint texture, GLint level),
         (target, at, kind, texture, level))
ATTACHES(glFramebufferTexture3D, (GLenum target, GLenum at, GLenum kind, GLuint texture, GLint level, GLint layer),
         (target, at, kind, texture, level, layer))
ATTACHES(glFramebufferTextureLayer, (GLenum target, GLenum at, GLuint texture, GLint level, GLint layer),
         (target, at, texture, level, layer))
ATTACHES(glFramebufferRenderbuffer, (GLenum target, GLenum at, GLenum kind, GLuint buffer), (target, at, kind, buffer))
ATTACHES_NAMED(glNamedFramebufferTexture, (GLuint framebuffer, GLenum at, GLuint texture, GLint level),
               (framebuffer, at, texture, level))
ATTACHES_NAMED(glNamedFramebufferTextureLayer,
               (GLuint framebuffer, GLenum at, GLuint texture, GLint level, GLint layer),
               (framebuffer, at, texture, level, layer))
ATTACHES_NAMED(glNamedFramebufferRenderbuffer, (GLuint framebuffer, GLenum at, GLenum kind, GLuint buffer),
               (framebuffer, at, kind, buffer))
