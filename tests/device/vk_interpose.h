// Vulkan with somebody in between: what a context calls passes through here, where it can be counted, be made to fail,
// or be told of a smaller device. One for the process, because Vulkan's functions carry no data.
#pragma once

#include <vulkan/vulkan.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace vk_interpose {

/// Give it to vkMPI_Context_info.
PFN_vkVoidFunction VKAPI_PTR get_instance_proc_addr(VkInstance instance, const char *name);

/// One function that can fail.
struct Hand {
    const char *name;
    std::atomic<int> passes{-1};              ///< so many calls pass before some fail; -1: none does
    std::atomic<int> times{0};                ///< so many fail
    std::atomic<VkResult> result{VK_SUCCESS}; ///< with this
    std::atomic<int> calls{0};

    /// After the next `after` calls.
    void fail(VkResult with, int after = 0, int times_ = 1'000'000) {
        result = with;
        times = times_;
        passes = after;
    }
    void heal() { passes = -1; }
    bool strikes();
};

/// By Vulkan's name, "vkQueueSubmit"; it has to be one of those in vk_interpose.cpp. "import"
/// and "export": vkAllocateMemory when it imports a descriptor, or makes what gets one.
Hand &hand(const std::string &name);
void heal_all();

/// What the device claims to be.
struct Disguise {
    std::uint32_t version = 0;       ///< 0: its own
    bool timelines = true;           ///< false: the feature is not there
    VkQueueFlags queue_flags = 0;    ///< 0: its own
    VkExtent3D granularity{0, 0, 0}; ///< with queue_flags
    std::string missing_function;    ///< is not found
    bool no_import = false;          ///< no memory type is good for an import
};
extern Disguise disguise;

/// Which of the GPUs of test_gpus.h the device pretends to be: a card with memory of its own, whose UUID is that GPU's,
/// and which imports the memory that the stand-in for CUDA makes. -1: what it is.
extern int gpu;
/// Null, or what makes the descriptors that vkGetMemoryFdKHR gives.
extern int (*descriptor_instead)();

/// A lock for vkMPI_Context_info. Submissions without it are counted while it is watched.
struct QueueLock {
    static void lock(void *self);
    static void unlock(void *self);
    bool held() const { return owner.load() == std::this_thread::get_id(); }
    std::mutex mutex;
    std::atomic<std::thread::id> owner{};
    std::atomic<int> taken{0}, submissions_without{0};
};
extern std::atomic<QueueLock *> watched;

/// Is called before each submission, or empty.
extern std::function<void()> before_submission;

/// Copies between images and buffers whose place and size do not suit `disguise.granularity`.
extern std::atomic<int> unsuitable_copies;

} // namespace vk_interpose
