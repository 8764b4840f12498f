#include "base/process.h"

#include "base/lookup.h"
#include "base/state.h"
#include "clock/clock.h"
#include "clock/role.h"
#include "clock/virtual.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unwind.h>

namespace mpiglut {

namespace {

_Unwind_Reason_Code look_for_signal(_Unwind_Context *frame, void *found) {
    int interrupted = 0;
    _Unwind_GetIPInfo(frame, &interrupted);
    *static_cast<bool *>(found) |= interrupted != 0;
    return _URC_NO_REASON;
}

} // namespace

bool in_signal_handler() {
    bool found = false;
    _Unwind_Backtrace(look_for_signal, &found);
    return found;
}

bool is_rank() { return clock::real_syscall(SYS_getpid) == clock::first_pid(); }

void prepare_children() {
    pthread_atfork(nullptr, nullptr, [] {
        state().launched = false;
        server_lacks_glx(false);
        state().running = false;
        clock::let_flow();
        end_drawing();
    });
}

} // namespace mpiglut
