#include "model/frame.h"

#include "base/real.h"
#include "base/state.h"
#include "clock/clock.h"
#include "clock/role.h"
#include "gl/correction.h"
#include "gl/over.h"
#include "gl/parts.h"
#include "gl/present.h"
#include "model/behind.h"
#include "model/console.h"
#include "model/drawing.h"
#include "model/end.h"
#include "model/sharing.h"
#include "model/window_system.h"
#include "run/report.h"
#include "sync/comm.h"

#include <GL/gl.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace mpiglut {
namespace {

std::int64_t display_began = 0, waited_in_display = 0, frames_before_display = 0, shows_before_display = 0;

Shows &shows_here(Window &window) { return role() == Role::drawing ? window.shows_beside : window.shows; }

bool capture_wanted() { return !state().options.capture.empty() && !state().captured; }

// A back buffer is gone once it is shown, so the picture is kept before. A single window's is needed only for the frame
// in question; of several it is not known whether they will be drawn again until then.
bool is_to_be_kept(Window &window) {
    State &s = state();
    const bool for_still = console::still_wanted();
    if ((!capture_wanted() && !for_still) || window.clip.empty())
        return false;
    const std::int64_t frame = frames_here().complete + begins_frame(window), wanted = s.options.capture_frame;
    return for_still || !wanted || frame == wanted || (frame < wanted && s.windows.size() > 1);
}

// With --balance latency:1, except frames that a capture or the operator needs. All ranks come to the same answer.
bool is_shown_late(const Window &window, bool front, bool frame) {
    const State &s = state();
    if (!window.shared || s.options.latency == 0 || front || !frame)
        return false;
    const std::int64_t number = s.frames.complete + 1, wanted = s.options.capture_frame;
    return !(capture_wanted() && (!wanted || number == wanted)) && !console::still_is_of(number);
}

// Of a window that shows what this rank renders in it, as it is.
void keep_picture(Window &window, bool front) {
    const auto lock = lock_geometry();
    if (!is_to_be_kept(window))
        return;
    window.shown = Picture(window.clip.width, window.clip.height);
    paste(window.shown, gl::read_part(*gl::seen_here(&window.surface), front), window.rendered.x - window.clip.x,
          window.rendered.y - window.clip.y);
}

std::function<void()> look_of_operator(Window &window) {
    if (!window.double_buffered || gl::over() == gl::Over::frozen || !console::looks_at(window))
        return {};
    return [&window] { console::look_at(window, false, true); };
}

// Of one with a picture that is put together.
void present(Window &window, bool front, bool frame, const std::function<bool()> &meet) {
    const bool late = is_shown_late(window, front, frame);
    if (!late)
        show_late_frame();
    else
        leave_nothing_on_its_way_at_exit();
    state().times.late_frames += late;
    gl::present(window, {.front = front,
                         .late = late,
                         .kept = !late && is_to_be_kept(window) ? &window.shown : nullptr,
                         .look = look_of_operator(window),
                         .meet = meet});
}

// A tick with several frames, as of a program with its own loop inside a callback: time has to go on there too.
bool meet_with_new_stamp() {
    clock::Stamp stamp = clock::next_stamp();
    if (!comm::broadcast(comm::Collective::swap, std::as_writable_bytes(std::span(&stamp, 1))))
        return false;
    clock::set_stamp(stamp);
    return true;
}

// False as for comm::barrier.
bool meet_the_others(bool frame) {
    const bool beside = role() == Role::drawing, again = frame && !frames_here().swap_times.empty();
    if (comm::size() == 1 && !again && !beside)
        return true;
    const State &s = state();
    const std::int64_t before = clock::real_monotonic_ns();
    bool together = true;
    if (beside && frame)
        meet_beside();
    else if (again)
        together = meet_with_new_stamp();
    else if (frame && s.sharing.wanted)
        together = meet_with_times();
    else
        together = comm::barrier(comm::Collective::swap);
    const std::int64_t waited = clock::real_monotonic_ns() - before;
    {
        const auto lock = lock_geometry();
        state().times.swap_wait_ns += waited;
    }
    if (!beside)
        waited_in_display += waited;
    return together;
}

// Meets the others once the GPU has drawn what it was given: a swap that waits for drawing comes later than the others.
void meet_when_drawn(bool frame) {
    // Who catches up leaves the GPU behind a little, but not so far that all wait for it at the first frame together.
    constexpr std::int64_t most_frames_behind = 8;
    if (comm::size() > 1 && (!comm::catching_up() || frames_here().complete % most_frames_behind == 0))
        REAL(glFinish)();
    meet_the_others(frame);
}

void end_run_if_over() {
    State &s = state();
    // A frame beyond the last one within one tick: a program with its own loop inside a callback.
    if (s.options.frames && frames_here().complete >= s.options.frames) {
        finish_frames();
        std::exit(EXIT_SUCCESS);
    }
}

void count_frame(bool swapped) {
    State &s = state();
    if (comm::size() > 1 && !s.options.stats.empty() && !comm::catching_up())
        REAL(glFinish)(); // the swap skew is that of pictures, not of calls
    const std::int64_t now = clock::real_monotonic_ns();
    Frames &frames = frames_here();
    ++frames.complete;
    frames.open = true;
    if (role() == Role::ticks)
        frames.tick = static_cast<std::int64_t>(s.tick);
    frames.swap_times.push_back(now);
    {
        const auto lock = lock_geometry();
        if (!s.times.frames++)
            s.times.first_frame_ns = now;
        console::tell_frame(std::exchange(s.times.last_frame_ns, now), now);
    }
    note(Did::frames, frames.complete.load(), swapped);
}

void count_show(Window &window, bool frame, bool swapped) {
    if (frame)
        count_frame(swapped);
    Shows &shows = shows_here(window);
    ++shows.times;
    shows.frame = frames_here().complete;
}

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

// A picture for each top-level window that was drawn, in the order of their creation; on a wall with a size one
// for all of them.
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
            if (bytes.size() >= at + picture.rgb.size())
                std::memcpy(picture.rgb.data(), bytes.data() + at, picture.rgb.size());
            at += picture.rgb.size();
        }
        return assemble(wall, tiles);
    }

  private:
    std::vector<comm::Bytes> all_;
    std::vector<std::size_t> read_; ///< of each rank's bytes
};

