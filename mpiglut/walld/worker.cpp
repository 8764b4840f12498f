#include "worker.h"

#include <csignal>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <utility>

namespace mpiglut::walld {

Worker::Worker() : bell_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    sigset_t all, before; // signals are the loop's: one that comes to this thread would not reach it
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { run(); });
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Worker::~Worker() {
    {
        const std::lock_guard guard(lock_);
        ending_ = true;
    }
    changed_.notify_one();
    thread_.join();
}

void Worker::join(Web &web) {
    web.watch(::fcntl(bell_.get(), F_DUPFD_CLOEXEC, 3), [this] { // which the loop closes
        follow();
        return 0;
    });
}

void Worker::add(Work work) {
    {
        const std::lock_guard guard(lock_);
        waiting_.push_back(std::move(work));
    }
    changed_.notify_one();
}

void Worker::run() {
    std::unique_lock guard(lock_);
    for (;;) {
        changed_.wait(guard, [this] { return ending_ || !waiting_.empty(); });
        if (ending_)
            return;
        const Work work = std::move(waiting_.front());
        waiting_.pop_front();
        guard.unlock();
        auto then = work();
        guard.lock();
        done_.push_back(std::move(then));
        [[maybe_unused]] const int rung = ::eventfd_write(bell_.get(), 1);
    }
}

void Worker::follow() {
    eventfd_t count = 0;
    [[maybe_unused]] const int read = ::eventfd_read(bell_.get(), &count);
    std::deque<std::function<void()>> done;
    {
        const std::lock_guard guard(lock_);
        done.swap(done_);
    }
    for (const auto &then : done)
        then();
}

} // namespace mpiglut::walld
