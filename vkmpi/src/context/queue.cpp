#include "context/queue.h"

#include "base/lock.h"
#include "base/signals_blocked.h"
#include "device/vulkan_device.h"

#include <chrono>
#include <system_error>
#include <utility>

namespace vkmpi {

namespace {

/// Longer than calls wait at the library's door (base/lock.cpp): the thread that holds the program's lock comes first.
constexpr std::chrono::seconds patience{10};

} // namespace

Queue::~Queue() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    work_.notify_one();
    if (thread_.joinable())
        thread_.join();
}

bool Queue::is_held_up() const {
    const std::lock_guard lock(mutex_);
    return busy_ && !ordered_;
}

VkResult Queue::submit_now(Submissions submissions) const {
    return device_.vk.QueueSubmit(device_.info.queue, static_cast<std::uint32_t>(submissions.size()),
                                  submissions.data(), VK_NULL_HANDLE);
}

VkResult Queue::submit(Submissions submissions) {
    if (!device_.info.lock_queue)
        return submit_now(submissions);
    const std::lock_guard one(one_at_a_time_);
    std::unique_lock lock(mutex_);
    if (busy_) // still, for one that has been given up
        return VK_TIMEOUT;
    if (!thread_.joinable()) {
        const pixmpi::SignalsBlocked blocked;
        try {
            thread_ = std::thread([this] { run(); });
        } catch (const std::system_error &) {
            return VK_ERROR_OUT_OF_HOST_MEMORY;
        }
    }
    ordered_ = submissions;
    busy_ = true;
    work_.notify_one();
    return wait_for_thread(lock) ? result_ : VK_TIMEOUT;
}

bool Queue::wait_for_thread(std::unique_lock<std::mutex> &lock) {
    constexpr std::chrono::milliseconds usual{100};
    const auto over = [this] { return !busy_; };
    if (over_.wait_for(lock, usual, over))
        return true;
    pixmpi::pixMPI_Internal_waits_for_program(true);
    const bool yes = over_.wait_for(lock, patience, over);
    pixmpi::pixMPI_Internal_waits_for_program(false);
    if (!yes && ordered_) {
        ordered_.reset();
        return false;
    }
    over_.wait(lock, over); // it has the lock
    return true;
}

void Queue::run() {
    const vkMPI_Context_info &info = device_.info;
    std::unique_lock lock(mutex_);
    for (;;) {
        work_.wait(lock, [this] { return ending_ || ordered_; });
        if (!ordered_)
            return;
        lock.unlock();
        info.lock_queue(info.lock_data);
        lock.lock();
        if (ordered_)
            result_ = submit_now(*std::exchange(ordered_, {}));
        lock.unlock();
        info.unlock_queue(info.lock_data);
        lock.lock();
        busy_ = false;
        over_.notify_one();
    }
}

} // namespace vkmpi
