#include "vk.h"

#include "error.h"

#include <string>

namespace demo {

void check_vk(VkResult result, const char *what) {
    if (result != VK_SUCCESS)
        throw Error(std::string(what) + ": Vulkan error " + std::to_string(result));
}

Gpu::Gpu(vkMPI_Context context_) : context(context_) {
    vkMPI_Context_info info = VKMPI_CONTEXT_INFO_INIT;
    vkMPI_Context_get_info(context, &info);
    physical_device = info.physical_device;
    device = info.device;
    queue = info.queue;
    const VkCommandPoolCreateInfo commands{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                           .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                           .queueFamilyIndex = info.queue_family};
    check_vk(vkCreateCommandPool(device, &commands, nullptr, &pool), "making a command pool");

    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(physical_device, &properties);
    std::uint32_t count = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(physical_device, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    vkGetPhysicalDeviceQueueFamilyProperties(physical_device, &count, families.data());
    if (families[info.queue_family].timestampValidBits > 0)
        tick = 1e-9 * static_cast<double>(properties.limits.timestampPeriod);
}

Gpu::~Gpu() { vkDestroyCommandPool(device, pool, nullptr); }

void Gpu::run(const std::function<void(VkCommandBuffer)> &record) const {
    Commands once(*this);
    record(once.begin());
    once.submit();
    once.wait();
}

VkDeviceMemory Gpu::allocate(const VkMemoryRequirements &needs, bool host) const {
    VkPhysicalDeviceMemoryProperties all;
    vkGetPhysicalDeviceMemoryProperties(physical_device, &all);
    const auto find = [&](VkMemoryPropertyFlags wanted) {
        std::uint32_t type = 0;
        while (type < all.memoryTypeCount &&
               ((needs.memoryTypeBits >> type & 1) == 0 || (all.memoryTypes[type].propertyFlags & wanted) != wanted))
            ++type;
        return type;
    };
    constexpr VkMemoryPropertyFlags mapped = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    VkMemoryAllocateInfo info{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs.size};
    info.memoryTypeIndex = find(host ? mapped | VK_MEMORY_PROPERTY_HOST_CACHED_BIT // else reading takes very long
                                     : VkMemoryPropertyFlags{VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT});
    if (host && info.memoryTypeIndex == all.memoryTypeCount)
        info.memoryTypeIndex = find(mapped);
    if (info.memoryTypeIndex == all.memoryTypeCount)
        throw Error("this device has no memory of a kind that is needed");
    VkDeviceMemory memory;
    check_vk(vkAllocateMemory(device, &info, nullptr, &memory), "allocating memory");
    return memory;
}

void Sync::Points::add(SemaphorePoint point) {
    semaphores.push_back(point.semaphore);
    values.push_back(point.value);
}

Sync::Sync(std::initializer_list<SemaphorePoint> waits, std::initializer_list<SemaphorePoint> signals) {
    for (const SemaphorePoint &point : waits)
        wait_for(point);
    for (const SemaphorePoint &point : signals)
        signal(point);
}

Sync::Sync(const vkMPI_Sync *other) {
    for (std::uint32_t i = 0; other && i < other->wait_count; ++i)
        wait_for({other->waits[i], other->wait_values ? other->wait_values[i] : 0});
    for (std::uint32_t i = 0; other && i < other->signal_count; ++i)
        signal({other->signals[i], other->signal_values ? other->signal_values[i] : 0});
}

Sync &Sync::wait_for(SemaphorePoint point) {
    waits_.add(point);
    sync_.wait_count = static_cast<std::uint32_t>(waits_.values.size());
    sync_.waits = waits_.semaphores.data();
    sync_.wait_values = waits_.values.data();
    return *this;
}

Sync &Sync::signal(SemaphorePoint point) {
    signals_.add(point);
    sync_.signal_count = static_cast<std::uint32_t>(signals_.values.size());
    sync_.signals = signals_.semaphores.data();
    sync_.signal_values = signals_.values.data();
    return *this;
}

Timeline::Timeline(const Gpu &gpu) : gpu_(gpu) {
    const VkSemaphoreTypeCreateInfo type{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                         .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    const VkSemaphoreCreateInfo info{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    check_vk(vkCreateSemaphore(gpu.device, &info, nullptr, &semaphore_), "making a semaphore");
}

Timeline::~Timeline() {
    gpu_.finish();
    vkDestroySemaphore(gpu_.device, semaphore_, nullptr);
}

Commands::Commands(const Gpu &gpu, bool timed) : gpu_(gpu) {
    const VkCommandBufferAllocateInfo buffer{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                             .commandPool = gpu.pool,
                                             .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                             .commandBufferCount = 1};
    const VkFenceCreateInfo fence{.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, .flags = VK_FENCE_CREATE_SIGNALED_BIT};
    const VkQueryPoolCreateInfo times{
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = 2};
    check_vk(vkAllocateCommandBuffers(gpu.device, &buffer, &buffer_), "making a command buffer");
    check_vk(vkCreateFence(gpu.device, &fence, nullptr, &done_), "making a fence");
    if (timed && gpu.tick > 0)
        check_vk(vkCreateQueryPool(gpu.device, &times, nullptr, &times_), "making a query pool");
}

Commands::~Commands() {
    vkWaitForFences(gpu_.device, 1, &done_, VK_TRUE, UINT64_MAX);
    vkDestroyQueryPool(gpu_.device, times_, nullptr);
    vkDestroyFence(gpu_.device, done_, nullptr);
    vkFreeCommandBuffers(gpu_.device, gpu_.pool, 1, &buffer_);
}

VkCommandBuffer Commands::begin() {
    wait();
    const VkCommandBufferBeginInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                        .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    check_vk(vkBeginCommandBuffer(buffer_, &info), "beginning commands");
    barrier(buffer_);
    if (times_) {
        vkCmdResetQueryPool(buffer_, times_, 0, 2);
        vkCmdWriteTimestamp(buffer_, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, times_, 0); // after all that came before
    }
    return buffer_;
}

void Commands::submit(const vkMPI_Sync *sync) {
    const vkMPI_Sync none{}, &points = sync ? *sync : none;
    if (times_)
        vkCmdWriteTimestamp(buffer_, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, times_, 1);
    check_vk(vkEndCommandBuffer(buffer_), "ending commands");
    const std::vector<VkPipelineStageFlags> stages(points.wait_count, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
    const VkTimelineSemaphoreSubmitInfo values{.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                               .waitSemaphoreValueCount = points.wait_count,
                                               .pWaitSemaphoreValues = points.wait_values,
                                               .signalSemaphoreValueCount = points.signal_count,
                                               .pSignalSemaphoreValues = points.signal_values};
    const VkSubmitInfo info{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                            .pNext = &values,
                            .waitSemaphoreCount = points.wait_count,
                            .pWaitSemaphores = points.waits,
                            .pWaitDstStageMask = stages.data(),
                            .commandBufferCount = 1,
                            .pCommandBuffers = &buffer_,
                            .signalSemaphoreCount = points.signal_count,
                            .pSignalSemaphores = points.signals};
    check_vk(vkResetFences(gpu_.device, 1, &done_), "resetting a fence");
    check_vk(vkQueueSubmit(gpu_.queue, 1, &info, done_), "submitting commands");
}

void Commands::wait() const {
    check_vk(vkWaitForFences(gpu_.device, 1, &done_, VK_TRUE, UINT64_MAX), "waiting for commands");
}

bool Commands::over() const { return vkGetFenceStatus(gpu_.device, done_) == VK_SUCCESS; }

double Commands::seconds() const {
    if (!times_)
        throw Error("this device's queue has no time stamps");
    wait();
    std::uint64_t times[2];
    check_vk(vkGetQueryPoolResults(gpu_.device, times_, 0, 2, sizeof times, times, sizeof times[0],
                                   VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
             "reading time stamps");
    return gpu_.tick * static_cast<double>(times[1] - times[0]);
}

void barrier(VkCommandBuffer commands) {
    const VkMemoryBarrier all{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                              .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                              .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &all,
                         0, nullptr, 0, nullptr);
}

} // namespace demo
