// Images of Vulkan for the mode pack.

#include "measure/job.h"
#include "measure/report.h"
#include "object/vk_object.h"
#include "pack/pack.h"
#include "pack/pack_surfaces.h"

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
    std::shared_ptr<pixmpi::Surface> surface(Direction direction) override {
        return device_surface(object_.surface(), direction);
    }
    double copy_by_command(int times) override;
    double copy_by_shader(int times) override;
    double naive(Direction direction, int times) override;
    double library(Direction direction, const std::shared_ptr<const pixmpi::Region> &region, int times) override;

  private:
    using Clock = std::chrono::steady_clock;
    void stamp(VkCommandBuffer commands, bool before) const;
    double between_stamps() const;
    double wall_clock(Clock::time_point begin) const {
        return std::chrono::duration<double>(Clock::now() - begin).count();
    }
    template <class Record> double time(int times, Record record);

    const demo::Gpu &gpu_;
    VkObject &object_;
    const RegionCase &what_;
    const std::size_t bytes_;
    demo::Buffer from_, to_;
    std::optional<demo::Kernel> kernel_;
    VkDescriptorSet bound_ = {};
    VkQueryPool stamps_ = {}; ///< null: the clock on the wall counts
};

std::uint32_t storage_range(const demo::Gpu &gpu) {
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(gpu.physical_device, &properties);
    return properties.limits.maxStorageBufferRange;
}

VkCardMemory::VkCardMemory(const demo::Gpu &gpu, VkObject &object, const RegionCase &what, bool software)
    : gpu_(gpu), object_(object), what_(what),
      bytes_((static_cast<std::size_t>(what.pixels()) * static_cast<std::size_t>(object.pixel_bytes) + 15) / 16 * 16),
      from_(gpu, bytes_), to_(gpu, bytes_) {
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
    vkDestroyQueryPool(gpu_.device, stamps_, nullptr);
}

void VkCardMemory::stamp(VkCommandBuffer commands, bool before) const {
    if (!stamps_)
        return;
    if (before)
        vkCmdResetQueryPool(commands, stamps_, 0, 2);
    vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, stamps_, before ? 0 : 1);
}

double VkCardMemory::between_stamps() const {
    std::uint64_t stamps[2];
    check_vk(vkGetQueryPoolResults(gpu_.device, stamps_, 0, 2, sizeof stamps, stamps, sizeof stamps[0],
                                   VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
             "reading time stamps");
    return gpu_.tick * static_cast<double>(stamps[1] - stamps[0]);
}

// One submission; the first run is not counted.
template <class Record> double VkCardMemory::time(int times, Record record) {
    object_.finish();
    const Clock::time_point begin = Clock::now();
    gpu_.run([&](VkCommandBuffer commands) {
        for (int i = stamps_ ? -1 : 0; i < times; ++i) {
            if (i == 0)
                stamp(commands, true);
            record(commands);
            demo::barrier(commands);
        }
        stamp(commands, false);
    });
    return (stamps_ ? between_stamps() : wall_clock(begin)) / times;
}

double VkCardMemory::copy_by_command(int times) {
    return time(times, [&](VkCommandBuffer commands) {
        const VkBufferCopy all{0, 0, bytes_};
        vkCmdCopyBuffer(commands, from_.buffer(), to_.buffer(), 1, &all);
    });
}

double VkCardMemory::copy_by_shader(int times) {
    if (!kernel_)
        return not_measured;
    constexpr int side = 8, most = 65535; // of what a kernel takes for a workgroup; workgroups in a row
    const int groups = static_cast<int>((bytes_ / 16 + 255) / 256), rows = (groups + most - 1) / most;
    return time(times, [&](VkCommandBuffer commands) {
        kernel_->run(commands, bound_, std::uint32_t{0}, (groups + rows - 1) / rows * side, rows * side);
    });
}

double VkCardMemory::naive(Direction direction, int times) {
    return time(times, [&](VkCommandBuffer commands) {
        if (direction == Direction::pack)
            object_.record_read(commands, what_.rects, to_.buffer());
        else
            object_.record_write(commands, what_.rects, from_.buffer());
    });
}

double VkCardMemory::library(Direction direction, const std::shared_ptr<const pixmpi::Region> &region, int times) {
    const std::shared_ptr<pixmpi::Surface> here = surface(direction);
    const VkBuffer buffer = direction == Direction::pack ? to_.buffer() : from_.buffer();
    const auto moments = [this](VkCommandBuffer commands, Moment moment) {
        if (moment == Moment::between)
            demo::barrier(commands);
        else
            stamp(commands, moment == Moment::before);
    };
    const Clock::time_point begin = Clock::now();
    if (!pack_in_a_row(*here, direction, region, buffer, times, moments))
        return not_measured;
    return (stamps_ ? between_stamps() : wall_clock(begin)) / times;
}

} // namespace

std::unique_ptr<CardMemory> make_vk_card_memory(const demo::Gpu &gpu, Object &object, const RegionCase &what,
                                                bool software) {
    return std::make_unique<VkCardMemory>(gpu, dynamic_cast<VkObject &>(object), what, software);
}
