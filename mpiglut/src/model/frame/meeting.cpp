#include "model/frame/meeting.h"

#include "base/real.h"
#include "base/state.h"
#include "clock/clock.h"
#include "clock/role.h"
#include "model/frame/drawing.h"
#include "model/frame/sharing.h"
#include "sync/comm.h"

#include <GL/gl.h>

namespace mpiglut {
namespace {

std::int64_t waited_in_ticks = 0;

/// Counts how long `meet` takes.
template <class Meet> bool waiting(Meet &&meet) {
    const std::int64_t before = clock::real_monotonic_ns();
    const bool together = meet();
    const std::int64_t waited = clock::real_monotonic_ns() - before;
    {
        const auto lock = lock_geometry();
        state().times.swap_wait_ns += waited;
    }
    if (role() != Role::drawing)
        waited_in_ticks += waited;
    return together;
}

// A tick with several frames, as of a program with its own loop inside a callback: time has to go on there too.
bool meet_with_new_stamp() {
    clock::Stamp stamp = clock::next_stamp();
    if (!comm::broadcast_value(comm::Collective::swap, stamp))
        return false;
    clock::set_stamp(stamp);
    return true;
}

} // namespace

bool meet_before_show() {
    if (comm::size() == 1 && role() != Role::drawing)
        return true;
    return waiting([] { return comm::barrier(comm::Collective::swap); });
}

bool meet_the_others(bool frame) {
    if (!frame)
        return meet_before_show();
    const bool beside = role() == Role::drawing, again = !frames_here().swap_times.empty();
    if (comm::size() == 1 && !again && !beside)
        return true;
    return waiting([&] {
        if (beside) {
            meet_beside();
            return true;
        }
        return again                    ? meet_with_new_stamp()
               : state().sharing.wanted ? meet_with_times()
                                        : comm::barrier(comm::Collective::swap);
    });
}

void meet_when_drawn(bool frame) {
    // Who catches up leaves the GPU behind a little, but not so far that all wait for it at the first frame together.
    constexpr std::int64_t most_frames_behind = 8;
    if (comm::size() > 1 && (!comm::catching_up() || frames_here().complete % most_frames_behind == 0))
        REAL(glFinish)();
    meet_the_others(frame);
}

std::int64_t waited_for_swaps_ns() { return waited_in_ticks; }

} // namespace mpiglut
