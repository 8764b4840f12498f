#include "facts.h"

#include "error.h"

namespace {

const char *kind_of(VkPhysicalDeviceType type) {
    switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
        return "discrete";
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
        return "integrated";
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
        return "virtual";
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
        return "software";
    default:
        return "other";
    }
}

/// All that the loader lists, in the order of PIXMPI_VK_DEVICE.
Json list_devices(VkInstance instance) {
    std::uint32_t count = 0;
    vkEnumeratePhysicalDevices(instance, &count, nullptr);
    std::vector<VkPhysicalDevice> devices(count);
    vkEnumeratePhysicalDevices(instance, &count, devices.data());
    Json list = Json::array();
    for (VkPhysicalDevice device : devices) {
        VkPhysicalDeviceProperties properties;
        vkGetPhysicalDeviceProperties(device, &properties);
        const std::uint32_t version = properties.apiVersion;
        list.push_back({{"number", list.size()},
                        {"name", properties.deviceName},
                        {"kind", kind_of(properties.deviceType)},
                        {"vulkan", std::to_string(VK_API_VERSION_MAJOR(version)) + "." +
                                       std::to_string(VK_API_VERSION_MINOR(version))}});
    }
    return list;
}

} // namespace

Json make_vulkan(Job &job) {
    vkMPI_Context context = VKMPI_CONTEXT_NULL;
    if (vkMPI_Context_create(nullptr, &context) != PIXMPI_SUCCESS) {
        job.no_gpu = pixMPI_Error_text();
        return {{"error", job.no_gpu}, {"devices", Json::array()}};
    }
    job.gpu = std::make_unique<demo::Gpu>(context);
    const char *name = nullptr;
    vkMPI_Context_info info = VKMPI_CONTEXT_INFO_INIT;
    check(vkMPI_Context_name(context, &name));
    check(vkMPI_Context_get_info(context, &info));
    return {{"device", name}, {"devices", list_devices(info.instance)}};
}

void end_vulkan(Job &job) {
    if (!job.gpu)
        return;
    vkMPI_Context context = job.gpu->context;
    job.gpu.reset();
    check(vkMPI_Context_free(&context));
}
