// vkMPI_Shared_create: memory that the CPU and the device share.
#include "vkmpi_memory.h"

#include "device/vk_contexts.h"
#include "surface/surface.h"

#include <algorithm>

namespace vkmpi {
namespace {

using pixmpi::core;
using pixmpi::fail;
using pixmpi::public_call;

/// A buffer, and the commands that copy between it and the shadow, if there is one: they have nothing in common with
/// those of messages, since faults are answered in the middle of anything.
class Backing final : public pixmpi::SharedBacking {
  public:
    explicit Backing(std::shared_ptr<VulkanDevice> device) : device_(std::move(device)) {}
    ~Backing() override {
        const Vk &vk = device_->vk;
        vk.DestroySemaphore(device_->info.device, timeline_, nullptr);
        vk.DestroyCommandPool(device_->info.device, pool_, nullptr);
    }

    Status open(vkMPI_Context context, std::size_t bytes, Place place, VkBufferUsageFlags usage) {
        context_ = context;
        if (const Status status = Buffer::make_scratch(*device_, bytes, buffer_, place, usage))
            return status;
        return make_commands();
    }
    VkBuffer name() const { return buffer_->name(); }

    std::byte *mapped() const override { return buffer_->mapped(); }
    bool near_host() const override { return device_->near_host(); }
    bool usable() const override { return device_->usable(); }
    bool usable_for(pid_t thread) const override { return device_->usable_for(thread); }
    bool copies_later() const override { return true; }

    Status attach(std::byte *host, std::size_t bytes) override {
        device_->batches.let_go();
        device_->waits_ahead = false; // faults use the queue at any time, also while a call waits
        const std::size_t alignment = device_->import_alignment();
        if (reinterpret_cast<std::uintptr_t>(host) % alignment != 0 || bytes % alignment != 0)
            return fail(PIXMPI_ERR_DEVICE, "Vulkan: host memory has to be aligned to %zu bytes, expected at most %zu",
                        alignment, bytes);
        return Buffer::import(*device_, host, bytes, shadow_);
    }
    void detach() override { shadow_.reset(); }

    Status copy(Way way, const std::vector<Range> &ranges) override {
        const bool fetch = way == Way::fetch;
        regions_.clear();
        for (const Range &range : ranges)
            regions_.push_back({range.offset, range.offset, range.bytes});
        return run([&](const Vk &vk) {
            vk.CmdCopyBuffer(commands_, fetch ? buffer_->name() : shadow_->name(),
                             fetch ? shadow_->name() : buffer_->name(), static_cast<std::uint32_t>(regions_.size()),
                             regions_.data());
        });
    }
    Status finish() override {
        return run([](const Vk &) {});
    }

    Status make_surface(const pixMPI_Surface &named, std::size_t offset, const pixmpi::Use &use,
                        std::shared_ptr<pixmpi::Surface> &surface) override {
        vkMPI_Surface mine = vkMPI_Buffer(context_, buffer_->name(), named.format, named.width, named.height);
        mine.row_bytes = named.row_bytes;
        mine.offset = offset;
        mine.buffer_bytes = buffer_->bytes();
        mine.buffer_usage = Buffer::usage;
        const Direction direction = use.sends ? Direction::pack : Direction::unpack;
        if (const Status status = (use.anywhere ? resolve_anywhere : resolve)(mine, direction, surface))
            return status;
        static_cast<VulkanSurface &>(*surface).expect({}, use.messages);
        return PIXMPI_SUCCESS;
    }

