#include "glut/frame.h"

#include "base/export.h"
#include "base/real.h"
#include "base/state.h"
#include "clock/clock.h"
#include "gl/present.h"
#include "run/report.h"
#include "sync/comm.h"

#include <GL/freeglut.h>
#include <GL/glx.h>

#include <cstdlib>
#include <cstring>

namespace mpiglut {
namespace {

std::int64_t display_began = 0, waited_in_display = 0, frames_before_display = 0;

bool capture_wanted() { return !state().options.capture.empty() && !state().captured; }

// A back buffer is gone once it is shown, so the picture is kept before. The first window's is needed only for the
// frame in question; of the others nobody knows whether they will be drawn again until then.
void keep_picture(Window &window, bool front) {
    State &s = state();
    if (!capture_wanted())
        return;
    const bool this_frame = s.options.capture_frame == 0 || s.frames + 1 == s.options.capture_frame;
    if (window.id == s.first && !this_frame)
        return;
    const gl::Part &part = window.surface.part;
    Picture picture(part.width, part.height);
    picture.rgb = gl::read_rgb(window.surface, front);
    window.shown = std::move(picture);
}

// A tick with several frames, as of a program with a loop of its own inside a callback: time has to go on there too.
void meet_with_new_stamp() {
    clock::Stamp stamp = clock::next_stamp();
    if (comm::broadcast(comm::Collective::swap, std::as_writable_bytes(std::span(&stamp, 1))))
        clock::set_stamp(stamp);
}

void meet_the_others() {
    if (comm::size() == 1 && state().swap_times.empty())
        return;
    const std::int64_t before = clock::real_monotonic_ns();
    if (state().swap_times.empty())
        comm::barrier(comm::Collective::swap);
    else
        meet_with_new_stamp();
    const std::int64_t waited = clock::real_monotonic_ns() - before;
    state().times.swap_wait_ns += waited;
    waited_in_display += waited;
}

// Meets the others once the GPU has drawn what it was given: a swap that waits for drawing comes later than the others.
void meet_when_drawn() {
    if (comm::size() > 1)
        REAL(glFinish)();
    meet_the_others();
}

void end_run_if_over() {
    State &s = state();
    // A frame beyond the last one within one tick: a program with a loop of its own inside a callback.
    if (s.options.frames && s.frames >= s.options.frames) {
        finish_frames();
        std::exit(EXIT_SUCCESS);
    }
}

void count_frame(bool swapped) {
    State &s = state();
    if (comm::size() > 1 && !s.options.stats.empty())
        REAL(glFinish)(); // the swap skew is that of pictures, not of calls
    const std::int64_t now = clock::real_monotonic_ns();
    ++s.frames;
    s.frame_tick = s.tick;
    if (!s.times.frames++)
        s.times.first_frame_ns = now;
    s.times.last_frame_ns = now;
    s.swap_times.push_back(now);
    note(Did::frames, s.frames, swapped);
}

// Pictures of a window and of what lies in it, bottom to top, into the tile's.
void paste_window(Picture &tile, const Window &window) {
    if (!window.visible || window.clip.empty())
        return;
    const pixmpi::Rect &origin = state().tile().rect;
    if (!window.shown.rgb.empty())
        paste(tile, window.shown, window.clip.x - origin.x, window.clip.y - origin.y);
    for (int child : window.children)
        paste_window(tile, *state().window(child));
}

Picture tile_picture() {
    State &s = state();
    Picture tile(s.tile().rect.width, s.tile().rect.height);
    for (int id : s.top_level)
        paste_window(tile, *s.window(id));
    return tile;
}

} // namespace

void keep_last_picture() {
    if (capture_wanted())
        state().last_picture = tile_picture();
}

void begin_display(Window &window) {
    State &s = state();
    if (window.id == s.first)
        end_run_if_over();
    display_began = clock::real_monotonic_ns();
    waited_in_display = 0;
    frames_before_display = s.frames;
}

void end_display(Window &window) {
    State &s = state();
    s.times.draw_ns += clock::real_monotonic_ns() - display_began - waited_in_display;
    const bool shows_itself = !window.double_buffered || gl::draws_to_front();
    const bool frame = window.id == s.first && s.frames == frames_before_display;
    if (!shows_itself && !frame)
        return;
    if (shows_itself) {
        keep_picture(window, true);
        REAL(glFlush)();
    } else {
        keep_picture(window, false); // double-buffered and not swapped: this is as much of a picture as there is
    }
    const auto meet = [frame] {
        if (frame)
            meet_the_others();
    };
    if (shows_itself && gl::is_presented(window))
        gl::present(window, true, meet);
    else if (frame)
        meet_when_drawn();
    if (frame)
        count_frame(false);
}

void swap(Window &window, const std::function<void()> &exchange) {
    State &s = state();
    const bool frame = window.id == s.first;
    if (frame)
        end_run_if_over();
    keep_picture(window, false);
    if (gl::is_presented(window)) {
        gl::present(window, !window.double_buffered, meet_the_others);
    } else {
        meet_when_drawn();
        exchange();
    }
    if (frame)
        count_frame(true);
}

void finish_frames() {
    State &s = state();
    if (capture_wanted() && s.options.capture_frame && s.frames >= s.options.capture_frame)
        capture_now();
    if (s.options.frames && s.frames >= s.options.frames)
        std::exit(EXIT_SUCCESS);
}

void capture_now() {
    State &s = state();
    if (!capture_wanted())
        return;
    s.captured = true;
    if (s.wall.from_window && s.wall.width == 0)
        return report(Report::note, "nothing captured: the program made no window");
    const Picture mine = s.first ? tile_picture() : s.last_picture;
    std::vector<comm::Bytes> all;
    comm::gather(comm::Collective::capture, std::as_bytes(std::span(mine.rgb)), all);
    if (comm::rank() != 0)
        return;
    std::vector<Picture> tiles;
    for (const pixmpi::Tile &tile : s.wall.tiles) {
        Picture &picture = tiles.emplace_back(tile.rect.width, tile.rect.height);
        if (all[tile.rank].size() == picture.rgb.size())
            std::memcpy(picture.rgb.data(), all[tile.rank].data(), picture.rgb.size());
    }
    std::string error;
    if (!write_png(s.options.capture, assemble(s.wall, tiles), error))
        report(Report::note, "--capture " + s.options.capture + ": " + error);
}

} // namespace mpiglut

MPIGLUT_EXPORT void glXSwapBuffers(Display *display, GLXDrawable drawable) {
    using namespace mpiglut;
    if (active())
        for (auto &[id, window] : state().windows)
            if (window->x_window == drawable)
                return swap(*window, [&] { REAL(glXSwapBuffers)(display, drawable); });
    REAL(glXSwapBuffers)(display, drawable);
}
