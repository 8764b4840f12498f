#include "model/loop/end.h"

#include "base/export.h"
#include "base/process.h"
#include "base/real.h"
#include "base/sockets.h"
#include "base/state.h"
#include "children/together.h"
#include "clock/callers.h"
#include "clock/clock.h"
#include "clock/role.h"
#include "gl/context/context.h"
#include "model/frame/late.h"
#include "model/frame/wall_capture.h"
#include "model/window/window_system.h"
#include "model/window/windows.h"
#include "run/report.h"
#include "sync/comm.h"

#include <GL/gl.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <thread>
#include <unistd.h>

namespace mpiglut {
namespace {

// Ranks that behave alike come as late as the slowest draws; one that does something else is noticed at once.
constexpr double longest_meeting_s = 30;
// Everything is saved by then. Ranks of some MPIs wait for each other in MPI_Finalize forever.
constexpr std::chrono::seconds longest_finalize(5);

volatile std::sig_atomic_t end_requested = 0;

std::int64_t processor_time_ns() {
    timespec time{};
    REAL(clock_gettime)(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * 1'000'000'000ll + time.tv_nsec;
}

const char *clock_name(ClockMode mode) {
    switch (mode) {
    case ClockMode::wall: return "wall";
    case ClockMode::step: return "step";
    default: return "off";
    }
}

// `together`: all ranks are here, so that their numbers can be collected.
void write_stats(bool together) {
    State &s = state();
    if (s.options.stats.empty())
        return;
    s.times.cpu_ns = processor_time_ns();
    std::vector<comm::Bytes> all;
    if (together)
        comm::gather(comm::Collective::stats, pack(s.times), all);
    if (comm::rank() != 0)
        return;
    std::vector<TileTimes> tiles(comm::size());
    tiles[0] = s.times;
    for (std::size_t r = 1; r < all.size(); ++r)
        unpack(all[r], tiles[r]);
    std::string error;
    const pixmpi::Wall &wall = s.wall.width ? s.wall : s.plan;
    if (!s.stats->write(s.options.stats, wall, tiles, comm::hosts(), clock_name(s.options.clock), s.swap_method, error))
        report(Report::error, "--stats: " + error);
}

void stop_or_leave(int status) {
    static std::atomic<bool> stopped{false};
    std::thread([status] {
        std::this_thread::sleep_for(longest_finalize);
        if (!stopped)
            REAL(_exit)(status);
    }).detach();
    comm::stop();
    stopped = true;
}

// The handlers that were there before this one are FreeGLUT's, the driver's and MPI's. In a child they would take down
// what the parent goes on using, or wait for threads that a child does not have.
void at_exit_of_child(int status, void *) {
    if (!comm::started() || is_rank())
        return;
    std::fflush(nullptr);
    REAL(_exit)(status);
}

// Every rank comes here by itself, in the same callback if the program behaves alike on all of them.
void at_exit(int status, void *) {
    at_exit_of_child(status, nullptr);
    State &s = state();
    if (!comm::started())
        return;
    // Another thread than the main loop's may end the run: that loop stays where it is, but with no lock.
    static auto *const held = new auto(hold_window_system());
    static_cast<void>(held);
    const auto lock = lock_geometry();
    sockets::end(status);
    report(Report::note, "saving"); // the launcher gives more time
    children::end();
    const bool together = comm::meet(longest_meeting_s);
    if (together)
        capture_last_frame();
    write_stats(together);
    report(Report::note, "saved");
    s.running = false; // destructors that still call GLUT or GL find FreeGLUT itself
    std::fflush(nullptr);
    if (!together)
        REAL(_exit)(status);
    stop_or_leave(status);
}

void at_signal(int signal) {
    if (is_rank()) {
        end_requested = 1;
        report_in_handler("note: ending\n"); // the launcher waits for the end of the frame
        return;
    }
    std::signal(signal, SIG_DFL);
    raise(signal); // a child ends of it when this handler returns
}

void leave_nothing_on_its_way() {
    if (active() && is_rank() && role() == Role::ticks && gl::has_context())
        show_late_frame(false);
}

/// For the ways of ending that run no exit handlers.
void before_leaving(int status, const void *caller) {
    static bool leaving = false;
    if (leaving || !active() || !is_rank() || clock::origin_of_call(caller) != clock::Origin::program ||
        in_signal_handler())
        return;
    leaving = true;
    leave_nothing_on_its_way();
    at_exit(status, nullptr);
}

} // namespace

void prepare_end() {
    static bool prepared = false;
    if (prepared)
        return;
    prepared = true;
    on_exit(at_exit, nullptr);
    for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction current {};
        sigaction(signal, nullptr, &current);
        // The program's own wish; each rank's would come at another place, so one that shares a connection ends together.
        if (current.sa_handler == SIG_IGN || (current.sa_handler != SIG_DFL && state().options.system != System::x11))
            continue;
        current.sa_handler = at_signal;
        current.sa_flags = SA_RESTART;
        sigaction(signal, &current, nullptr);
    }
}

void spare_children_the_driver() {
    static bool spared = false;
    if (!spared)
        on_exit(at_exit_of_child, nullptr);
    spared = true;
}

void leave_nothing_on_its_way_at_exit() {
    static const bool registered = std::atexit(leave_nothing_on_its_way) == 0;
    static_cast<void>(registered);
}

void leave_at_once(int status) {
    at_exit(status, nullptr);
    REAL(_exit)(status);
}

bool interrupted() { return end_requested != 0; }

void end_session() {
    State &s = state();
    while (!s.top_level.empty()) {
        for (int id : s.top_level)
            destroy_window(id);
        destroy_marked_windows();
    }
    s.timers.clear();
    s.idle = {};
    s.menus = {};
    window_system().close();
    s.running = false;
}

} // namespace mpiglut

// What was drawn and never shown is finished while the driver is whole: FreeGLUT closes the display in an exit handler,
// after the driver's compiler has been taken down, and a picture that has to be compiled for then hangs or crashes.
MPIGLUT_EXPORT void exit(int status) noexcept {
    static bool leaving = false; // the display may be lost, and Xlib then calls exit once more
    if (mpiglut::active() && !leaving && mpiglut::gl::has_context()) {
        leaving = true;
        mpiglut::leave_nothing_on_its_way(); // its pixels are unpacked by the driver, too
        REAL(glFinish)();
    }
    REAL(exit)(status);
    __builtin_unreachable();
}

MPIGLUT_EXPORT void _exit(int status) {
    mpiglut::before_leaving(status, __builtin_return_address(0));
    REAL(_exit)(status);
    __builtin_unreachable();
}

MPIGLUT_EXPORT void _Exit(int status) noexcept {
    mpiglut::before_leaving(status, __builtin_return_address(0));
    REAL(_exit)(status);
    __builtin_unreachable();
}

MPIGLUT_EXPORT void quick_exit(int status) noexcept {
    mpiglut::before_leaving(status, __builtin_return_address(0));
    REAL(quick_exit)(status);
    __builtin_unreachable();
}
