// Ticks: rank 0 says what happens and when, every rank does it.
#pragma once

#include "sync/tick.h"

#include <cstdint>
#include <functional>

namespace mpiglut {

struct Timer {
    std::int64_t due_ms; ///< GLUT_ELAPSED_TIME, in the whole milliseconds that FreeGLUT counts in
    std::uint64_t tick;  ///< when it was set
    std::function<void()> call;
    int value;
};

/// The clock that timers are measured on, without counting as a read of it.
std::int64_t program_clock_now();

/// One turn of the main loop on every rank. `wait`: with nothing to do, wait until there is; otherwise an empty tick
/// is a tick too. `with_idle`: the idle callback is part of it.
void run_tick(bool wait, bool with_idle);

/// This thread may turn the main loop: it may go over to another thread between two turns, but not within one.
bool may_turn(const char *call = __builtin_FUNCTION());
/// Turns it until the program leaves it, or no window is left.
void run_main_loop();

/// While the program waits in its own loop, between two ticks: input goes on its way. On rank 0 handle() says whether
/// an event is done with; what is left is the next tick's. Of a replay come the events that are `due` now, or the
/// `next` ones, where no frame comes without input, or `none`. `after`: as in run/record.h; -1: nothing is due yet.
enum class Replayed : std::uint8_t { none, due, next };
void pass_input(Replayed which, std::int64_t after, const std::function<bool(const Event &)> &handle);

/// When the wall begins: waits of the program's own main loop are all ranks' (clock::connect_waits).
void share_waits();

} // namespace mpiglut
