#include "request/progress_thread.h"

#include "base/signals_blocked.h"
#include "request/request.h"

#include <algorithm>
#include <memory>
#include <pthread.h>

namespace pixmpi {

ProgressThread::ProgressThread(Runtime &runtime, Does what, bool calls_mpi)
    : runtime_(runtime), does_(what), calls_mpi_(calls_mpi) {
    set_before_unlock([] {
        if (const auto &thread = pixmpi::runtime().progress_thread)
            thread->leave_to_it();
    });
    const SignalsBlocked blocked;
    thread_ = std::thread([this] { does_ == Does::services ? serve() : do_everything(); });
    pthread_setname_np(thread_.native_handle(), name);
}

void end_progress_thread() {
    std::unique_ptr<ProgressThread> thread;
    {
        const Lock lock;
        thread = std::move(runtime().progress_thread);
    }
}

ProgressThread::~ProgressThread() {
    {
        const Lock lock;
        stopping_ = true;
        work_.notify_one();
        presence().wake();
    }
    thread_.join();
}

Presence &ProgressThread::presence() const { return runtime_.stage.map().presence(); }

bool ProgressThread::idle() const {
    return runtime_.active.empty() && runtime_.resting.empty() &&
           (does_ == Does::requests || (runtime_.outbox.empty() && runtime_.unread_sends.empty()));
}

// It sleeps soon: whoever waits in the library moves everything along faster, and may need the core.
void ProgressThread::do_everything() {
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

bool ProgressThread::has_packets() const {
    return std::any_of(runtime_.carriers.begin(), runtime_.carriers.end(),
                       [](const Carrier *one) { return one->has_packets(); });
}

void ProgressThread::make_way() { presence().want_wake(false); }

void ProgressThread::resume() {
    if (runtime_.attending || !asleep_)
        return;
    presence().want_wake(true);
    if (has_packets())
        presence().wake();
}

void ProgressThread::wake_for_others() {
    if (!runtime_.attending && serves_others(runtime_)) {
        asleep_ = false; // once is enough
        presence().wake();
    }
}

// Until somebody has written a packet while no call of the program's looks after messages. MPI wakes nobody.
void ProgressThread::sleep(Lock &lock) {
    constexpr std::chrono::microseconds for_ever{0}, of_mpi{1000};
    const bool by_mpi = calls_mpi_ && std::any_of(runtime_.carriers.begin(), runtime_.carriers.end(),
                                                  [](const Carrier *one) { return one->needs_mpi(); });
    const std::uint32_t since = presence().wakes();
    asleep_ = true;
    if (!runtime_.attending)
        presence().want_wake(true);
    if (runtime_.attending || !has_packets()) {
        lock.unlock();
        presence().sleep(since, by_mpi ? of_mpi : for_ever);
        lock.lock();
    }
    asleep_ = false;
    presence().want_wake(false);
}

// What has begun moves on by itself, and is looked at more and more seldom; so is a ring with nonsense in it.
void ProgressThread::serve() {
    constexpr std::chrono::microseconds longest{1000};
    leave_log_to_others(); // the program has asked for no thread that calls it
    Lock lock;
    Pause pause;
    pause.wait = Wait(longest);
    while (!stopping_) {
        bool moved = false, more = false;
        if (!runtime_.attending) {
            runtime_.mpi_barred = !calls_mpi_ || runtime_.carriers.empty(); // without them MPI may be about to end
            serve_others(runtime_, moved);
            runtime_.mpi_barred = false;
            more = serves_others(runtime_) || has_packets();
        }
        if (moved)
            pause.wait.reset();
        if (more)
            let_others_in(lock, pause);
        else
            sleep(lock);
    }
}

} // namespace pixmpi
