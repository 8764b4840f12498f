#include "gl/pixel/gather.h"

#include "base/real.h"
#include "base/state.h"
#include "clock/role.h"
#include "gl/draw/habits.h"
#include "gl/pixel/pixel_store.h"
#include "run/report.h"

#include <algorithm>
#include <iterator>
#include <span>

namespace mpiglut::gl {

using pixmpi::Rect;

namespace {

Rect rect_of(const Part &part) { return {part.x, part.y, part.width, part.height}; }

std::vector<Rect> pieces_of(const Surface &window) {
    std::vector<Rect> pieces;
    for (const Part &part : window.parts)
        pieces.push_back(rect_of(part));
    return pieces;
}

} // namespace

bool uncovered(const Rect &rect, std::span<const Rect> pieces) {
    while (!pieces.empty() && intersect(rect, pieces.front()).empty())
        pieces = pieces.subspan(1);
    if (rect.empty() || pieces.empty())
        return !rect.empty();
    const Rect in = intersect(rect, pieces.front());
    const Rect around[] = {{rect.x, rect.y, rect.width, in.y - rect.y},
                           {rect.x, in.bottom(), rect.width, rect.bottom() - in.bottom()},
                           {rect.x, in.y, in.x - rect.x, in.height},
                           {in.right(), in.y, rect.right() - in.right(), in.height}};
    return std::any_of(std::begin(around), std::end(around),
                       [&](const Rect &rest) { return uncovered(rest, pieces.subspan(1)); });
}

PixelSource window_source(const Context &c) { return {true, read_window(c), pieces_of(*c.read_surface)}; }

Rect read_window(const Context &c) { return {0, 0, c.read_surface->part.full_width, c.read_surface->part.full_height}; }

void ask_behind(const Surface &window, const Rect &asked) {
    State &s = state();
    if (s.plan.from_window)
        return;
    const Rect whole{0, 0, window.part.full_width, window.part.full_height};
    const Rect of_window = intersect(asked, whole);
    if (role() == Role::ticks)
        s.behind_asked = s.behind_asked || uncovered(of_window, pieces_of(window));
    else if (comm::rank() == 0 && uncovered(of_window, pieces_of(window)))
        report_once(Report::note, "a thread other than the main loop's reads or counts pixels behind bezels, and finds "
                                  "them black; expected --behind draw");
}

bool is_collective(const Context &c, const Rect &asked) {
    // Beyond this, the corners of the rectangle would overflow; no window is there.
    constexpr int far = 1 << 29;
    const bool sane = std::min(asked.x, asked.y) > -far && std::max(asked.x, asked.y) < far &&
                      std::max(asked.width, asked.height) < far;
    return comm::size() > 1 && sane && !intersect(asked, read_window(c)).empty() &&
           in_step("reading pixels of the window");
}

Gathered gather_pixels(Context &c, const PixelSource &source, const Rect &asked, GLenum format, GLenum type) {
    const std::vector<Rect> &parts = source.pieces;
    const std::size_t ranks = comm::size(), me = comm::rank();
    const Rect visible = intersect(asked, source.whole);
    Origin origin;
    if (source.window) {
        origin = {c.read_surface->part.x, c.read_surface->part.y};
        ask_behind(*c.read_surface, visible);
        window_is_read();
    }
    const PixelLayout layout(pixel_bits(format, type), 0, {});

    Gathered result;
    result.pieces.resize(ranks);
    std::vector<std::size_t> sizes(ranks, 0);
    for (std::size_t rank = 0; rank < std::min(ranks, parts.size()); ++rank) {
        result.pieces[rank].rect = intersect(visible, parts[rank]);
        if (!result.pieces[rank].rect.empty())
            sizes[rank] = layout.piece_row(result.pieces[rank].rect.width) * result.pieces[rank].rect.height;
    }

    comm::Bytes mine(sizes[me]);
    if (!mine.empty()) {
        const Rect &rect = result.pieces[me].rect;
        const PlainPixels plain(PlainPixels::pack);
        REAL(glReadPixels)(rect.x - origin.x, rect.y - origin.y, rect.width, rect.height, format, type, mine.data());
    }
    if (!comm::all_gather(comm::Collective::pixels, mine, sizes, result.bytes))
        result.bytes.clear(); // ranks have parted ways; this one goes on with what it has
    result.bytes.resize(ranks);
    if (result.bytes[me].size() != mine.size())
        result.bytes[me] = std::move(mine);
    for (std::size_t rank = 0; rank < ranks; ++rank)
        if (result.bytes[rank].empty()) // of a dead rank
            result.bytes[rank].resize(sizes[rank]);
    for (std::size_t rank = 0; rank < ranks; ++rank)
        result.pieces[rank].pixels = result.bytes[rank];
    return result;
}

} // namespace mpiglut::gl
