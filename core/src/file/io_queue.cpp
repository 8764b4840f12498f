#include "file/io_queue.h"

#include "base/environment.h"
#include "base/signals_blocked.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace pixmpi {
namespace {

/// A few threads; each one makes one call of the system at a time.
class ThreadQueue final : public IoQueue {
  public:
    ~ThreadQueue() override {
        {
            const std::lock_guard lock(mutex_);
            stopping_ = true;
        }
        work_.notify_all();
        for (std::thread &thread : threads_)
            thread.join();
    }
    Status open_threads() {
        if (const Status error = open())
            return error;
        constexpr int count = 4;
        const SignalsBlocked blocked;
        for (int i = 0; i < count; ++i)
            threads_.emplace_back([this] { run(); });
        return PIXMPI_SUCCESS;
    }
    const char *name() const override { return "threads"; }
    bool start(IoOperation &operation) override {
        ++under_way_;
        const std::lock_guard lock(mutex_);
        waiting_.push_back(&operation);
        return true;
    }
    void flush() override { work_.notify_all(); }
    void reap() override {
        drain_wakes();
        const std::lock_guard lock(mutex_);
        for (IoOperation *operation : over_)
            operation->over = true;
        under_way_ -= static_cast<int>(over_.size());
        over_.clear();
    }

  private:
    static std::int64_t call(const IoOperation &one) {
        const auto offset = static_cast<off_t>(one.offset);
        for (;;) {
            const ssize_t result = one.kind == IoOperation::Kind::sync ? ::fdatasync(one.descriptor)
                                   : one.kind == IoOperation::Kind::read
                                       ? ::pread(one.descriptor, one.memory, one.bytes, offset)
                                       : ::pwrite(one.descriptor, one.memory, one.bytes, offset);
            if (result >= 0 || errno != EINTR)
                return result >= 0 ? result : -errno;
        }
    }
    void run() {
        std::unique_lock lock(mutex_);
        for (;;) {
            work_.wait(lock, [&] { return stopping_ || !waiting_.empty(); });
            if (waiting_.empty())
                return;
            IoOperation *const one = waiting_.front();
            waiting_.pop_front();
            lock.unlock();
            one->result = call(*one);
            lock.lock();
            over_.push_back(one);
            const std::uint64_t more = 1;
            (void)!::write(wakes_, &more, sizeof more);
        }
    }

    std::mutex mutex_;
    std::condition_variable work_;
    std::deque<IoOperation *> waiting_;
    std::vector<IoOperation *> over_;
    std::vector<std::thread> threads_;
    bool stopping_ = false;
};

} // namespace

IoQueue::~IoQueue() {
    if (wakes_ >= 0)
        ::close(wakes_);
}

Status IoQueue::open() {
    wakes_ = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    return wakes_ >= 0 ? PIXMPI_SUCCESS : fail(PIXMPI_ERR_MEMORY, "no event descriptor: %s", std::strerror(errno));
}

void IoQueue::drain_wakes() const {
    std::uint64_t count = 0;
    (void)!::read(wakes_, &count, sizeof count);
}

bool IoQueue::doze(double seconds) const {
    if (under_way_ == 0)
        return false;
    pollfd one{wakes_, POLLIN, 0};
    const timespec time{static_cast<time_t>(seconds),
                        static_cast<long>((seconds - static_cast<double>(static_cast<time_t>(seconds))) * 1e9)};
    ::ppoll(&one, 1, &time, nullptr);
    return true;
}

Status IoQueue::make(std::unique_ptr<IoQueue> &queue) {
    bool threads = false;
    if (const Status error = read_word("PIXMPI_FILE_IO", threads))
        return error;
    if (!threads)
        queue = make_uring_queue();
    if (queue)
        return PIXMPI_SUCCESS;
    auto made = std::make_unique<ThreadQueue>();
    if (const Status error = made->open_threads())
        return error;
    queue = std::move(made);
    return PIXMPI_SUCCESS;
}

} // namespace pixmpi
