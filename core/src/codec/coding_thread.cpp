#include "codec/coding_thread.h"

#include "base/signals_blocked.h"

#include <time.h>

namespace pixmpi {
namespace {

double now() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

} // namespace

CodingThread::~CodingThread() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    work_.notify_one();
    if (thread_.joinable())
        thread_.join();
}

void CodingThread::order(CodingJob &job) {
    {
        const std::lock_guard lock(mutex_);
        if (!thread_.joinable()) {
            const SignalsBlocked blocked;
            thread_ = std::thread([this] { run(); });
        }
        jobs_.push_back(&job);
    }
    work_.notify_one();
}

void CodingThread::wait(const CodingJob &job) {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&] { return job.over.load(std::memory_order_acquire); });
}

void CodingThread::run() {
    std::unique_lock lock(mutex_);
    for (;;) {
        work_.wait(lock, [this] { return ending_ || !jobs_.empty(); });
        if (jobs_.empty())
            return;
        CodingJob &job = *jobs_.front();
        jobs_.pop_front();
        lock.unlock();
        work(job);
        lock.lock();
        job.over.store(true, std::memory_order_release); // the last touch: its owner may drop it
        done_.notify_all();
    }
}

void CodingThread::work(CodingJob &job) {
    const double begin = now();
    const Status failed = without_throwing([&]() -> Status {
        if (job.kind == CodingKind::encode)
            return codec_.encode(job.choice, job.pixels, job.stream, job.bytes);
        job.bytes = job.stream.size();
        if (job.kind == CodingKind::coefficients)
            return jpeg_decode_coefficients(workers_, job.stream, job.grid, job.coefficients, job.steps);
        if (!job.stays)
            copy_.assign(job.stream.begin(), job.stream.end());
        return codec_.decode(job.stays ? job.stream : std::span(copy_), job.pixels.format, job.pixels.pixels, job.out);
    });
    if (failed)
        job.error = last_error(failed);
    job.seconds = now() - begin;
}

} // namespace pixmpi
