// What this thread is to the wall. All ranks do the same in the same order within one thread; between two threads there
// is no such order. So what the ranks do together is numbered for each thread by itself, and each has a clock.
#pragma once

#include <atomic>
#include <pthread.h>

namespace mpiglut {

enum class Role {
    ticks,   ///< executes the ticks: it runs the program's callbacks
    drawing, ///< the one other thread that draws in windows of the wall
    other
};
inline constexpr int roles_in_step = 2;

/// This thread's. From any thread, at any time.
Role role();
inline bool is_in_step() { return role() != Role::other; }

/// Where threads have one order on all ranks (--threads ordered), each of them has the ticks while this lives: what ranks do
/// together, such as a swap, is one thread's at a time, in the order of rank 0's program. Else without effect.
class TicksHere {
  public:
    TicksHere();
    ~TicksHere();
    TicksHere(const TicksHere &) = delete;
    TicksHere &operator=(const TicksHere &) = delete;

  private:
    bool taken_;
    pthread_t before_{}; ///< who has them otherwise
};
/// More than one thread has had them: what a thread does outside of its turn belongs to no tick.
inline std::atomic<bool> ticks_move{false};
/// Who keeps the order. Set once, before there are threads.
struct TicksOrder {
    bool (*possible)(); ///< this thread's place in the order is known
    void (*begin)();    ///< waits until all ranks have come as far
    void (*end)();
};
inline const TicksOrder *ticks_order = nullptr;
inline bool may_have_ticks() { return ticks_order && ticks_order->possible(); }

/// This thread draws from here on: false where another thread does so already.
bool begin_drawing();
/// At the end of the thread that draws; then another one may begin.
void end_drawing();
/// Some thread of this rank draws at the moment.
bool someone_draws();

} // namespace mpiglut
