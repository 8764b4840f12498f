#include "system/x11/tile_system.h"

#include "base/state.h"
#include "clock/clock.h"
#include "model/join.h"
#include "system/x11/x11.h"

#include <mutex>

namespace mpiglut::x11 {

void begin_wall() {
    static auto *const mutex = new std::recursive_mutex;
    const std::lock_guard lock(*mutex);
    State &s = state();
    static bool begun = false;
    if (begun || !active())
        return;
    begun = true;
    const Ours ours;
    clock::run_ticks_here();
    join(*new System); // of use until the very end of the process
    s.running = true;
    s.init_ns = clock::is_virtual() ? clock::stamp().monotonic_ns : clock::real_monotonic_ns();
}

void System::screen_size(int &width, int &height) {
    width = 1920;
    height = 1080;
}

} // namespace mpiglut::x11
