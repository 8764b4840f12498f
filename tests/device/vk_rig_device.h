// A Vulkan device for tests, watched by the validation layers: whatever they say is a failure. Its own commands, by
// which tests fill surfaces and look at them, have nothing to do with the library.
#pragma once

#include <vkmpi.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace vk_rig {

/// False, with the reason, on a machine where Vulkan finds no device: the only reason to skip a test.
bool any_device(std::string &reason);

/// The devices that Options::card counts, in that order.
const std::vector<VkPhysicalDeviceProperties> &cards();

/// What the validation layers said.
class Messages {
  public:
    void add(std::string text);
    /// Those since the last call, one after another; empty: none.
    std::string take();

  private:
    std::mutex mutex_;
    std::vector<std::string> texts_;
};

struct Options {
    bool headless = false;                   ///< the library makes the device; nothing below counts then
    int card = 0;                            ///< counted modulo their number; software only where there is nothing else
    bool extensions = true;                  ///< those that the library would like
    bool private_data = true;                ///< and the feature, where it has that extension
    PFN_vkGetInstanceProcAddr get = nullptr; ///< what the library calls Vulkan by; null: the loader
    void (*lock)(void *) = nullptr;          ///< of the context
    void (*unlock)(void *) = nullptr;
    void *lock_data = nullptr;
    bool separate_layouts = false; ///< of depths and stencils
    bool second_queue = false; ///< for the context, where the device has one: of another family, or of the same
};

/// Semaphores of one submission; values count for timelines only.
struct Semaphores {
    std::vector<VkSemaphore> names;
    std::vector<std::uint64_t> values;
};

struct Buffer {
    VkBuffer name = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    VkDeviceSize bytes = 0;
    std::byte *mapped = nullptr; ///< when asked for
};

class Device {
  public:
    /// Null, with the reason, when anything is missing, the validation layers among it. PIXMPI_TEST_VALIDATION=0 does
    /// without these.
    static std::unique_ptr<Device> make(const Options &options, std::string &reason);
    ~Device();
    Device(const Device &) = delete;

    vkMPI_Context context() const { return context_; }
    /// Destroys the context and makes another one; the code of the call that failed.
    int renew_context();
    /// Destroys the context, then all else. Returns what the layers have said since the last take().
    std::string close();

    /// Records commands, submits them, waits until they are over.
    void run(const std::function<void(VkCommandBuffer)> &record);
    /// Does not wait. idle() lets go of what was submitted.
    void submit(const std::function<void(VkCommandBuffer)> &record, const Semaphores &waits,
                const Semaphores &signals) {
        submit(queues_[0], record, waits, signals);
    }
    /// The same to the program's queue, where the context has a second one.
    void submit_beside(const std::function<void(VkCommandBuffer)> &record, const Semaphores &waits,
                       const Semaphores &signals) {
        submit(queues_[1], record, waits, signals);
    }
    std::uint32_t family_beside() const { return queues_[1].family; }
    bool has_second_queue() const { return queues_[1].name != queues_[0].name; }
    void idle();
    /// A buffer that the CPU reads and writes, for one copy after the other: always the same memory, which takes drivers of
    /// GPUs milliseconds to make.
    Buffer &stage(VkDeviceSize bytes);

    /// Memory of the device, with what would be better as well, for as long as needs be: some is kept for the next one,
    /// since it takes drivers of GPUs a millisecond to make. It has any content.
    VkDeviceMemory allocate(const VkMemoryRequirements &needs, VkMemoryPropertyFlags wanted,
                            VkMemoryPropertyFlags better = 0);
    void free(VkDeviceMemory memory);

    VkSemaphore make_timeline(std::uint64_t value);
    VkSemaphore make_binary();
    void destroy(VkSemaphore semaphore);
    void signal(VkSemaphore timeline, std::uint64_t value);
    std::uint64_t value_of(VkSemaphore timeline);
    /// False when that takes more than 20 seconds.
    bool wait_for(VkSemaphore timeline, std::uint64_t value);

    /// Of the device: with what would be better as well, or what is wanted, or where there is neither, of any kind.
    std::uint32_t memory_type(std::uint32_t allowed, VkMemoryPropertyFlags wanted,
                              VkMemoryPropertyFlags better = 0) const;
    std::string name() const;
    std::array<std::uint8_t, VK_UUID_SIZE> uuid() const;

    /// Called once when it is closed, before all else.
    std::function<void()> before_close;
    Messages messages;
    bool validated = false;
    vkMPI_Context_info info = VKMPI_CONTEXT_INFO_INIT;

  private:
    Device() = default;
    bool open(const Options &options, std::string &reason);
    bool take_over(std::string &reason);
    bool make_instance(std::string &reason);
    bool make_device(const Options &options, std::string &reason);
    struct Queue {
        VkQueue name = VK_NULL_HANDLE;
        std::uint32_t family = 0;
        VkCommandPool pool = VK_NULL_HANDLE;
        std::vector<VkCommandBuffer> flying{}, idle{};
    };
    bool choose_queues(bool second);
    std::vector<VkQueueFamilyProperties> list_families() const;
    std::uint32_t find_compute_beside(std::uint32_t family) const;
    void submit(Queue &queue, const std::function<void(VkCommandBuffer)> &record, const Semaphores &waits,
                const Semaphores &signals);
    VkCommandBuffer recorded(Queue &queue, const std::function<void(VkCommandBuffer)> &record);
    void free_all_memory();
    void submit_locked(const Queue &queue, const VkSubmitInfo &submission, VkFence fence);

    VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
    Buffer stage_;
    VkPhysicalDeviceMemoryProperties memory_{};
    std::mutex memory_mutex_; ///< of the two below
    using Allocations = std::multimap<VkDeviceSize, VkDeviceMemory>;
    std::map<std::uint32_t, Allocations> idle_memory_; ///< by type
    std::map<VkDeviceMemory, std::pair<std::uint32_t, VkDeviceSize>> used_memory_;
    std::vector<VkFence> idle_fences_;
    std::vector<const char *> extensions_;
    std::array<Queue, 2> queues_; ///< the context's, and the program's: the same unless there are two
    vkMPI_Context context_ = VKMPI_CONTEXT_NULL;
    bool owned_ = true; ///< instance and device are
};

/// A barrier between everything before and everything after, which brings an image into another layout.
void change_layout(VkCommandBuffer commands, VkImage image, const VkImageSubresourceRange &range, VkImageLayout from,
                   VkImageLayout to);
/// All writes before, all accesses after.
void order_all(VkCommandBuffer commands);

/// Tests cannot go on when their own call fails.
void need(VkResult result, const char *call);
#define VK_NEED(call) vk_rig::need(call, #call)

} // namespace vk_rig
