#include "gl/draw/habits.h"

#include "base/real.h"
#include "clock/virtual.h"
#include "gl/coordinates/coordinates.h"
#include "gl/draw/queries.h"
#include "gl/pixel/pixel_store.h"
#include "sync/comm.h"
#include "wall/wall.h"

#include <GL/glext.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace mpiglut::gl {
namespace {

constexpr std::size_t most_candidates = 8; ///< in a frame

/// A draw call that may have covered the window.
struct Candidate {
    const Context *context = nullptr;
    GLuint query = 0;
    std::uint64_t samples = 0; ///< of this rank's part of the window
};

/// Of the frame at work, which the thread of the ticks draws.
struct Frame {
    GLbitfield cleared = 0;         ///< in whole
    GLbitfield tested = 0;          ///< depth or stencil: pixels were compared with what was there
    Kept otherwise = Kept::nothing; ///< something else that goes on with an earlier frame
    std::vector<Candidate> candidates;
    std::optional<std::size_t> read; ///< the window was, after so many candidates, and was not cleared before
    bool open = false;               ///< the last candidate's samples are being counted
};
Frame frame;

bool is_enabled(GLenum what) { return REAL(glIsEnabled)(what); }

bool writes_all(const Context &c, GLbitfield buffer) {
    if (buffer == GL_COLOR_BUFFER_BIT) {
        std::array<GLboolean, 4> mask{};
        REAL(glGetBooleanv)(GL_COLOR_WRITEMASK, mask.data());
        const bool asks = draws_window(c) && (!c.limits.es || c.limits.version >= 30);
        const GLint target = asks ? get(c.limits.es ? GL_DRAW_BUFFER0 : GL_DRAW_BUFFER, GL_BACK) : GL_BACK;
        return mask == std::array<GLboolean, 4>{GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE} &&
               (target == GL_BACK || target == GL_BACK_LEFT || target == GL_FRONT_AND_BACK);
    }
    if (buffer == GL_DEPTH_BUFFER_BIT)
        return get(GL_DEPTH_WRITEMASK, GL_TRUE) == GL_TRUE;
    const GLint bits = get(GL_STENCIL_BITS, 8), all = static_cast<GLint>((1u << std::min(bits, 30)) - 1);
    return (get(GL_STENCIL_WRITEMASK, all) & all) == all;
}

bool in_whole(const Context &c) {
    if (!is_enabled(GL_SCISSOR_TEST))
        return true;
    const Scissors::Box &box = c.scissor[0];
    const Part &window = c.surface->part;
    return box[0] <= 0 && box[1] <= 0 && box[0] + box[2] >= window.full_width && box[1] + box[3] >= window.full_height;
}

void look_at_tests() {
    if (!(frame.tested & GL_DEPTH_BUFFER_BIT) && is_enabled(GL_DEPTH_TEST) && get(GL_DEPTH_FUNC, GL_LESS) != GL_ALWAYS)
        frame.tested |= GL_DEPTH_BUFFER_BIT;
    if (!(frame.tested & GL_STENCIL_BUFFER_BIT) && is_enabled(GL_STENCIL_TEST))
        frame.tested |= GL_STENCIL_BUFFER_BIT;
}

/// All samples that this rank has of the window; 0 where it has none.
std::uint64_t all_samples(const Context &c) {
    const std::vector<Part> &parts = c.surface->parts;
    const std::size_t rank = comm::rank();
    if (rank < parts.size() && parts[rank].width == 0)
        return 0;
    const Part &part = c.surface->part;
    return std::uint64_t{1} * static_cast<unsigned>(part.width) * static_cast<unsigned>(part.height) *
           static_cast<unsigned>(std::max(get(GL_SAMPLES), 1));
}

/// Whatever the tests and the shaders say of a draw call's samples: those that pass replace what was there.
bool replaces(const Context &c) {
    return writes_all(c, GL_COLOR_BUFFER_BIT) && !is_enabled(GL_BLEND) &&
           (c.limits.es || !is_enabled(GL_COLOR_LOGIC_OP));
}

/// Which candidate was the first to cover this rank's part.
std::optional<std::size_t> covering() {
    std::optional<std::size_t> first;
    if (frame.candidates.empty() || !current())
        return first;
    const NoQueryBuffer to_memory;
    for (std::size_t i = 0; i < frame.candidates.size(); ++i) {
        const Candidate &one = frame.candidates[i];
        if (one.context != current())
            continue;
        GLuint samples = 0;
        REAL(glGetQueryObjectuiv)(one.query, GL_QUERY_RESULT, &samples);
        REAL(glDeleteQueries)(1, &one.query);
        if (!first && (samples == one.samples || one.samples == 0))
            first = i;
    }
    return first;
}

} // namespace

