#include "vk_window.h"

#include "error.h"
#include "vk.h"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace demo {

namespace {

/// The first queue family with graphics that can show images on the surface; -1: none.
int find_family(VkPhysicalDevice device, VkSurfaceKHR surface) {
    std::uint32_t count = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    vkGetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
    for (std::uint32_t i = 0; i < count; ++i) {
        VkBool32 shows = VK_FALSE;
        vkGetPhysicalDeviceSurfaceSupportKHR(device, i, surface, &shows);
        if (shows && (families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT) != 0)
            return static_cast<int>(i);
    }
    return -1;
}

bool has_swapchain(VkPhysicalDevice device) {
    std::uint32_t count = 0;
    vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr);
    std::vector<VkExtensionProperties> all(count);
    vkEnumerateDeviceExtensionProperties(device, nullptr, &count, all.data());
    return std::any_of(all.begin(), all.end(), [](const VkExtensionProperties &one) {
        return std::strcmp(one.extensionName, VK_KHR_SWAPCHAIN_EXTENSION_NAME) == 0;
    });
}

/// Cards before what is part of a processor, and that before software.
int preference(VkPhysicalDeviceType type) {
    switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
        return 4;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
        return 3;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
        return 2;
    default:
        return 1;
    }
}

} // namespace

VkWindow::VkWindow(const std::string &title, int width, int height)
    : window_(Window::make(title, width, height, Window::For::vulkan)) {
    make_instance(title.c_str());
    surface_ = make_surface(instance_, *window_);
    choose_device();
    make_device();
}

VkWindow::~VkWindow() {
    if (context_)
        vkMPI_Context_free(&context_);
    if (device_)
        vkDestroyDevice(device_, nullptr);
    vkDestroySurfaceKHR(instance_, surface_, nullptr);
    vkDestroyInstance(instance_, nullptr);
}

void VkWindow::make_instance(const char *name) {
    const std::vector<const char *> extensions = surface_extensions();
    const VkApplicationInfo application{
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .pApplicationName = name, .apiVersion = VK_API_VERSION_1_2};
    const VkInstanceCreateInfo info{.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                    .pApplicationInfo = &application,
                                    .enabledExtensionCount = static_cast<std::uint32_t>(extensions.size()),
                                    .ppEnabledExtensionNames = extensions.data()};
    check_vk(vkCreateInstance(&info, nullptr, &instance_), "making an instance");
}

void VkWindow::choose_device() {
    std::uint32_t count = 0;
    vkEnumeratePhysicalDevices(instance_, &count, nullptr);
    std::vector<VkPhysicalDevice> all(count);
    vkEnumeratePhysicalDevices(instance_, &count, all.data());
    int best = 0;
    for (const VkPhysicalDevice device : all) {
        VkPhysicalDeviceProperties properties;
        vkGetPhysicalDeviceProperties(device, &properties);
        const int family = find_family(device, surface_);
        if (family < 0 || properties.apiVersion < VK_API_VERSION_1_2 || !has_swapchain(device) ||
            preference(properties.deviceType) <= best)
            continue;
        best = preference(properties.deviceType);
        physical_device_ = device;
        family_ = static_cast<std::uint32_t>(family);
    }
    if (best == 0)
        throw Error("none of " + std::to_string(count) +
                    " devices has Vulkan 1.2 and can show images in this window: use --headless");
}

void VkWindow::make_device() {
    // What vkMPI is faster with, and what a window needs.
    std::uint32_t count = 0;
    vkMPI_Device_extensions(nullptr, instance_, physical_device_, &count, nullptr);
    std::vector<const char *> extensions(count);
    vkMPI_Device_extensions(nullptr, instance_, physical_device_, &count, extensions.data());
    extensions.push_back(VK_KHR_SWAPCHAIN_EXTENSION_NAME);

    const float priority = 1;
    const VkDeviceQueueCreateInfo queues{.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                         .queueFamilyIndex = family_,
                                         .queueCount = 1,
                                         .pQueuePriorities = &priority};
    const bool numbers = std::find(extensions.begin(), extensions.end(),
                                   std::string_view(VK_EXT_PRIVATE_DATA_EXTENSION_NAME)) != extensions.end();
    VkPhysicalDevicePrivateDataFeaturesEXT private_data{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIVATE_DATA_FEATURES_EXT, .privateData = VK_TRUE};
    const VkPhysicalDeviceVulkan12Features features{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                    .pNext = numbers ? &private_data : nullptr,
                                                    .timelineSemaphore = VK_TRUE};
    const VkDeviceCreateInfo info{.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                  .pNext = &features,
                                  .queueCreateInfoCount = 1,
                                  .pQueueCreateInfos = &queues,
                                  .enabledExtensionCount = static_cast<std::uint32_t>(extensions.size()),
                                  .ppEnabledExtensionNames = extensions.data()};
    check_vk(vkCreateDevice(physical_device_, &info, nullptr, &device_), "making a device");

    vkMPI_Context_info mine{.struct_size = sizeof(vkMPI_Context_info), .instance = instance_,
                            .physical_device = physical_device_,
                            .device = device_,
                            .queue_family = family_,
                            .extension_count = static_cast<std::uint32_t>(extensions.size()),
                            .extensions = extensions.data(),
                            .features = numbers ? VKMPI_FEATURE_PRIVATE_DATA : 0};
    vkGetDeviceQueue(device_, family_, 0, &mine.queue);
    vkMPI_Context_create(&mine, &context_);
}

} // namespace demo
