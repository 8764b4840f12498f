// Stages of Vulkan: buffers that commands copy to and from.
#pragma once

#include "device/vulkan_device.h"

namespace vkmpi {

class VulkanStage final : public pixmpi::Stage {
  public:
    explicit VulkanStage(std::shared_ptr<VulkanDevice> device) : device_(std::move(device)) {}
    ~VulkanStage() override;
    Status open(pixmpi::StageKind kind, std::byte *memory, std::size_t size);

    VkBuffer buffer = VK_NULL_HANDLE; ///< null: the CPU copies between `host` and a buffer of the batch
    std::size_t base = 0;             ///< where in the buffer the stage begins
    bool foreign = false;             ///< other processes' queues use the buffer, too

  private:
    std::shared_ptr<VulkanDevice> device_;
    std::unique_ptr<Buffer> own_;
    Place place_ = Place::host; ///< of its own
};

/// Memory that other processes reach, or theirs.
class VulkanMemory final : public pixmpi::DeviceMemory {
  public:
    VulkanMemory(VulkanDevice &device, std::unique_ptr<Buffer> buffer) : device_(device), buffer_(std::move(buffer)) {}
    Status make_stage(std::size_t offset, std::size_t bytes, std::unique_ptr<pixmpi::Stage> &stage) override;

  private:
    VulkanDevice &device_;
    const std::unique_ptr<Buffer> buffer_;
};

} // namespace vkmpi
