// An instance, a device and a queue without a window, for programs that bring none.

#include "base/environment.h"
#include "context/headless_choice.h"
#include "device/vulkan_device.h"

#include <vector>

namespace vkmpi {

using namespace pixmpi;

namespace {

constexpr const char *wanted_extensions[] = {VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME,
                                             VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME,
                                             VK_EXT_PRIVATE_DATA_EXTENSION_NAME};

Status make_instance(Headless &made, PFN_vkGetInstanceProcAddr get) {
    const auto create = reinterpret_cast<PFN_vkCreateInstance>(get(nullptr, "vkCreateInstance"));
    if (!create)
        return fail(PIXMPI_ERR_DEVICE, "Vulkan: the loader has no vkCreateInstance");
    VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
    application.pApplicationName = application.pEngineName = "vkmpi";
    application.apiVersion = VK_API_VERSION_1_2;
    VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    info.pApplicationInfo = &application;
    const VkResult result = create(&info, nullptr, &made.instance);
    if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
        return fail(PIXMPI_ERR_DEVICE, "Vulkan: no driver is installed, expected one of Vulkan 1.2 or later");
    if (const Status status = check(result, "vkCreateInstance"))
        return status;
    return load_instance_functions(get, made.instance, made.vk);
}

Status list_devices(const Headless &made, std::vector<VkPhysicalDevice> &devices, std::vector<Candidate> &candidates) {
    std::uint32_t count = 0;
    if (const Status status =
            check(made.vk.EnumeratePhysicalDevices(made.instance, &count, nullptr), "vkEnumeratePhysicalDevices"))
        return status;
    devices.resize(count);
    if (const Status status = check(made.vk.EnumeratePhysicalDevices(made.instance, &count, devices.data()),
                                    "vkEnumeratePhysicalDevices"))
        return status;
    for (const VkPhysicalDevice device : devices) {
        VkPhysicalDeviceProperties properties;
        made.vk.GetPhysicalDeviceProperties(device, &properties);
        candidates.push_back({properties.deviceName, properties.deviceType, properties.apiVersion});
    }
    return PIXMPI_SUCCESS;
}

// Graphics with compute, else compute, else what copies. PIXMPI_VK_QUEUE=compute: compute alone, where there is such a
// family.
Status choose_family(const Headless &made, VkPhysicalDevice device, std::uint32_t &family) {
    std::uint32_t count = 0;
    made.vk.GetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    made.vk.GetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
    bool computes = false;
    if (const Status status = read_word("PIXMPI_VK_QUEUE", computes))
        return status;
    constexpr VkQueueFlags kinds = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
    for (family = 0; computes && family < count; ++family)
        if ((families[family].queueFlags & kinds) == VK_QUEUE_COMPUTE_BIT)
            return PIXMPI_SUCCESS;
    for (const VkQueueFlags wish : {kinds, VkQueueFlags{VK_QUEUE_COMPUTE_BIT}, VkQueueFlags{VK_QUEUE_TRANSFER_BIT}})
        for (family = 0; family < count; ++family)
            if ((families[family].queueFlags & wish) == wish)
                return PIXMPI_SUCCESS;
    return fail(PIXMPI_ERR_DEVICE, "device: has no queue that copies");
}

// A queue of a GPU that works during a dispatch of the first one: of another family, with compute or at least copies.
void choose_message_family(const Headless &made, vkMPI_Context_info &info, bool &found) {
    VkPhysicalDeviceProperties properties;
    made.vk.GetPhysicalDeviceProperties(info.physical_device, &properties);
    std::uint32_t count = 0;
    made.vk.GetPhysicalDeviceQueueFamilyProperties(info.physical_device, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    made.vk.GetPhysicalDeviceQueueFamilyProperties(info.physical_device, &count, families.data());
    found = false;
    if (properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU)
        return;
    for (const VkQueueFlags wish : {VkQueueFlags{VK_QUEUE_COMPUTE_BIT}, VkQueueFlags{VK_QUEUE_TRANSFER_BIT}})
        for (std::uint32_t family = 0; family < count && !found; ++family)
            if (family != info.queue_family && (families[family].queueFlags & wish) == wish) {
                info.message_family = family;
                found = true;
            }
}

std::vector<const char *> extensions_of(const Vk &vk, VkPhysicalDevice device) {
    std::uint32_t count = 0;
    std::vector<VkExtensionProperties> all;
    if (vk.EnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr) == VK_SUCCESS) {
        all.resize(count);
        if (vk.EnumerateDeviceExtensionProperties(device, nullptr, &count, all.data()) != VK_SUCCESS)
            all.clear();
    }
    std::vector<const char *> found;
    for (const char *name : wanted_extensions)
        for (const VkExtensionProperties &one : all)
            if (std::string_view(one.extensionName) == name)
                found.push_back(name);
    return found;
}

Status make_device(Headless &made, vkMPI_Context_info &info, std::vector<const char *> &extensions) {
    extensions = extensions_of(made.vk, info.physical_device);
    bool second = false;
    choose_message_family(made, info, second);
    const float priority = 1;
    VkDeviceQueueCreateInfo queues[2];
    for (VkDeviceQueueCreateInfo &queue : queues) {
        queue = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
        queue.queueCount = 1;
        queue.pQueuePriorities = &priority;
    }
    queues[0].queueFamilyIndex = info.queue_family;
    queues[1].queueFamilyIndex = info.message_family;
    VkPhysicalDeviceTimelineSemaphoreFeatures timeline{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES};
    timeline.timelineSemaphore = VK_TRUE;
    VkPhysicalDevicePrivateDataFeaturesEXT numbers{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIVATE_DATA_FEATURES_EXT};
    if (std::find(extensions.begin(), extensions.end(), std::string_view(VK_EXT_PRIVATE_DATA_EXTENSION_NAME)) !=
        extensions.end()) { // so it has the feature
        numbers.privateData = VK_TRUE;
        timeline.pNext = &numbers;
        info.features = VKMPI_FEATURE_PRIVATE_DATA;
    }
    VkDeviceCreateInfo device{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
    device.pNext = &timeline;
    device.queueCreateInfoCount = second ? 2 : 1;
    device.pQueueCreateInfos = queues;
    device.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
    device.ppEnabledExtensionNames = extensions.data();
    if (const Status status =
            check(made.vk.CreateDevice(info.physical_device, &device, nullptr, &made.device), "vkCreateDevice"))
        return status;
    if (const Status status = load_device_functions(made.device, made.vk))
        return status;
    info.device = made.device;
    made.vk.GetDeviceQueue(made.device, info.queue_family, 0, &info.queue);
    if (second)
        made.vk.GetDeviceQueue(made.device, info.message_family, 0, &info.message_queue);
    return PIXMPI_SUCCESS;
}

} // namespace

Headless::~Headless() {
    if (device && vk.DestroyDevice)
        vk.DestroyDevice(device, nullptr);
    if (instance && vk.DestroyInstance)
        vk.DestroyInstance(instance, nullptr);
}

Status make_headless(std::unique_ptr<Headless> &headless, vkMPI_Context_info &info) {
    auto made = std::make_unique<Headless>();
    if (const Status status = find_loader(nullptr, info.get_instance_proc_addr))
        return status;
    if (const Status status = make_instance(*made, info.get_instance_proc_addr))
        return status;
    std::vector<VkPhysicalDevice> devices;
    std::vector<Candidate> candidates;
    if (const Status status = list_devices(*made, devices, candidates))
        return status;
    std::size_t chosen = 0;
    if (const Status status = choose(candidates, rank_within_host(), chosen))
        return status;
    info.instance = made->instance;
    info.physical_device = devices[chosen];
    if (const Status status = choose_family(*made, info.physical_device, info.queue_family))
        return status;
    if (const Status status = make_device(*made, info, made->extensions))
        return status;
    info.extension_count = static_cast<std::uint32_t>(made->extensions.size());
    info.extensions = made->extensions.data();
    headless = std::move(made);
    return PIXMPI_SUCCESS;
}

} // namespace vkmpi

using namespace vkmpi;

int vkMPI_Device_extensions(PFN_vkGetInstanceProcAddr get_instance_proc_addr, VkInstance instance,
                            VkPhysicalDevice physical_device, uint32_t *count, const char **names) {
    return call_without_lock("vkMPI_Device_extensions", [&]() -> Status {
        if (!instance || !physical_device || !count)
            return fail(PIXMPI_ERR_ARGUMENT, "%s: null, expected one",
                        !instance          ? "instance"
                        : !physical_device ? "physical_device"
                                           : "count");
        PFN_vkGetInstanceProcAddr get = nullptr;
        if (const Status status = find_loader(get_instance_proc_addr, get))
            return status;
        Vk vk;
        if (const Status status = load_instance_functions(get, instance, vk))
            return status;
        const std::vector<const char *> found = extensions_of(vk, physical_device);
        if (names && *count < found.size())
            return fail(PIXMPI_ERR_ARGUMENT, "count: %u, expected room for %zu names", *count, found.size());
        for (std::size_t i = 0; names && i < found.size(); ++i)
            names[i] = found[i];
        *count = static_cast<std::uint32_t>(found.size());
        return PIXMPI_SUCCESS;
    });
}
