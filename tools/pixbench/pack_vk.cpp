// Images and buffers of Vulkan for the mode pack.

#include "job.h"
#include "pack.h"
#include "pack_surfaces.h"
#include "vk_object.h"

#include "copy_buffer.spv.h"

#include <algorithm>
#include <chrono>
#include <optional>

using demo::check_vk;
using pixmpi::Direction;

namespace {

class VkCardMemory final : public CardMemory {
  public:
    VkCardMemory(const demo::Gpu &gpu, VkObject &object, const RegionCase &what, bool software);
    ~VkCardMemory() override;
    std::shared_ptr<pixmpi::Surface> surface(Direction direction) override;
    void copy_by_command() override { submit(command); }
    bool copy_by_shader() override;
    void naive(Direction direction) override { submit(direction == Direction::pack ? naive_pack : naive_unpack); }
    double time(const std::function<void()> &work) override;

  private:
    /// What is recorded once and submitted again and again, each by itself, as the library's bands are.
    enum Commands { command, shader, naive_pack, naive_unpack, load, start, stop, count };
    void submit(Commands which);
    void record(Commands which, VkCommandBuffer commands);

    const demo::Gpu &gpu_;
    VkObject &object_;
    const RegionCase &what_;
    const std::size_t bytes_;
    demo::Buffer from_, to_, load_;
    std::optional<demo::Kernel> kernel_;
    VkDescriptorSet bound_ = {};
    VkCommandBuffer commands_[count] = {};
    VkQueryPool stamps_ = {};
    double asking_ = 0; ///< seconds that the processor needed for what was timed last
};

std::uint32_t storage_range(const demo::Gpu &gpu) {
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(gpu.physical_device, &properties);
    return properties.limits.maxStorageBufferRange;
}

constexpr std::size_t load_bytes = 64 << 20;

VkCardMemory::VkCardMemory(const demo::Gpu &gpu, VkObject &object, const RegionCase &what, bool software)
    : gpu_(gpu), object_(object), what_(what),
      bytes_((static_cast<std::size_t>(what.pixels()) * static_cast<std::size_t>(object.pixel_bytes) + 15) / 16 * 16),
      from_(gpu, bytes_), to_(gpu, bytes_), load_(gpu, software ? 16 : 2 * load_bytes) {
    if (bytes_ <= storage_range(gpu)) {
        kernel_.emplace(gpu, copy_buffer, demo::Kernel::Needs{.images = 0, .buffers = 2, .push_bytes = 4});
        bound_ = kernel_->bind({}, {&from_, &to_});
    }
    const VkQueryPoolCreateInfo two{
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = 2};
    if (gpu.tick > 0 && !software)
        check_vk(vkCreateQueryPool(gpu.device, &two, nullptr, &stamps_), "making time stamps");
}

VkCardMemory::~VkCardMemory() {
    vkQueueWaitIdle(gpu_.queue);
    for (VkCommandBuffer commands : commands_)
        if (commands)
            vkFreeCommandBuffers(gpu_.device, gpu_.pool, 1, &commands);
    vkDestroyQueryPool(gpu_.device, stamps_, nullptr);
}

std::shared_ptr<pixmpi::Surface> VkCardMemory::surface(Direction direction) {
    return device_surface(object_.surface(), direction);
}

bool VkCardMemory::copy_by_shader() {
    if (kernel_)
        submit(shader);
    return kernel_.has_value();
}

void VkCardMemory::record(Commands which, VkCommandBuffer commands) {
    demo::barrier(commands);
    switch (which) {
    case command: {
        const VkBufferCopy all{0, 0, bytes_};
        return vkCmdCopyBuffer(commands, from_.buffer(), to_.buffer(), 1, &all);
    }
    case shader: {
        constexpr int side = 8, row = 16384; // of what a kernel takes for a workgroup; workgroups in a row
        const int groups = static_cast<int>((bytes_ / 16 + 255) / 256), wide = std::min(groups, row);
        return kernel_->run(commands, bound_, std::uint32_t{0}, wide * side, (groups + wide - 1) / wide * side);
    }
    case naive_pack:
        return object_.record_read(commands, what_.rects, to_.buffer());
    case naive_unpack:
        return object_.record_write(commands, what_.rects, from_.buffer());
    case load: {
        const VkBufferCopy half{0, load_bytes, load_bytes};
        return vkCmdCopyBuffer(commands, load_.buffer(), load_.buffer(), 1, &half);
    }
    default:
        if (which == start)
            vkCmdResetQueryPool(commands, stamps_, 0, 2);
        vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, stamps_, which == start ? 0 : 1);
    }
}

void VkCardMemory::submit(Commands which) {
    VkCommandBuffer &commands = commands_[which];
    if (!commands) {
        const VkCommandBufferAllocateInfo one{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                              .commandPool = gpu_.pool,
                                              .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                              .commandBufferCount = 1};
        const VkCommandBufferBeginInfo begin{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                             .flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT};
        check_vk(vkAllocateCommandBuffers(gpu_.device, &one, &commands), "making a command buffer");
        check_vk(vkBeginCommandBuffer(commands, &begin), "beginning commands");
        record(which, commands);
        check_vk(vkEndCommandBuffer(commands), "ending commands");
    }
    const VkSubmitInfo info{
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    check_vk(vkQueueSubmit(gpu_.queue, 1, &info, {}), "submitting commands");
}

double VkCardMemory::time(const std::function<void()> &work) {
    using Clock = std::chrono::steady_clock;
    const auto since = [](Clock::time_point begin) {
        return std::chrono::duration<double>(Clock::now() - begin).count();
    };
    constexpr double load_seconds = 100e-6; // on a fast card
    constexpr int most_loads = 200;
    object_.finish();
    if (stamps_) {
        const int loads = std::clamp(static_cast<int>(2 * asking_ / load_seconds), 4, most_loads);
        for (int i = 0; i < loads; ++i)
            submit(load);
        submit(start);
    }
    const Clock::time_point begin = Clock::now();
    work();
    asking_ = since(begin);
    if (!stamps_) {
        object_.finish();
        return since(begin);
    }
    submit(stop);
    object_.finish();
    std::uint64_t stamps[2];
    check_vk(vkGetQueryPoolResults(gpu_.device, stamps_, 0, 2, sizeof stamps, stamps, sizeof stamps[0],
                                   VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
             "reading time stamps");
    return gpu_.tick * static_cast<double>(stamps[1] - stamps[0]);
}

} // namespace

std::unique_ptr<CardMemory> make_vk_card_memory(const demo::Gpu &gpu, Object &object, const RegionCase &what,
                                                bool software) {
    return std::make_unique<VkCardMemory>(gpu, dynamic_cast<VkObject &>(object), what, software);
}
