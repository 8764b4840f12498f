// What endpoints need of Vulkan: the blocks that shaders and host share, windows, dispatches.
#pragma once

#include "device/vulkan_device.h"
#include "endpoint/backend.h"
#include "endpoint/window_copies.h"
#include "object/batches.h"
#include "vkmpi_device.h"

#include <optional>

namespace vkmpi {

/// Three buffers and the descriptor set that has them.
class VulkanEndpoint final : public pixmpi::EndpointMemory {
  public:
    explicit VulkanEndpoint(std::shared_ptr<VulkanDevice> of) : device(std::move(of)) {
        on_host_cores = device->software;
        if (!device->software)
            card = device->gpu();
        if (device->message_device)
            copies_.emplace(device->message_device);
    }
    ~VulkanEndpoint() override;
    bool shows_writes() override { return device->shows_writes(); }
    Status copy(const pixmpi::Window &from, std::uint64_t offset, const pixmpi::Window &to, std::uint64_t to_offset,
                std::uint64_t bytes, pixmpi::Ticket &ticket, bool &accepted) override;
    Status look_at_copies(pixmpi::Ticket &over) override { return copies_ ? copies_->look(over) : PIXMPI_SUCCESS; }
    /// Of so many words.
    Status open(std::size_t in_words, std::size_t out_words, std::size_t kept_words);

    const std::shared_ptr<VulkanDevice> device;
    VkDescriptorSetLayout layout = VK_NULL_HANDLE;
    VkDescriptorSet set = VK_NULL_HANDLE;

  private:
    Status make_set();

    std::unique_ptr<Buffer> in_, out_, kept_;
    VkDescriptorPool pool_ = VK_NULL_HANDLE;
    std::optional<WindowCopies> copies_;
};

class VulkanKernel final : public pixmpi::Kernel {
  public:
    VulkanKernel(std::shared_ptr<VulkanEndpoint> endpoint, const vkMPI_Kernel &kernel);
    ~VulkanKernel() override;
    const std::shared_ptr<pixmpi::Device> &device() const override { return device_; }
    Status dispatch(std::uint32_t groups) override;
    Status poll(bool &over) override;

  private:
    void record(VkCommandBuffer commands, std::uint32_t groups) const;
    VulkanDevice &vulkan() const { return *endpoint_->device; }

    const std::shared_ptr<VulkanEndpoint> endpoint_;
    const std::shared_ptr<pixmpi::Device> device_;
    const VkPipeline pipeline_;
    const VkPipelineLayout layout_;
    std::vector<VkDescriptorSet> sets_;
    std::vector<std::byte> push_;
    Batch *batch_ = nullptr; ///< under way
};

/// A window of what the program named.
Status make_window(vkMPI_Context context, const vkMPI_Surface &named, std::unique_ptr<pixmpi::Window> &window);

} // namespace vkmpi