// What the operator wants to be shown is drawn over the picture that the program has drawn.
void draw_for_operator(Window &window) {
    if (gl::draws_over())
        gl::draw_over(window, [&window] { console::look_at(window, false, true); });
    else if (gl::over() != gl::Over::frozen)
        console::look_at(window, false, false);
    if (gl::corrects() && gl::over() != gl::Over::frozen && !window.clip.empty())
        gl::correct(window);
}

// While the picture is frozen the program goes on, unseen.
void show(Window &window, bool frame, const std::function<void()> &exchange) {
    const bool unseen = comm::catching_up();
    if (!unseen)
        draw_for_operator(window);
    meet_when_drawn(frame);
    if (unseen)
        window.unseen = true;
    else if (gl::over() != gl::Over::frozen)
        exchange();
}

} // namespace

bool begins_frame(Window &window) {
    const Frames &frames = frames_here();
    return !frames.open || shows_here(window).frame == frames.complete;
}

void keep_last_pictures() {
    State &s = state();
    const auto top_level = [&](int id) { return s.window(id) && !s.window(id)->parent; };
    if (capture_wanted() && std::any_of(s.to_destroy.begin(), s.to_destroy.end(), top_level))
        s.last_pictures = tile_pictures();
}

void begin_display(Window &window) {
    State &s = state();
    if (begins_frame(window))
        end_run_if_over();
    display_began = clock::real_monotonic_ns();
    begin_rendering();
    waited_in_display = 0;
    frames_before_display = s.frames.complete;
    shows_before_display = window.shows.times;
}

void end_display(Window &window) {
    State &s = state();
    s.times.draw_ns += clock::real_monotonic_ns() - display_began - waited_in_display;
    if (s.drawn_beside || gl::is_handed_over())
        return;
    const bool shows_itself = !window.double_buffered || gl::draws_to_front();
    const bool swapped = window.shows.times != shows_before_display;
    const bool never_swaps = window.id == s.first && !swapped && s.frames.complete == frames_before_display;
    if (!shows_itself && !never_swaps)
        return;
    const bool frame = !swapped && begins_frame(window);
    end_rendering();
    const bool presented = (shows_itself || window.shared) && gl::is_presented(window);
    if (!presented)
        keep_picture(window, shows_itself); // double-buffered and not swapped: this is as much of a picture as there is
    if (shows_itself) {
        if (!window.shared)
            console::look_at(window, true, false);
        REAL(glFlush)();
    }
    if (presented)
        present(window, shows_itself, frame, [frame] { return !frame || meet_the_others(frame); });
    else if (frame)
        meet_when_drawn(frame);
    if (!swapped)
        count_show(window, frame, false);
    draw_behind_if_asked();
}

void swap(Window &window, const std::function<void()> &exchange) {
    const bool frame = begins_frame(window);
    if (frame)
        end_run_if_over();
    if (role() == Role::ticks)
        end_rendering();
    auto lock = lock_geometry();
    window.beside = role() == Role::drawing;
    if (gl::is_presented(window)) {
        if (!window.double_buffered)
            console::look_at(window, true, false);
        present(window, !window.double_buffered, frame, [&] {
            lock.unlock();
            const bool together = meet_the_others(frame);
            lock.lock();
            return together;
        });
        lock.unlock();
    } else {
        lock.unlock();
        keep_picture(window, !window.double_buffered);
        show(window, frame, exchange);
    }
    count_show(window, frame, true);
    if (role() == Role::ticks) {
        begin_rendering(); // a program may draw the next frame in no display callback
        draw_behind_if_asked();
    } else if (frame) {
        end_frame_beside();
    }
}

void show_unseen(Window &window) {
    if (!gl::is_presented(window)) // else it has been drawn, and is to be shown
        draw_for_operator(window);
    if (gl::over() != gl::Over::frozen)
        window_system().show(window);
}

void show_late_frame(bool together) {
    State &s = state();
    if (!s.sharing.late)
        return;
    for (auto &[id, window] : s.windows)
        if (window->shared) {
            window_system().make_current(id);
            gl::show_late(*window, {.look = look_of_operator(*window),
                                    .meet = [together] { return !together || meet_the_others(false); }});
        }
}

void finish_frames() {
    State &s = state();
    const std::int64_t complete = frames_here().complete;
    if (capture_wanted() && s.options.capture_frame && complete >= s.options.capture_frame)
        capture_now();
    if (console::still_due(complete))
        console::put_still(tile_pictures());
    if (s.options.frames && complete >= s.options.frames) {
        show_late_frame();
        std::exit(EXIT_SUCCESS);
    }
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
