// A window, and a device of Vulkan that can show something in it: a program's own instance, device and queue, for a
// context of vkMPI.
#pragma once

#include "vk_surface.h"

#include <memory>
#include <string>
#include <vkmpi.h>

namespace demo {

class VkWindow {
  public:
    VkWindow(const std::string &title, int width, int height);
    ~VkWindow();
    VkWindow(const VkWindow &) = delete;
    VkWindow &operator=(const VkWindow &) = delete;

    Window &window() const { return *window_; }
    VkSurfaceKHR surface() const { return surface_; }
    vkMPI_Context context() const { return context_; }

  private:
    void make_instance(const char *name);
    void choose_device();
    void make_device();

    std::unique_ptr<Window> window_;
    VkInstance instance_ = {};
    VkSurfaceKHR surface_ = {};
    VkPhysicalDevice physical_device_ = {};
    std::uint32_t family_ = 0; ///< of its queues, one that has graphics and can show images in the window
    VkDevice device_ = {};
    vkMPI_Context context_ = VKMPI_CONTEXT_NULL;
};

} // namespace demo
