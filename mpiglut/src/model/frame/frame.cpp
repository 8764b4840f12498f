#include "model/frame/frame.h"

#include "base/real.h"
#include "base/state.h"
#include "clock/clock.h"
#include "clock/role.h"
#include "gl/context/parts.h"
#include "gl/present/correction.h"
#include "gl/present/over.h"
#include "gl/present/present.h"
#include "model/console/console.h"
#include "model/frame/cutting.h"
#include "model/frame/drawing.h"
#include "model/frame/late.h"
#include "model/frame/meeting.h"
#include "model/frame/sharing.h"
#include "model/frame/wall_capture.h"
#include "model/window/behind.h"
#include "model/window/window_system.h"
#include "sync/comm.h"

#include <GL/gl.h>

#include <cstdlib>
#include <utility>

namespace mpiglut {
namespace {

std::int64_t display_began = 0, waited_before_display = 0, frames_before_display = 0, shows_before_display = 0;

Shows &shows_here(Window &window) { return role() == Role::drawing ? window.shows_beside : window.shows; }

void end_run_if_over() {
    State &s = state();
    // A frame beyond one within one tick: a program with its own loop inside a callback.
    capture_complete_frames(frames_here().complete);
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
        console::write_frame(std::exchange(s.times.last_frame_ns, now), now);
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

void begin_display(Window &window) {
    State &s = state();
    if (begins_frame(window))
        end_run_if_over();
    display_began = clock::real_monotonic_ns();
    begin_rendering();
    waited_before_display = waited_for_swaps_ns();
    frames_before_display = s.frames.complete;
    shows_before_display = window.shows.times;
}

void end_display(Window &window) {
    State &s = state();
    s.times.draw_ns += clock::real_monotonic_ns() - display_began - (waited_for_swaps_ns() - waited_before_display);
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
        present_frame(window, shows_itself, frame, [frame] { return !frame || meet_the_others(frame); });
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
    if (frame)
        look_at_cut_frame(window);
    auto lock = lock_geometry();
    window.beside = role() == Role::drawing;
    if (gl::is_presented(window)) {
        if (!window.double_buffered)
            console::look_at(window, true, false);
        present_frame(window, !window.double_buffered, frame, [&] {
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
        if (frame)
            prepare_next_cut(window);
        draw_behind_if_asked();
    } else if (frame) {
        end_frame_beside();
        finish_frames();
    }
}

void show_unseen(Window &window) {
    if (!gl::is_presented(window)) // else it has been drawn, and is to be shown
        draw_for_operator(window);
    if (gl::over() != gl::Over::frozen)
        window_system().show(window);
}

void finish_frames() {
    State &s = state();
    const std::int64_t complete = frames_here().complete;
    capture_complete_frames(complete);
    if (console::still_due(complete))
        console::put_still(tile_pictures());
    if (s.options.frames && complete >= s.options.frames) {
        show_late_frame();
        std::exit(EXIT_SUCCESS);
    }
}

} // namespace mpiglut
