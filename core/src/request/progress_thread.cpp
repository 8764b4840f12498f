#include "request/progress_thread.h"

#include "request/request.h"

#include <pthread.h>
#include <signal.h>

namespace pixmpi {
namespace {

/// The program's signal handlers run in its own threads: a thread inherits what its maker blocks.
class SignalsBlocked {
  public:
    SignalsBlocked() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsBlocked(const SignalsBlocked &) = delete;
    SignalsBlocked &operator=(const SignalsBlocked &) = delete;

  private:
    sigset_t before_;
};

} // namespace

ProgressThread::ProgressThread(Runtime &runtime) : runtime_(runtime) {
    const SignalsBlocked blocked;
    thread_ = std::thread([this] { run(); });
}

ProgressThread::~ProgressThread() {
    {
        const Lock lock(runtime_);
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
    Lock lock(runtime_);
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
