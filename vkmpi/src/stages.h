// Stages of Vulkan: buffers that commands copy to and from.
#pragma once

#include "vulkan_device.h"

namespace vkmpi {

class VulkanStage final : public pixmpi::Stage {
  public:
    explicit VulkanStage(std::shared_ptr<VulkanDevice> device) : device_(std::move(device)) {}
    ~VulkanStage() override;
    Status open(pixmpi::StageKind kind, std::byte *memory, std::size_t size);

    VkBuffer buffer = VK_NULL_HANDLE; ///< null: the CPU copies between `host` and a buffer of the batch
    std::size_t base = 0;             ///< where in the buffer the stage begins

  private:
    std::shared_ptr<VulkanDevice> device_;
    std::unique_ptr<Buffer> own_;
    bool pooled_ = false;
};

} // namespace vkmpi
