#include "vk_swapchain.h"

#include "error.h"
#include "fit.h"

#include <algorithm>

namespace demo {

namespace {

VkSemaphore make_semaphore(const Gpu &gpu) {
    const VkSemaphoreCreateInfo info{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    VkSemaphore semaphore;
    check_vk(vkCreateSemaphore(gpu.device, &info, nullptr, &semaphore), "making a semaphore");
    return semaphore;
}

/// Four bytes that mean what they say, without a conversion to sRGB on the way.
VkSurfaceFormatKHR choose_format(const Gpu &gpu, VkSurfaceKHR surface) {
    std::uint32_t count = 0;
    vkGetPhysicalDeviceSurfaceFormatsKHR(gpu.physical_device, surface, &count, nullptr);
    std::vector<VkSurfaceFormatKHR> all(count);
    vkGetPhysicalDeviceSurfaceFormatsKHR(gpu.physical_device, surface, &count, all.data());
    if (all.empty())
        throw Error("the window has no pixel format");
    const auto plain = std::find_if(all.begin(), all.end(), [](const VkSurfaceFormatKHR &one) {
        return one.format == VK_FORMAT_B8G8R8A8_UNORM || one.format == VK_FORMAT_R8G8B8A8_UNORM;
    });
    return plain != all.end() ? *plain : all.front();
}

/// Without waiting for the screen, where that is possible.
VkPresentModeKHR choose_mode(const Gpu &gpu, VkSurfaceKHR surface) {
    std::uint32_t count = 0;
    vkGetPhysicalDeviceSurfacePresentModesKHR(gpu.physical_device, surface, &count, nullptr);
    std::vector<VkPresentModeKHR> all(count);
    vkGetPhysicalDeviceSurfacePresentModesKHR(gpu.physical_device, surface, &count, all.data());
    for (const VkPresentModeKHR mode : {VK_PRESENT_MODE_MAILBOX_KHR, VK_PRESENT_MODE_IMMEDIATE_KHR})
        if (std::find(all.begin(), all.end(), mode) != all.end())
            return mode;
    return VK_PRESENT_MODE_FIFO_KHR;
}

void change_layout(VkCommandBuffer commands, VkImage image, VkImageLayout from, VkImageLayout to) {
    const VkImageMemoryBarrier change{.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                      .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                      .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
                                      .oldLayout = from,
                                      .newLayout = to,
                                      .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                      .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                      .image = image,
                                      .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0,
                         nullptr, 0, nullptr, 1, &change);
}

} // namespace

Swapchain::Swapchain(const Gpu &gpu, VkSurfaceKHR surface) : gpu_(gpu), surface_(surface) {
    for (VkSemaphore &semaphore : acquired_)
        semaphore = make_semaphore(gpu);
}

Swapchain::~Swapchain() {
    gpu_.finish();
    clear();
    vkDestroySwapchainKHR(gpu_.device, swapchain_, nullptr);
    for (const VkSemaphore semaphore : acquired_)
        vkDestroySemaphore(gpu_.device, semaphore, nullptr);
}

void Swapchain::clear() {
    images_.clear();
    for (const VkSemaphore semaphore : drawn_)
        vkDestroySemaphore(gpu_.device, semaphore, nullptr);
    drawn_.clear();
}

/// False where the window has no pixels.
bool Swapchain::make(int width, int height) {
    VkSurfaceCapabilitiesKHR can;
    check_vk(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(gpu_.physical_device, surface_, &can), "asking for the window");
    if ((can.supportedUsageFlags & VK_IMAGE_USAGE_TRANSFER_DST_BIT) == 0)
        throw Error("this device cannot copy into windows");
    extent_ = can.currentExtent;
    if (extent_.width == UINT32_MAX) // the window takes its size from the swapchain
        extent_ = {
            std::clamp(static_cast<std::uint32_t>(width), can.minImageExtent.width, can.maxImageExtent.width),
            std::clamp(static_cast<std::uint32_t>(height), can.minImageExtent.height, can.maxImageExtent.height)};
    if (width == 0 || height == 0 || extent_.width == 0 || extent_.height == 0)
        return false;
    gpu_.finish();
    clear();
    const VkSurfaceFormatKHR format = choose_format(gpu_, surface_);
    const std::uint32_t images = can.minImageCount + 1;
    const VkSwapchainCreateInfoKHR info{.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
                                        .surface = surface_,
                                        .minImageCount =
                                            can.maxImageCount > 0 ? std::min(images, can.maxImageCount) : images,
                                        .imageFormat = format.format,
                                        .imageColorSpace = format.colorSpace,
                                        .imageExtent = extent_,
                                        .imageArrayLayers = 1,
                                        .imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                                        .preTransform = can.currentTransform,
                                        .compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
                                        .presentMode = choose_mode(gpu_, surface_),
                                        .clipped = VK_TRUE,
                                        .oldSwapchain = swapchain_};
    VkSwapchainKHR made = {};
    const VkResult result = vkCreateSwapchainKHR(gpu_.device, &info, nullptr, &made);
    vkDestroySwapchainKHR(gpu_.device, swapchain_, nullptr);
    swapchain_ = made;
    check_vk(result, "making a swapchain");
    std::uint32_t count = 0;
    vkGetSwapchainImagesKHR(gpu_.device, swapchain_, &count, nullptr);
    images_.resize(count);
    check_vk(vkGetSwapchainImagesKHR(gpu_.device, swapchain_, &count, images_.data()), "asking a swapchain");
    while (drawn_.size() < images_.size())
        drawn_.push_back(make_semaphore(gpu_));
    width_ = width;
    height_ = height;
    stale_ = false;
    return true;
}

/// The next image to draw to; false where there is none. The window may change at any time, so that is tried twice.
bool Swapchain::acquire(int width, int height, std::uint32_t &index) {
    for (int attempt = 0; attempt < 2; ++attempt) {
        if ((stale_ || width != width_ || height != height_) && !make(width, height))
            return false;
        const VkResult result =
            vkAcquireNextImageKHR(gpu_.device, swapchain_, UINT64_MAX, acquired_[turn_ % 2], {}, &index);
        stale_ = result == VK_ERROR_OUT_OF_DATE_KHR || result == VK_SUBOPTIMAL_KHR;
        if (result == VK_SUCCESS || result == VK_SUBOPTIMAL_KHR)
            return true;
        if (result != VK_ERROR_OUT_OF_DATE_KHR)
            check_vk(result, "asking for an image of the swapchain");
    }
    return false;
}

void Swapchain::copy(VkCommandBuffer commands, const Image &image, VkImage to) const {
    const VkClearColorValue black{};
    const VkImageSubresourceRange all{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    change_layout(commands, to, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdClearColorImage(commands, to, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &black, 1, &all);
    barrier(commands);
    const Fit at =
        fit(image.width(), image.height(), static_cast<int>(extent_.width), static_cast<int>(extent_.height));
    const VkImageBlit blit{.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                           .srcOffsets = {{0, 0, 0}, {image.width(), image.height(), 1}},
                           .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                           .dstOffsets = {{at.x, at.y, 0}, {at.x + at.width, at.y + at.height, 1}}};
    vkCmdBlitImage(commands, image.image(), VK_IMAGE_LAYOUT_GENERAL, to, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &blit,
                   VK_FILTER_LINEAR);
    change_layout(commands, to, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
}

void Swapchain::show(const Image &image, int width, int height, const vkMPI_Sync *sync) {
    Commands &commands = commands_[turn_ % 2];
    const VkCommandBuffer recording = commands.begin();
    std::uint32_t index = 0;
    if (!acquire(width, height, index)) {
        commands.submit(sync);
        return;
    }
    copy(recording, image, images_[index]);
    Sync all(sync);
    commands.submit(all.wait_for({acquired_[turn_ % 2]}).signal({drawn_[index]}));
    ++turn_;
    const VkPresentInfoKHR info{.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
                                .waitSemaphoreCount = 1,
                                .pWaitSemaphores = &drawn_[index],
                                .swapchainCount = 1,
                                .pSwapchains = &swapchain_,
                                .pImageIndices = &index};
    const VkResult result = vkQueuePresentKHR(gpu_.queue, &info);
    if (result == VK_ERROR_OUT_OF_DATE_KHR || result == VK_SUBOPTIMAL_KHR)
        stale_ = true;
    else
        check_vk(result, "showing an image");
}

} // namespace demo
