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

    Picture next(const pixmpi::Wall &wall) {
        std::vector<Picture> tiles;
        for (const pixmpi::Tile &tile : wall.tiles) {
            Picture &picture = tiles.emplace_back(tile.rect.width, tile.rect.height);
            const comm::Bytes &bytes = all_[tile.rank];
            std::size_t &at = read_[tile.rank];
            if (!picture.rgb.empty() && bytes.size() >= at + picture.rgb.size()) // a helper's tile has no pixels
                std::memcpy(picture.rgb.data(), bytes.data() + at, picture.rgb.size());
            at += picture.rgb.size();
        }
        return assemble(wall, tiles);
    }

  private:
    std::vector<comm::Bytes> all_;
    std::vector<std::size_t> read_; ///< of each rank's bytes
};

} // namespace

bool capture_wanted() { return !state().options.capture.empty() && !state().captured; }

// A single window's is needed only for the frame in question; of several it is not known whether they will be drawn
// again until then.
bool is_to_be_kept(Window &window) {
    State &s = state();
    const bool for_still = console::still_wanted();
    if ((!capture_wanted() && !for_still) || window.clip.empty())
        return false;
    const std::int64_t frame = frames_here().complete + begins_frame(window), wanted = s.options.capture_frame;
    return for_still || !wanted || frame == wanted || (frame < wanted && s.windows.size() > 1);
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
    if (capture_wanted() && std::any_of(s.to_destroy.begin(), s.to_destroy.end(), top_level))
        s.last_pictures = tile_pictures();
}

void capture_now() {
    State &s = state();
    if (!capture_wanted())
        return;
    s.captured = true;
    if (const std::int64_t wanted = std::max<std::int64_t>(s.options.capture_frame, 1), complete = s.complete_frames();
        complete < wanted && (s.options.capture_frame || !window_system().shows_below())) {
        if (comm::rank() == 0)
            report(Report::error, "--capture: there is no frame " + std::to_string(wanted) +
                                      ": the program ended after " + std::to_string(complete));
        return;
    }
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
        const std::string file = numbered(s.options.capture, i + 1);
        std::string error;
        if (!write_png(file, sent.next(pictures[i].wall), error))
            report(Report::error, "--capture: " + error);
    }
}

} // namespace mpiglut
