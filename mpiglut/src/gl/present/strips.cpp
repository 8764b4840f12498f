#include "gl/present/strips.h"

#include "base/real.h"
#include "base/state.h"
#include "clock/clock.h"
#include "run/report.h"
#include "sync/comm.h"
#include "sync/ship.h"

#include <vector>

namespace mpiglut::gl {
namespace {

using pixmpi::Rect;

/// Where `rect` lies within `whole`, as GL has it: y up.
Rect within(const Rect &whole, const Rect &rect) {
    return {rect.x - whole.x, whole.bottom() - rect.bottom(), rect.width, rect.height};
}

/// For each other living rank that has something of it: common(rank) in wall coordinates, within `whole`, in the
/// texture.
template <class Common>
std::vector<ship::Strip> strips(const Window &window, const Rect &whole, GLuint texture, Common common) {
    std::vector<ship::Strip> all;
    for (int rank = 0; rank < static_cast<int>(window.shown_by.size()); ++rank)
        if (const Rect rect = common(rank); rank != comm::rank() && comm::lives(rank) && !rect.empty())
            all.push_back({rank, texture, within(whole, rect)});
    return all;
}

std::vector<ship::Strip> outgoing(const Window &window, GLuint own) {
    return strips(window, window.rendered, own,
                  [&](int rank) { return intersect(window.rendered, window.shown_by[rank]); });
}

std::vector<ship::Strip> incoming(const Window &window, GLuint picture) {
    return strips(window, window.clip, picture,
                  [&](int rank) { return intersect(window.clip, window.rendered_by[rank]); });
}

void has_missed(const std::string &error) {
    state().sharing.broken = true;
    report_once(Report::note, "--balance: a part of the tile's picture is missing: " + error);
}

} // namespace

void keep_strips(const Window &window, GLuint own) {
    glBindTexture(GL_TEXTURE_2D, own);
    for (const ship::Strip &strip : outgoing(window, own)) {
        const Rect &r = strip.rect;
        REAL(glCopyTexSubImage2D)(GL_TEXTURE_2D, 0, r.x, r.y, r.x, r.y, r.width, r.height);
    }
}

void begin_strips(const Window &window, GLuint picture, GLuint own) {
    const std::int64_t before = clock::real_monotonic_ns();
    std::string error;
    bool begun = false;
    {
        const Untranslated untranslated;
        begun = ship::begin(outgoing(window, own), incoming(window, picture), error);
    }
    state().times.ship_ns += clock::real_monotonic_ns() - before;
    if (!begun)
        has_missed(error);
}

void finish_strips(GLuint picture) {
    const std::int64_t before = clock::real_monotonic_ns();
    std::string error;
    bool complete = false;
    {
        const Untranslated untranslated;
        complete = ship::finish(error);
    }
    glBindTexture(GL_TEXTURE_2D, picture);
    REAL(glFinish)();
    state().times.ship_ns += clock::real_monotonic_ns() - before;
    if (!complete)
        has_missed(error);
}

void exchange_strips(const Window &window, GLuint picture, GLuint own) {
    REAL(glFinish)();
    const std::int64_t ready = clock::real_monotonic_ns();
    const bool together = comm::barrier(comm::Collective::strips);
    state().times.ship_wait_ns += clock::real_monotonic_ns() - ready;
    if (together)
        begin_strips(window, picture, own);
    finish_strips(picture);
}

void draw_cuts(const Window &window, std::span<const Rect> rendered_by) {
    const auto line = [&](const Rect &rect) {
        const Rect shown = intersect(rect, window.clip);
        if (shown.empty())
            return;
        const Rect at = within(window.clip, shown);
        const std::vector<GLubyte> white(static_cast<std::size_t>(at.width) * at.height * 4, 0xff);
        REAL(glTexSubImage2D)
        (GL_TEXTURE_2D, 0, at.x, at.y, at.width, at.height, GL_RGBA, GL_UNSIGNED_BYTE, white.data());
    };
    for (const Rect &rect : rendered_by) {
        if (rect.x > window.clip.x && !rect.empty())
            line({rect.x, rect.y, 1, rect.height});
        if (rect.y > window.clip.y && !rect.empty())
            line({rect.x, rect.y, rect.width, 1});
    }
}

} // namespace mpiglut::gl
