#include "codec/workers.h"

#include "base/signals_blocked.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace pixmpi {
namespace {

struct Use {
    explicit Use(std::atomic<bool> &in_use) : flag(in_use), mine(!in_use.exchange(true)) {}
    ~Use() {
        if (mine)
            flag = false;
    }
    Use(const Use &) = delete;
    Use &operator=(const Use &) = delete;
    std::atomic<bool> &flag;
    const bool mine;
};

} // namespace

Workers::Workers(unsigned most)
    : most_(most ? most : std::max(1u, std::thread::hardware_concurrency())), scratches_(most_) {}

Workers::~Workers() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    work_.notify_all();
    for (std::thread &thread : threads_)
        thread.join();
}

void Workers::start_threads() {
    if (!threads_.empty())
        return;
    const SignalsBlocked blocked;
    threads_.reserve(most_ - 1);
    try {
        for (unsigned i = 1; i < most_; ++i)
            threads_.emplace_back([this, i] { serve(scratches_[i]); });
    } catch (const std::system_error &) {
        // Fewer threads do the same work.
    }
}

void Workers::serve(Scratch &scratch) {
    std::unique_lock lock(mutex_);
    while (!ending_) {
        if (next_ < count_)
            run_tasks(lock, scratch);
        else
            work_.wait(lock);
    }
}

void Workers::run_tasks(std::unique_lock<std::mutex> &lock, Scratch &scratch) {
    while (next_ < count_) {
        const std::size_t i = next_++;
        ++running_;
        lock.unlock();
        std::exception_ptr thrown;
        try {
            job_.run(job_.context, i, scratch);
        } catch (...) {
            thrown = std::current_exception();
        }
        lock.lock();
        --running_;
        if (thrown) {
            thrown_ = thrown;
            next_ = count_;
        }
    }
    if (running_ == 0)
        done_.notify_one();
}

void Workers::run(std::size_t count, Job job) {
    const Use use(in_use_);
    if (!use.mine || most_ == 1 || count < 2) {
        Scratch own;
        for (std::size_t i = 0; i < count; ++i)
            job.run(job.context, i, use.mine ? scratches_[0] : own);
        return;
    }
    start_threads();
    std::unique_lock lock(mutex_);
    job_ = job;
    next_ = 0;
    count_ = count;
    for (std::size_t i = 1; i < std::min<std::size_t>(count, most_); ++i)
        work_.notify_one();
    run_tasks(lock, scratches_[0]);
    done_.wait(lock, [this] { return running_ == 0; });
    count_ = next_ = 0;
    if (const std::exception_ptr thrown = std::exchange(thrown_, nullptr))
        std::rethrow_exception(thrown);
}

} // namespace pixmpi
