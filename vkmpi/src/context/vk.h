// The functions of Vulkan that the library calls, for one instance and one device.
#pragma once

#include "base/status.h"

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

namespace vkmpi {

using pixmpi::Status;

#define VKMPI_INSTANCE_FUNCTIONS(X)                                                                                    \
    X(DestroyInstance)                                                                                                 \
    X(EnumeratePhysicalDevices)                                                                                        \
    X(EnumerateDeviceExtensionProperties)                                                                              \
    X(GetPhysicalDeviceProperties)                                                                                     \
    X(GetPhysicalDeviceProperties2)                                                                                    \
    X(GetPhysicalDeviceFeatures2)                                                                                      \
    X(GetPhysicalDeviceMemoryProperties)                                                                               \
    X(GetPhysicalDeviceQueueFamilyProperties)                                                                          \
    X(GetPhysicalDeviceFormatProperties)                                                                               \
    X(GetPhysicalDeviceImageFormatProperties)                                                                          \
    X(CreateDevice)                                                                                                    \
    X(GetDeviceProcAddr)

#define VKMPI_DEVICE_FUNCTIONS(X)                                                                                      \
    X(DestroyDevice)                                                                                                   \
    X(GetDeviceQueue)                                                                                                  \
    X(QueueSubmit)                                                                                                     \
    X(AllocateMemory)                                                                                                  \
    X(FreeMemory)                                                                                                      \
    X(MapMemory)                                                                                                       \
    X(CreateBuffer)                                                                                                    \
    X(DestroyBuffer)                                                                                                   \
    X(GetBufferMemoryRequirements)                                                                                     \
    X(BindBufferMemory)                                                                                                \
    X(CreateImageView)                                                                                                 \
    X(DestroyImageView)                                                                                                \
    X(CreateImage)                                                                                                     \
    X(DestroyImage)                                                                                                    \
    X(GetImageMemoryRequirements)                                                                                      \
    X(BindImageMemory)                                                                                                 \
    X(CreateCommandPool)                                                                                               \
    X(DestroyCommandPool)                                                                                              \
    X(AllocateCommandBuffers)                                                                                          \
    X(ResetCommandBuffer)                                                                                              \
    X(BeginCommandBuffer)                                                                                              \
    X(EndCommandBuffer)                                                                                                \
    X(CmdPipelineBarrier)                                                                                              \
    X(CmdCopyBuffer)                                                                                                   \
    X(CmdFillBuffer)                                                                                                   \
    X(CmdCopyImageToBuffer)                                                                                            \
    X(CmdCopyBufferToImage)                                                                                            \
    X(CmdBindPipeline)                                                                                                 \
    X(CmdBindDescriptorSets)                                                                                           \
    X(CmdPushConstants)                                                                                                \
    X(CmdDispatch)                                                                                                     \
    X(CmdDispatchIndirect)                                                                                             \
    X(CreateShaderModule)                                                                                              \
    X(DestroyShaderModule)                                                                                             \
    X(CreateComputePipelines)                                                                                          \
    X(DestroyPipeline)                                                                                                 \
    X(CreatePipelineLayout)                                                                                            \
    X(DestroyPipelineLayout)                                                                                           \
    X(CreateDescriptorSetLayout)                                                                                       \
    X(DestroyDescriptorSetLayout)                                                                                      \
    X(CreateDescriptorPool)                                                                                            \
    X(DestroyDescriptorPool)                                                                                           \
    X(ResetDescriptorPool)                                                                                             \
    X(AllocateDescriptorSets)                                                                                          \
    X(UpdateDescriptorSets)                                                                                            \
    X(CreateSemaphore)                                                                                                 \
    X(DestroySemaphore)                                                                                                \
    X(GetSemaphoreCounterValue)                                                                                        \
    X(SignalSemaphore)                                                                                                 \
    X(WaitSemaphores)

struct Vk {
    PFN_vkGetInstanceProcAddr GetInstanceProcAddr = nullptr;
#define X(name) PFN_vk##name name = nullptr;
    VKMPI_INSTANCE_FUNCTIONS(X)
    VKMPI_DEVICE_FUNCTIONS(X)
#undef X
    PFN_vkGetMemoryHostPointerPropertiesEXT GetMemoryHostPointerPropertiesEXT = nullptr; ///< null without the extension
    PFN_vkGetMemoryFdKHR GetMemoryFdKHR = nullptr;                                       ///< likewise
    PFN_vkCreatePrivateDataSlotEXT CreatePrivateDataSlotEXT = nullptr; ///< all four, or none without the feature
    PFN_vkDestroyPrivateDataSlotEXT DestroyPrivateDataSlotEXT = nullptr;
    PFN_vkGetPrivateDataEXT GetPrivateDataEXT = nullptr;
    PFN_vkSetPrivateDataEXT SetPrivateDataEXT = nullptr;
};

/// The program's own, or that of the system's loader, which is opened once. PIXMPI_ERR_DEVICE without one.
Status find_loader(PFN_vkGetInstanceProcAddr given, PFN_vkGetInstanceProcAddr &found);
/// `vk` gets the functions of the instance, then those of the device. PIXMPI_ERR_DEVICE names the one that is missing.
Status load_instance_functions(PFN_vkGetInstanceProcAddr get, VkInstance instance, Vk &vk);
Status load_device_functions(VkDevice device, Vk &vk);
/// Of the feature privateData, which the program has enabled: by the extension, or by Vulkan 1.3.
void load_private_data(VkDevice device, Vk &vk);

/// "VK_ERROR_DEVICE_LOST" and so on.
const char *result_name(VkResult result);
/// PIXMPI_SUCCESS, PIXMPI_ERR_MEMORY or PIXMPI_ERR_DEVICE, with a text that names the function.
Status check(VkResult result, const char *function);

} // namespace vkmpi
