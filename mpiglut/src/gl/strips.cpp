#include "gl/strips.h"

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

void copy_from_drawable(GLuint texture, const std::vector<ship::Strip> &out) {
    glBindTexture(GL_TEXTURE_2D, texture);
    for (const ship::Strip &strip : out) {
        const Rect &r = strip.rect;
        REAL(glCopyTexSubImage2D)(GL_TEXTURE_2D, 0, r.x, r.y, r.x, r.y, r.width, r.height);
    }
}

} // namespace

void exchange_strips(const Window &window, GLuint picture, GLuint own) {
    State &s = state();
    const auto out = strips(window, window.rendered, own,
                            [&](int rank) { return intersect(window.rendered, window.shown_by[rank]); });
    const auto in = strips(window, window.clip, picture,
                           [&](int rank) { return intersect(window.clip, window.rendered_by[rank]); });
    copy_from_drawable(own, out);
    glBindTexture(GL_TEXTURE_2D, picture);
    REAL(glFinish)();
    const std::int64_t ready = clock::real_monotonic_ns();
    const bool together = comm::barrier(comm::Collective::strips);
    const std::int64_t met = clock::real_monotonic_ns();
    s.times.ship_wait_ns += met - ready;
    if (!together)
        return;
    std::string error;
    bool complete = false;
    {
        const Untranslated untranslated;
        complete = ship::exchange(out, in, error);
    }
    glBindTexture(GL_TEXTURE_2D, picture);
    REAL(glFinish)();
    s.times.ship_ns += clock::real_monotonic_ns() - met;
    if (!complete) {
        s.sharing.broken = true;
        report_once(Report::note, "--balance: a part of the tile's picture is missing: " + error);
    }
}

void draw_cuts(const Window &window) {
    const auto line = [&](const Rect &rect) {
        const Rect shown = intersect(rect, window.clip);
        if (shown.empty())
            return;
        const Rect at = within(window.clip, shown);
        const std::vector<GLubyte> white(static_cast<std::size_t>(at.width) * at.height * 4, 0xff);
        REAL(glTexSubImage2D)
        (GL_TEXTURE_2D, 0, at.x, at.y, at.width, at.height, GL_RGBA, GL_UNSIGNED_BYTE, white.data());
    };
    for (const Rect &rect : window.rendered_by) {
        if (rect.x > window.clip.x && !rect.empty())
            line({rect.x, rect.y, 1, rect.height});
        if (rect.y > window.clip.y && !rect.empty())
            line({rect.x, rect.y, rect.width, 1});
    }
}

} // namespace mpiglut::gl
