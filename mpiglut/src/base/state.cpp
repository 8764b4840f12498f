#include "base/state.h"

#include "base/real.h"
#include "clock/clock.h"
#include "run/report.h"
#include "sync/comm.h"

#include <GL/freeglut.h>

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace mpiglut {

State &state() {
    // Never destroyed: callbacks and atexit handlers may come after the destructors of static objects.
    static State *const the_state = new State;
    return *the_state;
}

bool active() { return state().running; }
Digest &current_digest() { return state().digest; }

Window *State::window(int id) {
    auto found = windows.find(id);
    return found == windows.end() ? nullptr : found->second.get();
}

Window *State::current() { return window(REAL(glutGetWindow)()); }

void fail(const std::string &why) {
    report(Report::error, why);
    std::fflush(nullptr);
    _exit(EXIT_FAILURE);
}

namespace {

// Before main, so that the program's very first look at the clock is the launcher's.
__attribute__((constructor)) void load() {
    const char *json = std::getenv(run_variable);
    if (!json)
        return;
    State &s = state();
    std::string error;
    std::optional<RunOptions> options = from_json(json, error);
    if (!options)
        fail(std::string(run_variable) + ": " + error);
    s.launched = true;
    s.options = *options;
    set_report_fd(s.options.report_fd);
    clock::begin(s.options);
    // A pipe would make stdio hold back what the program prints until it ends, or lose it if it crashes.
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
}

} // namespace
} // namespace mpiglut
