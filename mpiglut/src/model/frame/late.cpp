#include "model/frame/late.h"

#include "base/state.h"
#include "gl/present/over.h"
#include "gl/present/present.h"
#include "model/console/console.h"
#include "model/frame/meeting.h"
#include "model/frame/wall_capture.h"
#include "model/loop/end.h"
#include "model/window/window_system.h"

namespace mpiglut {
namespace {

// Not the frames that a capture or the operator needs.
bool is_shown_late(const Window &window, bool front, bool frame) {
    const State &s = state();
    if (!window.shared || s.options.latency == 0 || front || !frame)
        return false;
    const std::int64_t number = s.frames.complete + 1;
    return !is_wanted(number) && !console::still_is_of(number);
}

std::function<void()> look_of_operator(Window &window) {
    if (!window.double_buffered || gl::over() == gl::Over::frozen || !console::looks_at(window))
        return {};
    return [&window] { console::look_at(window, false, true); };
}

} // namespace

void present_frame(Window &window, bool front, bool frame, const std::function<bool()> &meet) {
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

void show_late_frame(bool together) {
    State &s = state();
    if (!s.sharing.late)
        return;
    for (auto &[id, window] : s.windows)
        if (window->shared) {
            window_system().make_current(id);
            gl::show_late(*window, {.look = look_of_operator(*window),
                                    .meet = [together] { return !together || meet_before_show(); }});
        }
}

} // namespace mpiglut