void watch_habits() { watched = true; }

Context *counted(bool window) {
    Context *c = watched ? current() : nullptr;
    return c && (window || draws_window(*c)) && clock::on_main_thread() ? c : nullptr;
}

void note_clear(const Context &c, GLbitfield mask) {
    if (!in_whole(c))
        return;
    for (const GLbitfield buffer : {GL_COLOR_BUFFER_BIT, GL_DEPTH_BUFFER_BIT, GL_STENCIL_BUFFER_BIT})
        if (mask & buffer && writes_all(c, buffer))
            frame.cleared |= buffer;
}

void note_target(GLenum target) {
    if (target == GL_FRONT || target == GL_FRONT_LEFT || target == GL_FRONT_AND_BACK || target == GL_LEFT)
        frame.otherwise = Kept::front;
}

void note_accumulation() { frame.otherwise = Kept::accumulation; }
void note_tests() { look_at_tests(); }

void window_is_read() {
    if (watched && clock::on_main_thread() && !(frame.cleared & GL_COLOR_BUFFER_BIT) && !frame.read)
        frame.read = frame.candidates.size();
}

void window_is_overwritten(const Context &c, const pixmpi::Rect &where, GLbitfield buffers) {
    const Part &window = c.surface->part;
    const bool whole =
        where.x <= 0 && where.y <= 0 && where.right() >= window.full_width && where.bottom() >= window.full_height;
    if (watched && clock::on_main_thread() && whole && in_whole(c))
        frame.cleared |= buffers;
}

bool begin_covering(GLsizei vertices) {
    Context *c = counted();
    if (!c || c->recording.open)
        return false;
    look_at_tests();
    if (vertices > covering_vertices || frame.cleared & GL_COLOR_BUFFER_BIT ||
        frame.candidates.size() >= most_candidates || frame.open || c->limits.version < 15 || c->limits.es ||
        c->render_mode != GL_RENDER)
        return false;
    if ((c->queries && !c->queries->active.empty()) || !in_whole(*c) || !replaces(*c))
        return false;
    Candidate one{.context = c, .samples = all_samples(*c)};
    REAL(glGenQueries)(1, &one.query);
    REAL(glBeginQuery)(GL_SAMPLES_PASSED, one.query);
    frame.candidates.push_back(one);
    frame.open = true;
    return true;
}

void end_covering() {
    if (clock::on_main_thread() && std::exchange(frame.open, false))
        REAL(glEndQuery)(GL_SAMPLES_PASSED);
}

const char *text(Kept kept) {
    constexpr std::array<const char *, static_cast<std::size_t>(Kept::count)> texts{
        "",
        "it draws to the front buffer",
        "it reads the window before it clears it",
        "it uses the accumulation buffer",
        "it does not clear all of the window's colours",
        "it does not clear all of the window's depths",
        "it does not clear all of the window's stencil"};
    const auto index = static_cast<std::size_t>(kept);
    return texts[index < texts.size() ? index : 0];
}

Kept kept_pixels() {
    const std::optional<std::size_t> covered = covering();
    const Frame now = std::exchange(frame, {});
    if (now.otherwise != Kept::nothing)
        return now.otherwise;
    if (now.read && (!covered || *covered >= *now.read))
        return Kept::read;
    if (!(now.cleared & GL_COLOR_BUFFER_BIT) && !covered)
        return Kept::colours;
    if (now.tested & GL_DEPTH_BUFFER_BIT & ~now.cleared)
        return Kept::depths;
    if (now.tested & GL_STENCIL_BUFFER_BIT & ~now.cleared)
        return Kept::stencil;
    return Kept::nothing;
}

} // namespace mpiglut::gl
