#include "base/state.h"

#include "base/lookup.h"
#include "base/process.h"
#include "base/real.h"
#include "base/sockets.h"
#include "children/together.h"
#include "clock/clock.h"
#include "clock/role.h"
#include "clock/virtual.h"
#include "files/served.h"
#include "model/window/window_system.h"
#include "run/report.h"
#include "sync/comm.h"

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace mpiglut {

State &state() {
    // Never destroyed: callbacks and atexit handlers may come after the destructors of static objects.
    static State *const the_state = new State;
    return *the_state;
}

bool active() {
    // Another thread's exit takes FreeGLUT down: a timer or a callback that is at work would find it gone.
    if (role() == Role::ticks)
        comm::stay_if_over();
    return state().running;
}

Digest &current_digest() {
    static thread_local Digest of_no_tick;
    return clock::on_main_thread() && !ticks_move ? state().digest : of_no_tick;
}

bool in_step(const char *call) {
    if (is_in_step() || may_have_ticks())
        return true;
    report_once(Report::note, std::string(call) + " in a third thread: the tiles do it each by itself, out of step; " +
                                  "expected in the main loop's thread or in a single further one, which draws");
    return false;
}

bool glut_active(const char *call) {
    if (!active())
        return false;
    if (role() != Role::ticks)
        report_once(Report::note, std::string(call) + " in another thread than the main loop's: each tile does it at "
                                                      "another time, so the ranks may diverge; expected in the main "
                                                      "loop's thread (docs/reference/walls.md, Threads)");
    return true;
}

Frames &frames_here() { return role() == Role::drawing ? state().frames_beside : state().frames; }

Window *State::window(int id) {
    auto found = windows.find(id);
    return found == windows.end() ? nullptr : found->second.get();
}

Window *State::current() { return windows.empty() ? nullptr : window(window_system().current()); }

void fail(const std::string &why) {
    report(Report::error, why);
    std::fflush(nullptr);
    REAL(_exit)(EXIT_FAILURE);
    __builtin_unreachable();
}

namespace {

// Before main, so that the program's very first look at the clock is the launcher's.
__attribute__((constructor, no_stack_protector)) void load() {
    std::string error;
    const std::optional<RunOptions> options = options_from_environment(error);
    if (!error.empty())
        fail(error);
    if (!options)
        return;
    State &s = state();
    s.launched = true;
    s.options = *options;
    server_lacks_glx(s.options.system == System::x11);
    set_report_fd(s.options.report_fd);
    clock::begin(s.options);
    files::begin(s.options);
    children::begin(s.options);
    sockets::begin(s.options);
    prepare_children();
    share_stack_guard(s.options.stack_guard);
    // A pipe would make stdio hold back what the program prints until it ends, or lose it if it crashes.
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
}

} // namespace
} // namespace mpiglut
