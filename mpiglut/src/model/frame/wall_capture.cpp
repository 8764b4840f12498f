#include "model/frame/wall_capture.h"

#include "base/state.h"
#include "gl/context/parts.h"
#include "gl/present/present.h"
#include "model/console/console.h"
#include "model/frame/frame.h"
#include "model/window/window_system.h"
#include "run/report.h"
#include "sync/comm.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace mpiglut {
namespace {

// Pictures of a window and of what lies in it, bottom to top, into the tile's.
void paste_window(Picture &tile, const Window &window) {
    if (!window.visible || window.clip.empty())
        return;
    const pixmpi::Rect &origin = tile_of(window).rect;
    const std::vector<pixmpi::Rect> seen = window.covered ? window.seen : std::vector{window.clip};
    for (std::size_t i = 0; !window.shown.rgb.empty() && i < seen.size(); ++i) {
        const pixmpi::Rect here = pixmpi::intersect(seen[i], window.clip);
        if (here.empty())
            continue;
        Picture piece(here.width, here.height);
        paste(piece, window.shown, window.clip.x - here.x, window.clip.y - here.y);
        paste(tile, piece, here.x - origin.x, here.y - origin.y);
    }
    for (int child : window.children)
        paste_window(tile, *state().window(child));
}

// What the ranks have sent, one picture after the other.
class Sent {
  public:
    explicit Sent(std::vector<comm::Bytes> all) : all_(std::move(all)), read_(all_.size()) {}

    /// Each tile's.
    std::vector<Picture> next(const pixmpi::Wall &wall) {
        std::vector<Picture> tiles;
        for (const pixmpi::Tile &tile : wall.tiles) {
            Picture &picture = tiles.emplace_back(tile.rect.width, tile.rect.height);
            const comm::Bytes &bytes = all_[tile.rank];
            std::size_t &at = read_[tile.rank];
            if (!picture.rgb.empty() && bytes.size() >= at + picture.rgb.size()) // a helper's tile has no pixels
                std::memcpy(picture.rgb.data(), bytes.data() + at, picture.rgb.size());
            at += picture.rgb.size();
        }
        return tiles;
    }

  private:
    std::vector<comm::Bytes> all_;
    std::vector<std::size_t> read_; ///< of each rank's bytes
};

void write(const std::string &file, const Picture &picture) {
    std::string error;
    if (!write_png(file, picture, error))
        report(Report::error, "--capture: " + error);
}

void write_next_capture() {
    State &s = state();
    const Capture &capture = s.options.captures[s.captured++];
    std::vector<TilePicture> pictures = tile_pictures();
    if (s.top_level.empty() && !s.last_pictures.empty())
        pictures = s.last_pictures;
    std::vector<unsigned char> mine;
    for (const TilePicture &tile : pictures)
        mine.insert(mine.end(), tile.picture.rgb.begin(), tile.picture.rgb.end());
    std::vector<comm::Bytes> all;
    comm::gather(comm::Collective::capture, std::as_bytes(std::span(mine)), all);
    if (comm::rank() != 0)
        return;
    Sent sent(std::move(all));
    for (std::size_t i = 0; i < pictures.size(); ++i) {
        const pixmpi::Wall &wall = pictures[i].wall;
        const std::string file = numbered(capture.file, i + 1);
        const std::vector<Picture> tiles = sent.next(wall);
        write(file, assemble(wall, tiles));
        for (std::size_t tile = 0; s.options.capture_tiles && tile < tiles.size(); ++tile)
            write(beside(file, ".tile" + std::to_string(wall.tiles[tile].rank)), tiles[tile]);
    }
}

} // namespace

const Capture *next_capture() {
    const State &s = state();
    const std::size_t next = s.captured;
    return next < s.options.captures.size() ? &s.options.captures[next] : nullptr;
}

bool is_wanted(std::int64_t frame) {
    const Capture *const next = next_capture();
    return next && (next->frame == frame || state().options.captures.back().frame == 0);
}

// A single window's is needed only for the frame in question; of several it is not known whether they will be drawn
// again until then.
bool is_to_be_kept(Window &window) {
    State &s = state();
    const bool for_still = console::still_wanted();
    const Capture *const next = next_capture();
    if ((!next && !for_still) || window.clip.empty())
        return false;
    const std::int64_t frame = frames_here().complete + begins_frame(window);
    return for_still || is_wanted(frame) || (frame < next->frame && s.windows.size() > 1);
}

void keep_picture(Window &window, bool front) {
    const auto lock = lock_geometry();
    if (!is_to_be_kept(window))
        return;
    window.shown = Picture(window.clip.width, window.clip.height);
    paste(window.shown, gl::read_part(*gl::seen_here(&window.surface), front), window.rendered.x - window.clip.x,
          window.rendered.y - window.clip.y);
}

std::vector<TilePicture> tile_pictures() {
    State &s = state();
    const auto lock = lock_geometry();
    std::vector<TilePicture> pictures;
    const auto add = [&](const pixmpi::Wall &wall) -> Picture & {
        const pixmpi::Rect &tile = wall.tiles[comm::rank()].rect;
        return pictures.emplace_back(wall, Picture(tile.width, tile.height)).picture;
    };
    const bool shows_below = window_system().shows_below();
    if (!s.plan.from_window && (!s.top_level.empty() || shows_below)) {
        Picture &all = add(s.plan);
        if (shows_below)
            paste(all, window_system().below(), 0, 0);
        for (int id : s.top_level)
            paste_window(all, *s.window(id));
    } else {
        for (const auto &[id, window] : s.windows)
            if (!window->parent && window->drawn)
                paste_window(add(window->wall), *window);
    }
    return pictures;
}

void keep_last_pictures() {
    State &s = state();
    const auto top_level = [&](int id) { return s.window(id) && !s.window(id)->parent; };
    if (next_capture() && std::any_of(s.to_destroy.begin(), s.to_destroy.end(), top_level))
        s.last_pictures = tile_pictures();
}

void capture_complete_frames(std::int64_t complete) {
    for (const Capture *next; (next = next_capture()) && next->frame && complete >= next->frame;)
        write_next_capture();
}

void capture_last_frame() {
    State &s = state();
    const std::int64_t complete = s.complete_frames();
    while (const Capture *const next = next_capture()) {
        const std::int64_t wanted = std::max<std::int64_t>(next->frame, 1);
        if (complete >= wanted || (!next->frame && window_system().shows_below())) {
            write_next_capture();
            continue;
        }
        ++s.captured;
        if (comm::rank() == 0)
            report(Report::error, "--capture: there is no frame " + std::to_string(wanted) +
                                      ": the program ended after " + std::to_string(complete));
    }
}

} // namespace mpiglut
