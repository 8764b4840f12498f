#include "vk_interpose.h"

#include "test_gpus.h"
#include "vk_interpose_memory.h"

#include <array>
#include <cstring>

namespace vk_interpose {

Disguise disguise;
std::atomic<QueueLock *> watched{nullptr};
std::atomic<int> unsuitable_copies{0};
Journal journal;
int gpu = -1;
int (*descriptor_instead)() = nullptr;
std::atomic<int> submitted_batches{0};
std::function<void()> before_submission;

void QueueLock::lock(void *self) {
    auto *one = static_cast<QueueLock *>(self);
    one->mutex.lock();
    one->owner = std::this_thread::get_id();
    ++one->taken;
}

void QueueLock::unlock(void *self) {
    auto *one = static_cast<QueueLock *>(self);
    one->owner = std::thread::id{};
    one->mutex.unlock();
}

void Journal::begin() {
    const std::lock_guard lock(mutex_);
    entries_.clear();
    open_ = true;
}

std::vector<Recorded> Journal::end() {
    const std::lock_guard lock(mutex_);
    open_ = false;
    return std::move(entries_);
}

void Journal::add(const Recorded &one) {
    const std::lock_guard lock(mutex_);
    if (open_)
        entries_.push_back(one);
}

namespace {

/// The function that the library gets, and before it goes on to the real one, the hand.
template <auto real, int index> struct Failing;

#define FUNCTIONS(X)                                                                                                   \
    X(AllocateMemory)                                                                                                  \
    X(QueueSubmit)                                                                                                     \
    X(GetSemaphoreCounterValue)                                                                                        \
    X(SignalSemaphore)                                                                                                 \
    X(WaitSemaphores)                                                                                                  \
    X(CreateBuffer)                                                                                                    \
    X(BindBufferMemory)                                                                                                \
    X(MapMemory)                                                                                                       \
    X(CreateCommandPool)                                                                                               \
    X(AllocateCommandBuffers)                                                                                          \
    X(BeginCommandBuffer)                                                                                              \
    X(EndCommandBuffer)                                                                                                \
    X(CreateSemaphore)                                                                                                 \
    X(CreateShaderModule)                                                                                              \
    X(CreateComputePipelines)                                                                                          \
    X(CreatePipelineLayout)                                                                                            \
    X(CreateDescriptorSetLayout)                                                                                       \
    X(CreateDescriptorPool)                                                                                            \
    X(AllocateDescriptorSets)

enum {
#define X(name) at_##name,
    FUNCTIONS(X)
#undef X
        at_import,
    at_export,
    hand_count
};

std::array<Hand, hand_count> hands{{
#define X(name) {"vk" #name},
    FUNCTIONS(X)
#undef X
        {"import"},
    {"export"},
}};

int batches_of(VkQueue, std::uint32_t count, const VkSubmitInfo *, VkFence) { return static_cast<int>(count); }
template <class... Others> int batches_of(Others...) { return 0; }

void look_at_lock() {
    if (QueueLock *lock = watched.load(); lock && !lock->held())
        ++lock->submissions_without;
}

template <class... Arguments, VkResult(VKAPI_PTR *real)(Arguments...), int index> struct Failing<real, index> {
    static VKAPI_ATTR VkResult VKAPI_CALL call(Arguments... arguments) {
        if (index == at_QueueSubmit) {
            look_at_lock();
            if (before_submission)
                before_submission();
            submitted_batches += batches_of(arguments...);
        }
        return hands[index].strikes() ? hands[index].error.load() : real(arguments...);
    }
};

VKAPI_ATTR VkResult VKAPI_CALL allocate(VkDevice device, const VkMemoryAllocateInfo *info,
                                        const VkAllocationCallbacks *callbacks, VkDeviceMemory *memory) {
    if (hands[at_AllocateMemory].strikes())
        return hands[at_AllocateMemory].error;
    if (imported_descriptor(*info) && hands[at_import].strikes())
        return hands[at_import].error;
    if (is_exported(*info) && hands[at_export].strikes())
        return hands[at_export].error;
    return allocate_memory(device, info, callbacks, memory);
}

VKAPI_ATTR VkResult VKAPI_CALL memory_descriptor(VkDevice device, const VkMemoryGetFdInfoKHR *info, int *descriptor) {
    if (descriptor_instead) {
        *descriptor = descriptor_instead();
        return VK_SUCCESS;
    }
    return reinterpret_cast<PFN_vkGetMemoryFdKHR>(vkGetDeviceProcAddr(device, "vkGetMemoryFdKHR"))(device, info,
                                                                                                   descriptor);
}

VKAPI_ATTR void VKAPI_CALL physical_device_properties(VkPhysicalDevice device, VkPhysicalDeviceProperties *out) {
    vkGetPhysicalDeviceProperties(device, out);
    if (disguise.version)
        out->apiVersion = disguise.version;
    if (gpu >= 0)
        out->deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
}

VKAPI_ATTR void VKAPI_CALL physical_device_properties2(VkPhysicalDevice device, VkPhysicalDeviceProperties2 *out) {
    vkGetPhysicalDeviceProperties2(device, out);
    if (disguise.version)
        out->properties.apiVersion = disguise.version;
    if (gpu < 0)
        return;
    out->properties.deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
    for (auto *one = static_cast<VkBaseOutStructure *>(out->pNext); one; one = one->pNext) {
        if (one->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES)
            test_gpus::write_uuid(gpu, reinterpret_cast<VkPhysicalDeviceIDProperties *>(one)->deviceUUID);
        if (one->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES)
            test_gpus::write_uuid(gpu, reinterpret_cast<VkPhysicalDeviceVulkan11Properties *>(one)->deviceUUID);
    }
}

VKAPI_ATTR void VKAPI_CALL physical_device_features2(VkPhysicalDevice device, VkPhysicalDeviceFeatures2 *out) {
    vkGetPhysicalDeviceFeatures2(device, out);
    if (disguise.timelines)
        return;
    for (auto *one = static_cast<VkBaseOutStructure *>(out->pNext); one; one = one->pNext) {
        if (one->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES)
            reinterpret_cast<VkPhysicalDeviceTimelineSemaphoreFeatures *>(one)->timelineSemaphore = VK_FALSE;
        if (one->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES)
            reinterpret_cast<VkPhysicalDeviceVulkan12Features *>(one)->timelineSemaphore = VK_FALSE;
    }
}

VKAPI_ATTR void VKAPI_CALL queue_families(VkPhysicalDevice device, std::uint32_t *count, VkQueueFamilyProperties *out) {
    vkGetPhysicalDeviceQueueFamilyProperties(device, count, out);
    for (std::uint32_t i = 0; out && disguise.queue_flags && i < *count; ++i) {
        out[i].queueFlags = disguise.queue_flags;
        out[i].minImageTransferGranularity = disguise.granularity;
    }
}

VKAPI_ATTR VkResult VKAPI_CALL host_pointer_properties(VkDevice device, VkExternalMemoryHandleTypeFlagBits type,
                                                       const void *memory, VkMemoryHostPointerPropertiesEXT *out) {
    const auto real = reinterpret_cast<PFN_vkGetMemoryHostPointerPropertiesEXT>(
        vkGetDeviceProcAddr(device, "vkGetMemoryHostPointerPropertiesEXT"));
    const VkResult result = real(device, type, memory, out);
    if (disguise.no_import)
        out->memoryTypeBits = 0;
    return result;
}

// Whole blocks of the granularity, as far as can be told without knowing the image: ends at its edge are let pass.
void look_at_copies(std::uint32_t count, const VkBufferImageCopy *copies) {
    const VkExtent3D grain = disguise.granularity;
    for (std::uint32_t i = 0; disguise.queue_flags && i < count; ++i) {
        const VkOffset3D at = copies[i].imageOffset;
        if (grain.width == 0)
            unsuitable_copies += at.x != 0 || at.y != 0;
        else
            unsuitable_copies +=
                at.x % static_cast<int>(grain.width) != 0 || at.y % static_cast<int>(grain.height) != 0;
        if (!(disguise.queue_flags & (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT)))
            unsuitable_copies += copies[i].bufferOffset % 4 != 0;
    }
}

template <class From, class To> void add_copy(From from, To to) {
    journal.add({.what = Recorded::What::copy, .object = number_of(from), .target = number_of(to)});
}

VKAPI_ATTR void VKAPI_CALL image_to_buffer(VkCommandBuffer commands, VkImage image, VkImageLayout layout,
                                           VkBuffer buffer, std::uint32_t count, const VkBufferImageCopy *copies) {
    look_at_copies(count, copies);
    add_copy(image, buffer);
    vkCmdCopyImageToBuffer(commands, image, layout, buffer, count, copies);
}

VKAPI_ATTR void VKAPI_CALL buffer_to_image(VkCommandBuffer commands, VkBuffer buffer, VkImage image,
                                           VkImageLayout layout, std::uint32_t count, const VkBufferImageCopy *copies) {
    look_at_copies(count, copies);
    add_copy(buffer, image);
    vkCmdCopyBufferToImage(commands, buffer, image, layout, count, copies);
}

VKAPI_ATTR void VKAPI_CALL copy_buffer(VkCommandBuffer commands, VkBuffer from, VkBuffer to, std::uint32_t count,
                                       const VkBufferCopy *copies) {
    add_copy(from, to);
    vkCmdCopyBuffer(commands, from, to, count, copies);
}

// The real device never sees other families.
template <class Barrier> void one_family(Barrier &barrier) {
    barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
}

VKAPI_ATTR void VKAPI_CALL pipeline_barrier(VkCommandBuffer commands, VkPipelineStageFlags before,
                                            VkPipelineStageFlags after, VkDependencyFlags flags, std::uint32_t count,
                                            const VkMemoryBarrier *all, std::uint32_t buffer_count,
                                            const VkBufferMemoryBarrier *buffers, std::uint32_t image_count,
                                            const VkImageMemoryBarrier *images) {
    for (std::uint32_t i = 0; i < count; ++i)
        journal.add({.what = Recorded::What::barrier, .before = all[i].srcAccessMask, .after = all[i].dstAccessMask});
    std::vector<VkBufferMemoryBarrier> of_buffers(buffers, buffers + buffer_count);
    std::vector<VkImageMemoryBarrier> of_images(images, images + image_count);
    for (VkBufferMemoryBarrier &one : of_buffers) {
        journal.add({.what = Recorded::What::barrier,
                     .object = number_of(one.buffer),
                     .from_family = one.srcQueueFamilyIndex,
                     .to_family = one.dstQueueFamilyIndex,
                     .before = one.srcAccessMask,
                     .after = one.dstAccessMask,
                     .offset = one.offset,
                     .bytes = one.size});
        one_family(one);
    }
    for (VkImageMemoryBarrier &one : of_images) {
        journal.add({.what = Recorded::What::barrier,
                     .object = number_of(one.image),
                     .from_family = one.srcQueueFamilyIndex,
                     .to_family = one.dstQueueFamilyIndex,
                     .from = one.oldLayout,
                     .to = one.newLayout,
                     .before = one.srcAccessMask,
                     .after = one.dstAccessMask});
        one_family(one);
    }
    vkCmdPipelineBarrier(commands, before, after, flags, count, all, buffer_count, of_buffers.data(), image_count,
                         of_images.data());
}

PFN_vkVoidFunction VKAPI_PTR get_device_proc_addr(VkDevice device, const char *name);

template <class Function> PFN_vkVoidFunction plain(Function *function) {
    return reinterpret_cast<PFN_vkVoidFunction>(function);
}

PFN_vkVoidFunction ours(const char *name) {
    const struct {
        const char *name;
        PFN_vkVoidFunction function;
    } all[] = {
        {"vkAllocateMemory", plain(allocate)},
        {"vkFreeMemory", plain(free_memory)},
        {"vkGetMemoryFdKHR", plain(memory_descriptor)},
#define X(name) {"vk" #name, plain(Failing<vk##name, at_##name>::call)},
        FUNCTIONS(X)
#undef X
            {"vkGetInstanceProcAddr", plain(get_instance_proc_addr)},
        {"vkGetDeviceProcAddr", plain(get_device_proc_addr)},
        {"vkGetPhysicalDeviceProperties", plain(physical_device_properties)},
        {"vkGetPhysicalDeviceProperties2", plain(physical_device_properties2)},
        {"vkGetPhysicalDeviceFeatures2", plain(physical_device_features2)},
        {"vkGetPhysicalDeviceQueueFamilyProperties", plain(queue_families)},
        {"vkGetMemoryHostPointerPropertiesEXT", plain(host_pointer_properties)},
        {"vkCmdCopyImageToBuffer", plain(image_to_buffer)},
        {"vkCmdCopyBufferToImage", plain(buffer_to_image)},
        {"vkCmdCopyBuffer", plain(copy_buffer)},
        {"vkCmdPipelineBarrier", plain(pipeline_barrier)},
    };
    for (const auto &one : all)
        if (std::strcmp(one.name, name) == 0)
            return one.function;
    return nullptr;
}

PFN_vkVoidFunction VKAPI_PTR get_device_proc_addr(VkDevice device, const char *name) {
    const PFN_vkVoidFunction real = vkGetDeviceProcAddr(device, name);
    if (disguise.missing_function == name || !real)
        return nullptr;
    const PFN_vkVoidFunction replaced = ours(name);
    return replaced ? replaced : real;
}

} // namespace

PFN_vkVoidFunction VKAPI_PTR get_instance_proc_addr(VkInstance instance, const char *name) {
    const PFN_vkVoidFunction real = vkGetInstanceProcAddr(instance, name);
    if (disguise.missing_function == name || !real)
        return nullptr;
    const PFN_vkVoidFunction replaced = ours(name);
    return replaced ? replaced : real;
}

Hand &hand(const std::string &name) { return interpose::hand_named(hands, name); }

void heal_all() {
    for (Hand &one : hands)
        one.heal();
    disguise = {};
    descriptor_instead = nullptr;
    before_submission = nullptr;
}

} // namespace vk_interpose
