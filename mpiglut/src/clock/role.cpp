#include "clock/role.h"

#include "clock/clock.h"
#include "clock/virtual.h"

#include <atomic>

namespace mpiglut {
namespace {

std::atomic<bool> claimed{false};
__attribute__((tls_model("initial-exec"))) thread_local bool draws = false;
__attribute__((tls_model("initial-exec"))) thread_local int times_taken = 0;

} // namespace

TicksHere::TicksHere() : taken_(may_have_ticks()) {
    if (!taken_ || ++times_taken > 1)
        return;
    ticks_order->begin();
    before_ = clock::thread_of_ticks();
    clock::run_ticks_here();
    static pthread_t first = pthread_self();
    if (!pthread_equal(first, pthread_self()))
        ticks_move = true;
}

TicksHere::~TicksHere() {
    if (!taken_ || --times_taken > 0)
        return;
    clock::run_ticks_in(before_);
    ticks_order->end();
}

Role role() { return draws ? Role::drawing : clock::on_main_thread() ? Role::ticks : Role::other; }

bool begin_drawing() {
    bool nobody = false;
    if (!draws)
        draws = claimed.compare_exchange_strong(nobody, true);
    return draws;
}

void end_drawing() {
    draws = false;
    claimed = false;
}

bool someone_draws() { return claimed; }

} // namespace mpiglut
