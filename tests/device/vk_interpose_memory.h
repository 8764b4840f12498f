// Imports of what the stand-in for CUDA makes. No driver knows such files, but all of those that tests run on import
// memory of the host, and mapped, these are that.
#pragma once

#include <vulkan/vulkan.h>

namespace vk_interpose {

/// Null when the allocation imports no descriptor.
const VkImportMemoryFdInfoKHR *imported_descriptor(const VkMemoryAllocateInfo &info);
/// Whether its memory is also for other processes.
bool is_exported(const VkMemoryAllocateInfo &info);
VkResult allocate_memory(VkDevice device, const VkMemoryAllocateInfo *info, const VkAllocationCallbacks *callbacks,
                         VkDeviceMemory *memory);
VKAPI_ATTR void VKAPI_CALL free_memory(VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks *callbacks);

} // namespace vk_interpose
