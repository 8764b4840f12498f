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

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace mpiglut {
namespace {

std::int64_t display_began = 0, waited_in_display = 0, frames_before_display = 0, shows_before_display = 0;

// What several windows show in one tick is one frame. A window that is shown once more begins another.
bool begins_frame(const Window &window) { return !state().frame_open || window.shown_frame == state().frames; }

bool capture_wanted() { return !state().options.capture.empty() && !state().captured; }

// A back buffer is gone once it is shown, so the picture is kept before. A single window's is needed only for the frame
// in question; of several nobody knows whether they will be drawn again until then.
void keep_picture(Window &window, bool front) {
    State &s = state();
    if (!capture_wanted())
        return;
    const std::int64_t frame = s.frames + begins_frame(window), wanted = s.options.capture_frame;
    if (wanted && (frame > wanted || (frame < wanted && s.windows.size() == 1)))
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

void meet_the_others(bool frame) {
    const std::int64_t before = clock::real_monotonic_ns();
    if (frame && !state().swap_times.empty())
        meet_with_new_stamp();
    else
        comm::barrier(comm::Collective::swap);
    const std::int64_t waited = clock::real_monotonic_ns() - before;
    state().times.swap_wait_ns += waited;
    waited_in_display += waited;
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
    const std::int64_t now = clock::real_monotonic_ns();
    ++s.frames;
    s.frame_open = true;
    s.frame_tick = s.tick;
    if (!s.times.frames++)
        s.times.first_frame_ns = now;
    s.times.last_frame_ns = now;
    s.swap_times.push_back(now);
    note(Did::frames, s.frames, swapped);
}

void count_show(Window &window, bool frame, bool swapped) {
    if (frame)
        count_frame(swapped);
    ++window.shows;
    window.shown_frame = state().frames;
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
    if (begins_frame(window))
        end_run_if_over();
    display_began = clock::real_monotonic_ns();
    waited_in_display = 0;
    frames_before_display = s.frames;
    shows_before_display = window.shows;
}

void end_display(Window &window) {
    State &s = state();
    s.times.draw_ns += clock::real_monotonic_ns() - display_began - waited_in_display;
    const bool shows_itself = !window.double_buffered || gl::draws_to_front();
    const bool swapped = window.shows != shows_before_display;
    const bool never_swaps = window.id == s.first && !swapped && s.frames == frames_before_display;
    if (!shows_itself && !never_swaps)
        return;
    const bool frame = !swapped && begins_frame(window);
    if (shows_itself) {
        keep_picture(window, true);
        REAL(glFlush)();
    } else {
        keep_picture(window, false); // double-buffered and not swapped: this is as much of a picture as there is
    }
    if (frame)
        meet_the_others(frame);
    if (shows_itself && gl::is_presented(window))
        gl::present(window, true);
    if (!swapped)
        count_show(window, frame, false);
}

void swap(Window &window, const std::function<void()> &exchange) {
    const bool frame = begins_frame(window);
    if (frame)
        end_run_if_over();
    keep_picture(window, false);
    meet_the_others(frame);
    if (gl::is_presented(window))
        gl::present(window, !window.double_buffered);
    else
        exchange();
    count_show(window, frame, true);
}

void finish_frames() {
    State &s = state();
    s.frame_open = false;
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
    if (const std::int64_t wanted = std::max<std::int64_t>(s.options.capture_frame, 1); s.frames < wanted) {
        if (comm::rank() == 0)
            report(Report::error, "--capture: there is no frame " + std::to_string(wanted) +
                                      ": the program ended after " + std::to_string(s.frames));
        return;
    }
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
        report(Report::error, "--capture: " + error);
}

void engage_swap_control(Window &window) {
    State &s = state();
    if (window.id != s.first)
        return;
    if (comm::size() == 1) {
        s.swap_method = "driver";
        return;
    }
    s.swap_method = "software barrier";
    Display *display = glXGetCurrentDisplay();
    const char *extensions = glXQueryExtensionsString(display, DefaultScreen(display));
    auto has = [&](const char *name) { return extensions && std::strstr(extensions, name); };
    auto function = [](const char *name) { return glXGetProcAddressARB(reinterpret_cast<const GLubyte *>(name)); };
    if (has("GLX_NV_swap_group")) {
        auto join = reinterpret_cast<PFNGLXJOINSWAPGROUPNVPROC>(function("glXJoinSwapGroupNV"));
        auto bind = reinterpret_cast<PFNGLXBINDSWAPBARRIERNVPROC>(function("glXBindSwapBarrierNV"));
        if (join && bind && join(display, window.x_window, 1)) {
            s.swap_method += ", GLX_NV_swap_group";
            if (bind(display, 1, 1))
                s.swap_method += " with its barrier";
        }
    }
    // Tearing is one tile's own affair, so each waits for its retrace once the barrier is passed.
    if (has("GLX_SGI_swap_control")) {
        auto interval = reinterpret_cast<PFNGLXSWAPINTERVALSGIPROC>(function("glXSwapIntervalSGI"));
        if (interval && interval(1) == 0)
            s.swap_method += ", GLX_SGI_swap_control";
    }
    if (comm::rank() == 0)
        report_once(Report::note, "swaps in step by: " + s.swap_method);
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
