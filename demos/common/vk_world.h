// A rank that draws with Vulkan: rank 0 with a device that shows images in a window, unless --headless. All other
// ranks, and without windows rank 0 as well, draw with a device that vkMPI has chosen.
#pragma once

#include "demo.h"
#include "vk.h"

#include <memory>
#include <optional>

namespace demo {

class Swapchain;
class VkWindow;

class VkWorld : public World {
  public:
    explicit VkWorld(const Start &start);
    ~VkWorld() override;

    const Gpu &gpu() const { return *gpu_; }
    /// Shows an image in the window, if there is one, when what `sync` waits for has come. The semaphores that it
    /// signals are signalled in any case, when the image may be written again. For rank 0.
    void show(const Image &image, const vkMPI_Sync *sync = nullptr);

  private:
    bool open() override;
    std::unique_ptr<VkWindow> window_;
    vkMPI_Context context_ = VKMPI_CONTEXT_NULL; ///< without a window
    std::optional<Gpu> gpu_;
    std::unique_ptr<Swapchain> swapchain_;
    std::unique_ptr<Commands> nothing_; ///< for the semaphores where there is no window
};

} // namespace demo
