#include "context/vk.h"

#include <dlfcn.h>

namespace vkmpi {

using pixmpi::fail;

Status find_loader(PFN_vkGetInstanceProcAddr given, PFN_vkGetInstanceProcAddr &found) {
    // Never closed: objects of Vulkan may outlive us.
    static void *const library = [] {
        void *loaded = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
        return loaded ? loaded : dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    }();
    found = given;
    if (!found && library)
        found = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vkGetInstanceProcAddr"));
    if (!found)
        return fail(PIXMPI_ERR_DEVICE, "Vulkan: there is no libvulkan.so.1, expected Vulkan's loader");
    return PIXMPI_SUCCESS;
}

namespace {

Status missing(const char *name) {
    return fail(PIXMPI_ERR_DEVICE, "Vulkan: has no vk%s, expected Vulkan 1.2 or later", name);
}

} // namespace

Status load_instance_functions(PFN_vkGetInstanceProcAddr get, VkInstance instance, Vk &vk) {
    vk.GetInstanceProcAddr = get;
#define X(name)                                                                                                        \
    vk.name = reinterpret_cast<PFN_vk##name>(get(instance, "vk" #name));                                               \
    if (!vk.name)                                                                                                      \
        return missing(#name);
    VKMPI_INSTANCE_FUNCTIONS(X)
#undef X
    return PIXMPI_SUCCESS;
}

Status load_device_functions(VkDevice device, Vk &vk) {
#define X(name)                                                                                                        \
    vk.name = reinterpret_cast<PFN_vk##name>(vk.GetDeviceProcAddr(device, "vk" #name));                                \
    if (!vk.name)                                                                                                      \
        return missing(#name);
    VKMPI_DEVICE_FUNCTIONS(X)
#undef X
    return PIXMPI_SUCCESS;
}

void load_private_data(VkDevice device, Vk &vk) {
    const auto find = [&](const char *core, const char *extension) {
        const PFN_vkVoidFunction found = vk.GetDeviceProcAddr(device, extension);
        return found ? found : vk.GetDeviceProcAddr(device, core);
    };
    Vk all = vk;
    bool complete = true;
#define X(name)                                                                                                        \
    all.name##EXT = reinterpret_cast<PFN_vk##name##EXT>(find("vk" #name, "vk" #name "EXT"));                           \
    complete = complete && all.name##EXT;
    X(CreatePrivateDataSlot)
    X(DestroyPrivateDataSlot)
    X(GetPrivateData)
    X(SetPrivateData)
#undef X
    if (complete)
        vk = all;
}

const char *result_name(VkResult result) {
    switch (result) {
#define X(name)                                                                                                        \
    case name:                                                                                                         \
        return #name;
        X(VK_SUCCESS)
        X(VK_NOT_READY)
        X(VK_TIMEOUT)
        X(VK_INCOMPLETE)
        X(VK_ERROR_OUT_OF_HOST_MEMORY)
        X(VK_ERROR_OUT_OF_DEVICE_MEMORY)
        X(VK_ERROR_INITIALIZATION_FAILED)
        X(VK_ERROR_DEVICE_LOST)
        X(VK_ERROR_MEMORY_MAP_FAILED)
        X(VK_ERROR_LAYER_NOT_PRESENT)
        X(VK_ERROR_EXTENSION_NOT_PRESENT)
        X(VK_ERROR_FEATURE_NOT_PRESENT)
        X(VK_ERROR_INCOMPATIBLE_DRIVER)
        X(VK_ERROR_TOO_MANY_OBJECTS)
        X(VK_ERROR_FORMAT_NOT_SUPPORTED)
        X(VK_ERROR_FRAGMENTED_POOL)
        X(VK_ERROR_OUT_OF_POOL_MEMORY)
        X(VK_ERROR_INVALID_EXTERNAL_HANDLE)
        X(VK_ERROR_UNKNOWN)
#undef X
    default:
        return "an unknown VkResult";
    }
}

Status check(VkResult result, const char *function) {
    switch (result) {
    case VK_SUCCESS:
        return PIXMPI_SUCCESS;
    case VK_ERROR_OUT_OF_HOST_MEMORY:
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
    case VK_ERROR_OUT_OF_POOL_MEMORY:
    case VK_ERROR_FRAGMENTED_POOL:
    case VK_ERROR_MEMORY_MAP_FAILED:
    case VK_ERROR_TOO_MANY_OBJECTS:
        return fail(PIXMPI_ERR_MEMORY, "Vulkan: %s returned %s", function, result_name(result));
    default:
        return fail(PIXMPI_ERR_DEVICE, "Vulkan: %s returned %s", function, result_name(result));
    }
}

} // namespace vkmpi
