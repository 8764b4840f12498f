#include "request/progress_thread.h"

#include "base/signals_blocked.h"
#include "request/request.h"

namespace pixmpi {

ProgressThread::ProgressThread(Runtime &runtime) : runtime_(runtime) {
    const SignalsBlocked blocked;
    thread_ = std::thread([this] { run(); });
}

ProgressThread::~ProgressThread() {
    {
        const Lock lock;
        stopping_ = true;
        work_.notify_one();
    }
    thread_.join();
}

bool ProgressThread::idle() const {
    return runtime_.active.empty() && runtime_.outbox.empty() && runtime_.lingering.empty();
}

// It sleeps soon: whoever waits in the library moves everything along faster, and may need the core.
void ProgressThread::run() {
    constexpr int yields = 4;
    Lock lock;
    Pause pause;
    pause.wait.yield_times(yields);
    while (!stopping_) {
        if (idle()) {
            work_.wait(lock);
            pause.wait.reset();
            continue;
        }
        bool moved = false;
        progress(runtime_, moved);
        if (moved)
            pause.wait.reset();
        let_others_in(lock, pause);
    }
}

} // namespace pixmpi
