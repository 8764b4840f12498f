#include "gl/draw/cut.h"

#include "base/export.h"
#include "base/real.h"
#include "base/state.h"
#include "clock/role.h"
#include "gl/context/error.h"
#include "gl/coordinates/coordinates.h"
#include "gl/draw/queries.h"
#include "sync/comm.h"
#include "wall/wall.h"

#include <GL/glext.h>

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

namespace mpiglut::gl {

namespace {

constexpr int steady = 4;         ///< frames in a row
constexpr int smallest_part = 16; ///< of the window's size: what is smaller costs little

constexpr int most_colours = 8; ///< GL has as many at the least

/// What is attached to a framebuffer object.
struct Attached {
    std::vector<std::uint64_t> keys; ///< the objects, their levels and layers
    int width = 0, height = 0;       ///< of all of them; 0: they differ
};

/// A texture or renderbuffer that was drawn to.
struct Drawn {
    std::int64_t frame = -1; ///< the last one
    int in_a_row = 0;
    int width = 0, height = 0;
    bool cut = false;              ///< it may hold pixels of a frame that was cut
    std::int64_t whole_since = -1; ///< a frame; -1: not drawn whole since then
};

/// Of the thread of the ticks.
struct Cut {
    int margin = -1;
    bool whole = false;
    std::vector<pixmpi::Rect> tiles;
    pixmpi::Rect window; ///< that has the tiles
    bool seen = false;
    const char *refused = nullptr;
    std::unordered_map<std::uint64_t, Drawn> drawn;

