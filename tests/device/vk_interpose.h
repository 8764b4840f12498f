// Vulkan with a layer in between: a context's calls pass through here, where it can be counted, be made to fail,
// or be told of a smaller device. One for the process, because Vulkan's functions carry no data.
#pragma once

#include "hand.h"

#include <vulkan/vulkan.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace vk_interpose {

/// Give it to vkMPI_Context_info.
PFN_vkVoidFunction VKAPI_PTR get_instance_proc_addr(VkInstance instance, const char *name);

using Hand = interpose::Hand<VkResult>;
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

/// Which of the GPUs of test_gpus.h the device pretends to be: a GPU with its own memory, with that GPU's UUID, which
/// imports the memory that the stand-in for CUDA makes. -1: what it is.
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

/// What a context has recorded, in order. Families other than the device's own are let pass as if there were more of
/// them, so that changes of ownership can be seen where there is one family.
struct Recorded {
    enum class What { barrier, copy } what;
    std::uint64_t object = 0; ///< the image or buffer; of a copy: its source; of a barrier 0: all memory
    std::uint64_t target = 0; ///< of a copy
    std::uint32_t from_family = VK_QUEUE_FAMILY_IGNORED, to_family = VK_QUEUE_FAMILY_IGNORED;
    VkImageLayout from = VK_IMAGE_LAYOUT_UNDEFINED, to = VK_IMAGE_LAYOUT_UNDEFINED;
    VkAccessFlags before = 0, after = 0;
    VkDeviceSize offset = 0, bytes = 0; ///< of a buffer's barrier

    bool changes_owner() const { return what == What::barrier && from_family != to_family; }
    bool touches(std::uint64_t one) const { return object == one || target == one; }
};
class Journal {
  public:
    void begin();
    /// What came since begin(), and no more.
    std::vector<Recorded> end();
    void add(const Recorded &one);

  private:
    std::mutex mutex_;
    bool open_ = false;
    std::vector<Recorded> entries_;
};
extern Journal journal;

/// A handle as the journal has it.
template <class Handle> std::uint64_t number_of(Handle handle) { return reinterpret_cast<std::uint64_t>(handle); }
/// How many batches have been submitted, several of them by one call or not.
extern std::atomic<int> submitted_batches;
/// Is called before each submission, or empty.
extern std::function<void()> before_submission;

/// Copies between images and buffers with place and size that do not suit `disguise.granularity`.
extern std::atomic<int> unsuitable_copies;

} // namespace vk_interpose
