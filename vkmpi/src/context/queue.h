// A context's queue: submissions to it, under the program's lock where it has given one.
//
// The library calls lock_queue in its own thread, which holds nothing else, and waits for that thread: so the library
// can stop waiting. Otherwise a thread of the program that holds its lock and calls the library would wait for itself,
// or for a thread that waits for it.
#pragma once

#include "context/vk.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <span>
#include <thread>

namespace vkmpi {

class VulkanDevice;

class Queue {
  public:
    explicit Queue(const VulkanDevice &device) : device_(device) {}
    /// Ends the thread. Not while the queue is held up.
    ~Queue();
    Queue(const Queue &) = delete;
    Queue &operator=(const Queue &) = delete;

    using Submissions = std::span<const VkSubmitInfo>;
    /// Returns when these have been submitted, all or none. VK_TIMEOUT: lock_queue did not return in time, nothing has
    /// been or will be submitted. In any thread that may use the device, also without the library's lock.
    VkResult submit(Submissions submissions);
    /// lock_queue has been called, has not returned, and is not waited for any more.
    bool is_held_up() const;

  private:
    VkResult submit_now(Submissions submissions) const;
    bool wait_for_thread(std::unique_lock<std::mutex> &lock);
    void run();

    const VulkanDevice &device_;
    std::mutex one_at_a_time_; ///< held by submit()
    mutable std::mutex mutex_; ///< of all below
    std::condition_variable work_, over_;
    std::optional<Submissions> ordered_; ///< until the thread has them, or no call waits for them any more
    bool busy_ = false;                  ///< the thread is between lock_queue and unlock_queue, or in them
    bool ending_ = false;
    VkResult result_ = VK_SUCCESS;
    std::thread thread_;
};

} // namespace vkmpi
