#include "vk_interpose_memory.h"

#include "test_gpus.h"

#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace vk_interpose {
namespace {

struct Mapping {
    void *start;
    std::size_t bytes;
};
std::mutex mutex;
std::map<VkDeviceMemory, Mapping> mappings;

bool is_test_memory(int descriptor) {
    char path[64], target[128] = {};
    std::snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    return readlink(path, target, sizeof target - 1) > 0 && std::strstr(target, test_gpus::memory_name);
}

const VkBaseInStructure *find(const VkMemoryAllocateInfo &info, VkStructureType type) {
    for (auto *one = static_cast<const VkBaseInStructure *>(info.pNext); one; one = one->pNext)
        if (one->sType == type)
            return one;
    return nullptr;
}

VkResult import_mapped(VkDevice device, const VkMemoryAllocateInfo &info, int descriptor,
                       const VkAllocationCallbacks *callbacks, VkDeviceMemory *memory) {
    constexpr auto kind = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
    struct stat status {};
    if (fstat(descriptor, &status) != 0 || static_cast<VkDeviceSize>(status.st_size) < info.allocationSize)
        return VK_ERROR_INVALID_EXTERNAL_HANDLE;
    const Mapping mapping{mmap(nullptr, info.allocationSize, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0),
                          static_cast<std::size_t>(info.allocationSize)};
    if (mapping.start == MAP_FAILED)
        return VK_ERROR_INVALID_EXTERNAL_HANDLE;
    VkImportMemoryHostPointerInfoEXT pointer{VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT};
    pointer.handleType = kind;
    pointer.pHostPointer = mapping.start;
    VkMemoryAllocateInfo instead = info;
    instead.pNext = &pointer;
    const VkResult result = vkAllocateMemory(device, &instead, callbacks, memory);
    if (result != VK_SUCCESS) {
        munmap(mapping.start, mapping.bytes);
        return result;
    }
    close(descriptor); // Vulkan's now
    const std::lock_guard lock(mutex);
    mappings[*memory] = mapping;
    return result;
}

} // namespace

const VkImportMemoryFdInfoKHR *imported_descriptor(const VkMemoryAllocateInfo &info) {
    return reinterpret_cast<const VkImportMemoryFdInfoKHR *>(find(info, VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR));
}

bool is_exported(const VkMemoryAllocateInfo &info) {
    return find(info, VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO) != nullptr;
}

VkResult allocate_memory(VkDevice device, const VkMemoryAllocateInfo *info, const VkAllocationCallbacks *callbacks,
                         VkDeviceMemory *memory) {
    const VkImportMemoryFdInfoKHR *import = imported_descriptor(*info);
    if (import && is_test_memory(import->fd))
        return import_mapped(device, *info, import->fd, callbacks, memory);
    return vkAllocateMemory(device, info, callbacks, memory);
}

void free_memory(VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks *callbacks) {
    vkFreeMemory(device, memory, callbacks);
    const std::lock_guard lock(mutex);
    if (const auto found = mappings.find(memory); found != mappings.end()) {
        munmap(found->second.start, found->second.bytes);
        mappings.erase(found);
    }
}

} // namespace vk_interpose
