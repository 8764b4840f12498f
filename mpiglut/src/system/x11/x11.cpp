#include "system/x11/x11.h"

#include "base/locks.h"
#include "base/sockets.h"
#include "run/options.h"
#include "sync/comm.h"
#include "system/x11/heap.h"
#include "system/x11/threads.h"

#include <atomic>
#include <cstdlib>

namespace mpiglut::x11 {
namespace {

std::atomic<bool> at_work{false};
const RunOptions *run; ///< set before `at_work`

/// Signal handlers and functions that run before a thread's other variables are made ask for it.
__attribute__((tls_model("initial-exec"))) thread_local int depth_of_ours = 0;

const std::string none;

} // namespace

bool active() { return at_work.load(std::memory_order_acquire); }

bool give_way_to_glut() {
    if (!active())
        return true;
    if (comm::started())
        return false;
    setenv("DISPLAY", run->tile_display.c_str(), 1);
    setenv("XAUTHORITY", run->tile_authority.c_str(), 1);
    at_work = locks::ordered = false;
    return true;
}

const std::string &tile_display() { return active() ? run->tile_display : none; }

Ours::Ours() { ++depth_of_ours; }
Ours::~Ours() { --depth_of_ours; }
bool Ours::here() { return depth_of_ours != 0; }

} // namespace mpiglut::x11

void mpiglut::sockets::begin(const RunOptions &options) {
    x11::run = &options;
    x11::at_work = options.system == System::x11;
    if (x11::at_work)
        x11::begin_heap();
    if (x11::at_work && options.threads == Threads::ordered)
        x11::begin_order();
}
