#include "base/process.h"

#include "base/state.h"
#include "clock/clock.h"
#include "clock/role.h"
#include "clock/virtual.h"

#include <pthread.h>
#include <sys/syscall.h>

namespace mpiglut {

bool is_rank() { return clock::real_syscall(SYS_getpid) == clock::first_pid(); }

void prepare_children() {
    pthread_atfork(nullptr, nullptr, [] {
        state().launched = false;
        state().running = false;
        clock::let_flow();
        end_drawing();
    });
}

} // namespace mpiglut