    bool counts = false;
    GLuint open = 0; ///< the query that counts at the moment, in that context
    const Context *open_in = nullptr;
    std::vector<std::pair<const Context *, GLuint>> counted;
} cut;

GLint parameter(GLenum target, GLenum attachment, GLenum name) {
    GLint value = 0;
    REAL(glGetFramebufferAttachmentParameteriv)(target, attachment, name, &value);
    return value;
}

/// What is attached there; 0: nothing that is known.
std::uint64_t key_at(GLenum target, GLenum at, int &width, int &height) {
    const GLint type = parameter(target, at, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE);
    if (type != GL_TEXTURE && type != GL_RENDERBUFFER)
        return 0;
    const auto name = static_cast<GLuint>(parameter(target, at, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_NAME));
    if (type == GL_RENDERBUFFER) {
        REAL(glGetNamedRenderbufferParameteriv)(name, GL_RENDERBUFFER_WIDTH, &width);
        REAL(glGetNamedRenderbufferParameteriv)(name, GL_RENDERBUFFER_HEIGHT, &height);
        return name;
    }
    const GLint level = parameter(target, at, GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_LEVEL);
    const GLint face = parameter(target, at, GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_CUBE_MAP_FACE);
    const GLint layer = parameter(target, at, GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_LAYER);
    REAL(glGetTextureLevelParameteriv)(name, level, GL_TEXTURE_WIDTH, &width);
    REAL(glGetTextureLevelParameteriv)(name, level, GL_TEXTURE_HEIGHT, &height);
    const auto place = static_cast<std::uint64_t>(face ? face - GL_TEXTURE_CUBE_MAP_POSITIVE_X + 1 : layer);
    return name | static_cast<std::uint64_t>(level + 1) << 32 | place << 40;
}

Attached attached(GLenum target) {
    const ErrorScope errors;
    Attached found;
    for (int i = 0; i <= most_colours; ++i) {
        int width = 0, height = 0;
        const GLenum at = i < most_colours ? static_cast<GLenum>(GL_COLOR_ATTACHMENT0 + i) : GL_DEPTH_ATTACHMENT;
        const std::uint64_t key = key_at(target, at, width, height);
        if (!key)
            continue;
        const bool fits = found.keys.empty() || (width == found.width && height == found.height);
        found.width = fits ? width : 0;
        found.height = fits ? height : 0;
        found.keys.push_back(key);
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
bool is_steady(Drawn &one, const Attached &target) {
    const std::int64_t frame = state().frames.complete;
    const bool same = one.width == target.width && one.height == target.height;
    if (one.frame != frame || !same)
        one.in_a_row = same && one.frame == frame - 1 ? one.in_a_row + 1 : 0;
    one.frame = frame;
    one.width = target.width;
    one.height = target.height;
    return one.in_a_row >= steady;
}

/// What is drawn now may be read before the next frame of it is complete.
void note_cut(Drawn &one, bool now) {
    const std::int64_t frame = state().frames.complete;
    if (now) {
        one.cut = true;
        one.whole_since = -1;
    } else if (one.cut && one.whole_since < 0) {
        one.whole_since = frame;
    } else if (one.cut && frame > one.whole_since + 1) {
        one.cut = false;
    }
}

bool counts_already(const Context &c) {
    return c.queries && std::any_of(c.queries->active.begin(), c.queries->active.end(),
                                    [](const auto &one) { return counts_pixels(one.first.first); });
}

void end_count() {
    if (std::exchange(cut.open, 0) && cut.open_in == current())
        REAL(glEndQuery)(GL_SAMPLES_PASSED);
}

void begin_count(const Context &c) {
    if (!cut.counts || c.limits.version < 15 || c.limits.es || c.recording.open)
        return;
    REAL(glGenQueries)(1, &cut.open);
    REAL(glBeginQuery)(GL_SAMPLES_PASSED, cut.open);
    cut.open_in = &c;
    cut.counted.emplace_back(&c, cut.open);
}

bool is_drawn(std::uint64_t key) { return cut.drawn.contains(key); }
bool is_cut(std::uint64_t key) { return is_drawn(key) && cut.drawn.at(key).cut; }

/// So many times the window is as large as what is bound for drawing, if that may be cut; else 0.
int scale_of_target(Context &c) {
    const Attached target = attached(GL_DRAW_FRAMEBUFFER);
    int scale = target.keys.empty() ? 0 : scale_of(c.surface->part, target);
    for (const std::uint64_t key : target.keys)
        scale = is_steady(cut.drawn[key], target) ? scale : 0;
    if (scale && !cut.refused) {
        if (counts_already(c))
            refuse_cut("it counts samples in framebuffer objects");
        else
            begin_count(c);
        cut.seen = true;
    }
    if (cut.refused)
        scale = 0;
    for (const std::uint64_t key : target.keys)
        note_cut(cut.drawn[key], scale && cut.margin >= 0);
    return scale;
}

/// Nothing of that name is there any more.
void forget(GLsizei count, const GLuint *names, bool textures) {
    if (!looks_at_targets || role() != Role::ticks || !names)
        return;
    for (GLsizei i = 0; i < count; ++i)
        std::erase_if(cut.drawn, [name = names[i], textures](const auto &one) {
            return static_cast<GLuint>(one.first) == name && (one.first >> 32 != 0) == textures;
        });
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

void cut_targets(int margin, bool whole, std::vector<pixmpi::Rect> tiles, const pixmpi::Rect &window) {
    cut.tiles = std::move(tiles);
    cut.window = window;
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

void refuse_cut_now(Context &c, const char *why) {
    refuse_cut(why);
    c.target_scale = 0;
    apply_scissor(c);
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
    const bool looks = !cut.refused || std::ranges::any_of(cut.drawn, [](const auto &one) { return one.second.cut; });
    if (looks && !draws_window(c) && c.surface && c.limits.named_queries && comm::size() > 1)
        c.target_scale = scale_of_target(c);
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

void note_copied(const Context &c) {
    if (!looks_at_targets || draws_window(c) || c.read_framebuffer == 0 || !c.surface || role() != Role::ticks ||
        std::ranges::none_of(cut.drawn, [](const auto &one) { return one.second.cut; }))
        return;
    if (std::ranges::none_of(attached(GL_READ_FRAMEBUFFER).keys, is_cut))
        return;
    const Attached target = attached(GL_DRAW_FRAMEBUFFER);
    if (!scale_of(c.surface->part, target))
        refuse_cut("it copies framebuffer objects to others of another size");
    for (const std::uint64_t key : target.keys)
        note_cut(cut.drawn[key], true);
}

std::optional<PixelSource> cut_source(const Context &c, const pixmpi::Rect &asked) {
    if (!looks_at_targets || cut.drawn.empty() || c.read_framebuffer == 0 || !c.read_surface ||
        !c.limits.named_queries || comm::size() == 1 || role() != Role::ticks)
        return std::nullopt;
    const Attached object = attached(GL_READ_FRAMEBUFFER);
    const int scale = object.keys.empty() ? 0 : scale_of(c.read_surface->part, object);
    if (!scale || cut.tiles.empty() || cut.window != read_window(c) || std::ranges::none_of(object.keys, is_drawn))
        return std::nullopt;

    PixelSource source{false, {0, 0, object.width, object.height}, {}};
    // Not the surface's parts: the judge's is the window, also if the frame before was cut there.
    for (const pixmpi::Rect &tile : cut.tiles) {
        const int x = tile.x / scale, y = tile.y / scale;
        const pixmpi::Rect piece{x, y, (tile.right() + scale - 1) / scale - x, (tile.bottom() + scale - 1) / scale - y};
        source.pieces.push_back(tile.empty() ? tile : intersect(piece, source.whole));
    }
    if (uncovered(intersect(asked, source.whole), source.pieces))
        refuse_cut("it reads pixels of framebuffer objects where there are no tiles");
    return std::ranges::any_of(object.keys, is_cut) ? std::optional(source) : std::nullopt;
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

MPIGLUT_EXPORT void glDeleteTextures(GLsizei count, const GLuint *textures) {
    forget(count, textures, true);
    REAL(glDeleteTextures)(count, textures);
}
MPIGLUT_EXPORT void glDeleteRenderbuffers(GLsizei count, const GLuint *renderbuffers) {
    forget(count, renderbuffers, false);
    REAL(glDeleteRenderbuffers)(count, renderbuffers);
}
