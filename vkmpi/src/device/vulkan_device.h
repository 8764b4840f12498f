// What the library keeps for one context: a device and a queue of it.
#pragma once

#include "api/core.h"
#include "base/lock.h"
#include "context/queue.h"
#include "context/vk.h"
#include "device/idle_buffers.h"
#include "host/straight_copy.h"
#include "object/batches.h"
#include "object/image_views.h"
#include "object/buffers.h"
#include "plan/plans.h"
#include "shader/shaders.h"
#include "vkmpi.h"

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace vkmpi {

using pixmpi::Direction;

/// An instance and a device that the library made itself.
struct Headless {
    Vk vk;
    VkInstance instance = VK_NULL_HANDLE;
    VkDevice device = VK_NULL_HANDLE;
    std::vector<const char *> extensions;
    Headless() = default;
    Headless(const Headless &) = delete;
    Headless &operator=(const Headless &) = delete;
    ~Headless();
};
/// Fills `info` as a program would have.
Status make_headless(std::unique_ptr<Headless> &headless, vkMPI_Context_info &info);

class VulkanDevice final : public pixmpi::Device,
                           public pixmpi::CopiesStraight,
                           public std::enable_shared_from_this<VulkanDevice> {
  public:
    static Status make(const vkMPI_Context_info &info, std::unique_ptr<Headless> headless,
                       std::shared_ptr<VulkanDevice> &device);
    ~VulkanDevice() override;

    bool usable() const override { return info.lock_queue || thread_ == std::this_thread::get_id(); }
    bool doze(double seconds) override {
        return (message_device && message_device->batches.doze(seconds)) || batches.doze(seconds);
    }
    Status make_stage(pixmpi::StageKind kind, std::byte *memory, std::size_t bytes,
                      std::unique_ptr<pixmpi::Stage> &stage) override;
    Status make_transfer(Direction direction, std::shared_ptr<pixmpi::Surface> surface,
                         std::shared_ptr<const pixmpi::Region> region,
                         std::unique_ptr<pixmpi::Transfer> &transfer) override;
    Status make_scratch(pixMPI_Format format, pixmpi::Extent extent,
                        std::shared_ptr<pixmpi::Surface> &surface) override;
    std::shared_ptr<pixmpi::Surface> combine_onto(const std::shared_ptr<pixmpi::Surface> &room,
                                                  const std::shared_ptr<pixmpi::Surface> &base, int x, int y) override;
    Status make_straight_copy(std::span<const Ends> planes, std::unique_ptr<pixmpi::StraightCopy> &copy) override;

    void give_idle_memory() override;
    void end_vain_waits() override;
    /// Whether no other context has the same queue.
    bool has_queue_alone() const;

    Status make_passes(std::unique_ptr<pixmpi::Passes> &passes) override;

    Status export_memory(std::size_t bytes, std::unique_ptr<pixmpi::DeviceMemory> &memory, int &descriptor) override;
    Status import_memory(int descriptor, std::size_t bytes, std::unique_ptr<pixmpi::DeviceMemory> &memory) override;

    void bind_to_this_thread() {
        thread_ = std::this_thread::get_id();
        thread_number_ = gettid();
        if (message_device)
            message_device->bind_to_this_thread();
    }
    /// Whether messages of running shaders work here: found once, by a dispatch that waits for the CPU and for copies
    /// of the message queue.
    bool shows_writes();
    /// All of a buffer, by the queue; returns when it is over.
    Status fill(const Buffer &buffer, std::uint32_t word);
    /// Whether the queue may be used while that thread waits.
    bool usable_for(pid_t thread) const { return info.lock_queue || thread_number_ == thread; }
    bool imports() const { return traits_.reaches_shared; }
    std::size_t import_alignment() const { return import_alignment_; }
    /// As check() of vk.h; notices the loss of the device.
    Status check(VkResult result, const char *function);
    bool lost() const { return lost_; }
    /// Also without the library's lock.
    Status submit(Queue::Submissions submissions);
    /// Those commands, or none; the timeline has the value when they and all before them are over.
    Status submit(VkCommandBuffer commands, VkSemaphore timeline, std::uint64_t value);
    bool is_held_up() const { return queue_.is_held_up(); }
    /// Whether all that was submitted is over, by both queues; waits up to a limit.
    bool finish();
    /// As Batches::is_overdue() and retire(), for what both queues may use.
    bool is_overdue() const { return batches.is_overdue() || (message_device && message_device->batches.is_overdue()); }
    template <class Destroy> void retire(Destroy destroy) {
        if (message_device && message_device->batches.is_overdue())
            message_device->batches.retire([this, destroy = std::move(destroy)] { batches.retire(destroy); });
        else
            batches.retire(std::move(destroy));
    }
    /// Host memory that was given to a stage, as a buffer; null when it is not known, or cannot be imported.
    Buffer *imported(const std::byte *memory, std::size_t bytes, std::size_t &offset);
    /// A buffer of the device: one that was given back, or a new one. Those that the CPU sees count as stage
    /// memory; others are for what is on its way within the device.
    Status acquire_buffer(Place place, std::size_t bytes, std::unique_ptr<Buffer> &buffer);
    void give_back(Place place, std::unique_ptr<Buffer> buffer);

    vkMPI_Context_info info; ///< `extensions` are our own copies
    Vk vk;
    VkPhysicalDeviceProperties properties{};
    VkPhysicalDeviceMemoryProperties memory{};
    VkQueueFlags queue_flags = 0;
    VkExtent3D granularity{1, 1, 1}; ///< of copies to and from images; 0: whole images only
    bool software = false;           ///< a CPU that draws
    bool waits_ahead = false;        ///< batches may be submitted before what they read is there
    std::uint64_t vain_waits = 0;    ///< how often batches had to be let go, since a call may end that waits for them
    int submitting = 0;              ///< transfers that have started, and have not submitted all of it
    bool shader_packs = false;       ///< many small pieces are moved by shaders instead of copy commands
    Batches batches;
    ImageViews views;
    Shaders shaders;
    PlanCache plans;
    using Windows = std::map<VkBuffer, std::shared_ptr<Buffer>>;
    /// Of vkMPI_Window_create.
    Windows &windows() {
        pixmpi::need_lock("a context's windows were used");
        return windows_;
    }
    /// The same device by its message queue, if it has one, and that one's handle.
    std::shared_ptr<VulkanDevice> message_device;
    vkMPI_Context messages = VKMPI_CONTEXT_NULL;

  private:
    explicit VulkanDevice(const vkMPI_Context_info &given);
    Status open();
    Status look_at_device();
    Status look_at_queue();
    bool has(const char *extension) const;
    Status choose_ways();
    Status try_to_run(bool &works);

    Queue queue_{*this};
    Windows windows_;
    std::unique_ptr<Headless> headless_;
    std::vector<std::string> extension_names_;
    std::vector<const char *> extension_pointers_;
    std::atomic<std::thread::id> thread_;
    std::atomic<pid_t> thread_number_; ///< the same thread, as the system counts
    std::atomic<bool> lost_{false};    ///< doze() asks without the lock
    std::size_t import_alignment_ = 0;

    struct Import {
        std::shared_ptr<const pixmpi::StageMap> map;
        std::unique_ptr<Buffer> buffer; ///< null: it was tried, and does not work
    };
    std::optional<bool> shows_writes_;
    std::vector<Import> imports_list_;
    pixmpi::IdleBuffers<std::unique_ptr<Buffer>> idle_buffers_[places]; ///< by Place
};

} // namespace vkmpi
