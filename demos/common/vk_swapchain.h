// Images in a window: what is drawn elsewhere is copied into the images of a swapchain, which is made anew whenever the
// window changes.
#pragma once

#include "vk.h"

#include <memory>

namespace demo {

class Swapchain {
  public:
    /// The device's queue has graphics and can show something on that surface.
    Swapchain(const Gpu &gpu, VkSurfaceKHR surface);
    ~Swapchain();
    Swapchain(const Swapchain &) = delete;
    Swapchain &operator=(const Swapchain &) = delete;

    /// Shows the image in a window of that size. Waits and signals of `sync` are made also when nothing can be seen: a
    /// minimised window has no pixels.
    void show(const Image &image, int width, int height, const vkMPI_Sync *sync);

  private:
    bool make(int width, int height);
    bool acquire(int width, int height, std::uint32_t &index);
    void clear();
    void copy(VkCommandBuffer commands, const Image &image, VkImage to) const;

    const Gpu &gpu_;
    const VkSurfaceKHR surface_;
    VkSwapchainKHR swapchain_ = {};
    VkExtent2D extent_ = {};
    int width_ = 0, height_ = 0; ///< of the window that it was made for
    bool stale_ = true;
    std::vector<VkImage> images_;
    std::vector<VkSemaphore> drawn_; ///< for each image: it may be shown
    Commands commands_[2]{Commands(gpu_), Commands(gpu_)};
    VkSemaphore acquired_[2] = {}; ///< for each of the commands: they may begin
    unsigned turn_ = 0;
};

} // namespace demo
