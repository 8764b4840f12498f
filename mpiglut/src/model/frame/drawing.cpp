#include "model/frame/drawing.h"

#include "base/state.h"
#include "clock/clock.h"
#include "clock/role.h"
#include "gl/context/parts.h"
#include "gl/present/present.h"
#include "run/report.h"
#include "sync/comm.h"

#include <algorithm>
#include <atomic>
#include <pthread.h>
#include <utility>

namespace mpiglut {
namespace {

std::atomic<bool> drew{false};
bool parts_changed = false; ///< the thread's alone

/// What each rank says when the threads meet.
struct Word {
    clock::Stamp stamp;
    std::uint64_t posts = 0;       ///< of parts, see gl/context/parts.h
    std::int64_t last_swap_ns = 0; ///< on rank 0's clock
};

void end_of_thread(void *) {
    comm::close_drawing();
    {
        const auto lock = lock_geometry();
        for (auto &[id, window] : state().windows)
            window->beside = false;
    }
    end_drawing();
}

/// Not a thread-local object: `exit` would destroy that before its handlers run.
void notice_end_of_thread() {
    static const pthread_key_t key = [] {
        pthread_key_t made{};
        pthread_key_create(&made, end_of_thread);
        return made;
    }();
    pthread_setspecific(key, &drew);
}

void note_swaps_of_all(std::int64_t frame, const std::vector<Word> &words) {
    for (std::size_t r = 0; r < words.size() && frame > 0; ++r)
        comm::note_swaps(static_cast<int>(r), frame, std::span(&words[r].last_swap_ns, 1));
}

void meet(comm::Collective kind, const clock::Stamp &stamp) {
    State &s = state();
    std::vector<std::int64_t> &swaps = s.frames_beside.swap_times;
    Word mine{stamp, gl::posted(), swaps.empty() ? 0 : comm::on_rank_0(swaps.back())};
    swaps.clear();
    std::vector<Word> words; // none where the ranks have parted ways
    if (comm::size() > 1 && !comm::all_values(kind, mine, words))
        words.clear();
    if (comm::rank() == 0)
        note_swaps_of_all(s.frames_beside.complete, words);
    for (const Word &word : words)
        mine.posts = std::min(mine.posts, word.posts);
    clock::set_stamp(words.empty() ? stamp : words.front().stamp);
    parts_changed |= gl::agree_on_parts(mine.posts);
}

void mark_beside(unsigned long x_window) {
    const auto lock = lock_geometry();
    if (Window *window = window_of(x_window))
        window->beside = true;
}

} // namespace

void draw_beside(unsigned long x_window) {
    const bool begins = !is_in_step() && !may_have_ticks();
    if (begins && !comm::can_draw_beside())
        return report_once(Report::note,
                           "a thread other than the main loop's draws, but the program has started MPI for "
                           "one thread: expected MPI_Init_thread with MPI_THREAD_MULTIPLE, or glutInit "
                           "first; the tiles draw each by itself");
    if (begins)
        begin_drawing();
    if (role() != Role::drawing)
        return;
    mark_beside(x_window);
    if (begins) {
        comm::open_drawing();
        notice_end_of_thread();
        meet(comm::Collective::drawing, clock::first_stamp_of_drawing());
    }
}

void meet_beside() { meet(comm::Collective::swap, clock::next_stamp()); }

void end_frame_beside() {
    State &s = state();
    comm::end_frame(s.frames_beside.complete);
    const gl::Surface *surface = gl::current_surface();
    if (std::exchange(parts_changed, false) && surface) {
        const auto lock = lock_geometry();
        if (Window *window = s.window(surface->window))
            gl::resize_drawable(*window);
        gl::draw_agreed_part();
    }
    gl::fit_drawable();
    drew = true;
}

bool drawn_beside() { return drew; }

} // namespace mpiglut
