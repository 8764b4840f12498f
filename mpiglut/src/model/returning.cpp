#include "model/returning.h"

#include "base/real.h"
#include "base/state.h"
#include "system/system/system/glut/backend.h"
#include "model/frame.h"
#include "run/report.h"
#include "sync/comm.h"

#include <GL/freeglut.h>
#include <X11/Xlib.h>

namespace mpiglut {

void appear_if_caught_up() {
    State &s = state();
    static bool appeared = s.options.stream_fd < 0;
    if (appeared || comm::catching_up())
        return;
    appeared = true;
    // What the window system said until now, of windows that are new here, is old to the program.
    if (s.display)
        XSync(s.display, False);
    pump_window_system();
    s.outbox.clear();
    const int current = REAL(glutGetWindow)();
    for (const auto &[id, window] : s.windows) {
        if (!window->unseen)
            continue;
        window->unseen = false;
        REAL(glutSetWindow)(id);
        show_unseen(*window);
    }
    if (current && s.window(current))
        REAL(glutSetWindow)(current);
    s.times = {};                     // they tell of the wall, not of the way here
    report(Report::note, "rejoined"); // for the launcher
}

} // namespace mpiglut
