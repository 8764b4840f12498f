#include "model/frame/returning.h"

#include "base/state.h"
#include "model/frame/frame.h"
#include "model/window/window_system.h"
#include "run/report.h"
#include "sync/comm.h"

namespace mpiglut {

void appear_if_caught_up() {
    State &s = state();
    static bool appeared = s.options.stream_fd < 0;
    if (appeared || comm::catching_up())
        return;
    appeared = true;
    // What the window system said until now, of windows that are new here, is old to the program.
    window_system().settle();
    pump_window_system();
    s.outbox.clear();
    for (const auto &[id, window] : s.windows) {
        if (!window->unseen)
            continue;
        window->unseen = false;
        with_current(*window, [&shown = *window] { show_unseen(shown); });
    }
    s.times = {};                     // they tell of the wall, not of the way here
    report(Report::note, "rejoined"); // for the launcher
}

} // namespace mpiglut