  private:
    Status make_commands() {
        const Vk &vk = device_->vk;
        const VkDevice device = device_->info.device;
        VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
        pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT | VK_COMMAND_POOL_CREATE_TRANSIENT_BIT;
        pool.queueFamilyIndex = device_->info.queue_family;
        if (const Status status =
                device_->check(vk.CreateCommandPool(device, &pool, nullptr, &pool_), "vkCreateCommandPool"))
            return status;
        VkCommandBufferAllocateInfo one{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
        one.commandPool = pool_;
        one.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
        one.commandBufferCount = 1;
        if (const Status status =
                device_->check(vk.AllocateCommandBuffers(device, &one, &commands_), "vkAllocateCommandBuffers"))
            return status;
        VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
        type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
        VkSemaphoreCreateInfo semaphore{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
        semaphore.pNext = &type;
        return device_->check(vk.CreateSemaphore(device, &semaphore, nullptr, &timeline_), "vkCreateSemaphore");
    }

    /// Behind all that the queue has, before all that it gets; the CPU sees what was written.
    void barrier() const {
        VkMemoryBarrier all{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
        all.srcAccessMask = all.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
        device_->vk.CmdPipelineBarrier(commands_, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                       VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &all, 0,
                                       nullptr, 0, nullptr);
    }

    template <class Record> Status run(Record record) {
        const Vk &vk = device_->vk;
        VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
        begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
        if (const Status status = device_->check(vk.BeginCommandBuffer(commands_, &begin), "vkBeginCommandBuffer"))
            return status;
        barrier();
        record(vk);
        barrier();
        if (const Status status = device_->check(vk.EndCommandBuffer(commands_), "vkEndCommandBuffer"))
            return status;
        const std::uint64_t number = last_ + 1;
        if (const Status status = device_->submit(commands_, timeline_, number))
            return status;
        last_ = number;
        VkSemaphoreWaitInfo wait{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
        wait.semaphoreCount = 1;
        wait.pSemaphores = &timeline_;
        wait.pValues = &number;
        return device_->check(vk.WaitSemaphores(device_->info.device, &wait, UINT64_MAX), "vkWaitSemaphores");
    }

    const std::shared_ptr<VulkanDevice> device_;
    vkMPI_Context context_ = VKMPI_CONTEXT_NULL;
    std::unique_ptr<Buffer> buffer_, shadow_; ///< the shadow's memory, imported
    VkCommandPool pool_ = VK_NULL_HANDLE;
    VkCommandBuffer commands_ = VK_NULL_HANDLE;
    VkSemaphore timeline_ = VK_NULL_HANDLE;
    std::uint64_t last_ = 0;
    std::vector<VkBufferCopy> regions_;
};

Status check_arguments(std::size_t bytes, VkBufferUsageFlags usage, void **pointer) {
    if (!pointer)
        return fail(PIXMPI_ERR_ARGUMENT, "pointer: null, expected the address of a pointer");
    if (bytes == 0 || bytes > SIZE_MAX / 2)
        return fail(PIXMPI_ERR_ARGUMENT, "bytes: %zu, expected 1 to %zu", bytes, SIZE_MAX / 2);
    if (usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT)
        return fail(PIXMPI_ERR_ARGUMENT, "usage: 0x%x, expected one without device addresses", usage);
    return PIXMPI_SUCCESS;
}

Status allocate(vkMPI_Context context, std::size_t bytes, VkBufferUsageFlags usage, pixMPI_Sharing kind, void **pointer,
                VkBuffer *buffer) {
    if (const Status status = check_arguments(bytes, usage, pointer))
        return status;
    std::shared_ptr<VulkanDevice> device;
    if (const Status status = find_context(context, "context", device))
        return status;
    if (!device->usable())
        return fail(PIXMPI_ERR_CONTEXT, "context: belongs to another thread, expected this one to be bound");
    pixmpi::SharingChoice choice;
    if (const Status status = core().choose_sharing(kind, device->near_host(), device->imports(), choice))
        return status;
    const Place place = choice.shadow ? Place::device : choice.kind == PIXMPI_SHARED_MAPPED ? Place::near : Place::host;
    auto backing = std::make_unique<Backing>(std::move(device));
    if (const Status status = backing->open(context, bytes, place, usage))
        return status;
    const VkBuffer name = backing->name();
    if (const Status status = core().share(std::move(backing), bytes, choice, pointer))
        return status;
    if (buffer)
        *buffer = name;
    return PIXMPI_SUCCESS;
}

} // namespace
} // namespace vkmpi

int vkMPI_Shared_create(vkMPI_Context context, size_t bytes, VkBufferUsageFlags usage, pixMPI_Sharing kind,
                        void **pointer, VkBuffer *buffer) {
    return pixmpi::public_call("vkMPI_Shared_create",
                               [&] { return vkmpi::allocate(context, bytes, usage, kind, pointer, buffer); });
}
