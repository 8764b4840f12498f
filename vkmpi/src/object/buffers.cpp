#include "object/buffers.h"

#include "device/vulkan_device.h"

#include <initializer_list>
#include <unistd.h>

namespace vkmpi {

using pixmpi::core;
using pixmpi::fail;

namespace {

constexpr std::uint32_t no_type = UINT32_MAX;

// The first type that has the flags, trying the lists of flags in order.
std::uint32_t find_type(const VkPhysicalDeviceMemoryProperties &memory, std::uint32_t allowed,
                        std::initializer_list<VkMemoryPropertyFlags> wishes) {
    for (const VkMemoryPropertyFlags wish : wishes)
        for (std::uint32_t i = 0; i < memory.memoryTypeCount; ++i)
            if ((allowed >> i & 1) && (memory.memoryTypes[i].propertyFlags & wish) == wish)
                return i;
    return no_type;
}

constexpr VkMemoryPropertyFlags coherent = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
constexpr VkMemoryPropertyFlags cached = coherent | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;

// Shaders work in words, and the largest group of them that a device asks for.
std::size_t in_groups(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

} // namespace

Status Buffer::create(const void *next, VkMemoryRequirements &needs) {
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.pNext = next;
    info.size = bytes_;
    info.usage = usage_;
    info.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
    const std::uint32_t families[] = {device_.info.queue_family, device_.info.message_family};
    if (shared_ && families[0] != families[1]) {
        info.sharingMode = VK_SHARING_MODE_CONCURRENT;
        info.queueFamilyIndexCount = 2;
        info.pQueueFamilyIndices = families;
    }
    const Vk &vk = device_.vk;
    if (const Status status =
            device_.check(vk.CreateBuffer(device_.info.device, &info, nullptr, &buffer_), "vkCreateBuffer"))
        return status;
    vk.GetBufferMemoryRequirements(device_.info.device, buffer_, &needs);
    return PIXMPI_SUCCESS;
}

Status Buffer::allocate(const VkMemoryRequirements &needs, Place place, const void *next) {
    const Vk &vk = device_.vk;
    VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    info.pNext = next;
    info.allocationSize = needs.size;
    const auto first_of = [&](std::initializer_list<VkMemoryPropertyFlags> wishes) {
        return find_type(device_.memory, needs.memoryTypeBits, wishes);
    };
    constexpr VkMemoryPropertyFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    info.memoryTypeIndex = place == Place::device ? first_of({local, 0})
                           : place == Place::near ? first_of({local | coherent, cached, coherent})
                                                  : first_of({cached, coherent});
    if (info.memoryTypeIndex == no_type)
        return fail(PIXMPI_ERR_DEVICE, "Vulkan: no memory type for buffers that the CPU sees, expected one");
    if (const Status status =
            device_.check(vk.AllocateMemory(device_.info.device, &info, nullptr, &memory_), "vkAllocateMemory"))
        return status;
    if (const Status status =
            device_.check(vk.BindBufferMemory(device_.info.device, buffer_, memory_, 0), "vkBindBufferMemory"))
        return status;
    if (place == Place::device)
        return PIXMPI_SUCCESS;
    void *mapped = nullptr;
    if (const Status status =
            device_.check(vk.MapMemory(device_.info.device, memory_, 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory"))
        return status;
    mapped_ = static_cast<std::byte *>(mapped);
    return PIXMPI_SUCCESS;
}

Status Buffer::make(VulkanDevice &device, Place place, std::size_t bytes, std::unique_ptr<Buffer> &buffer, bool least) {
    bytes = in_groups(bytes);
    if (!core().reserve_stage(bytes, least))
        return fail(PIXMPI_ERR_MEMORY, "stage memory: used up, expected %zu bytes for a buffer of the device", bytes);
    std::unique_ptr<Buffer> made(new Buffer(device, bytes));
    made->counted_ = true;
    return make(std::move(made), place, buffer);
}

Status Buffer::make_scratch(VulkanDevice &device, std::size_t bytes, std::unique_ptr<Buffer> &buffer, Place place,
                            VkBufferUsageFlags more_usage) {
    std::unique_ptr<Buffer> made(new Buffer(device, in_groups(bytes)));
    made->usage_ |= more_usage;
    return make(std::move(made), place, buffer);
}

Status Buffer::make_window(VulkanDevice &device, std::size_t bytes, bool seen, std::unique_ptr<Buffer> &buffer) {
    if (!seen && device.message_device && make_card_window(device, bytes, buffer))
        return PIXMPI_SUCCESS;
    for (const Place place : {Place::near, Place::host}) {
        if (place == Place::near && !device.message_device)
            continue;
        std::unique_ptr<Buffer> made(new Buffer(device, in_groups(bytes)));
        made->shared_ = made->near_ = place == Place::near;
        const Status status = make(std::move(made), place, buffer);
        if (!status || place == Place::host)
            return status;
        core().log(PIXMPI_LOG_INFO, "vkmpi: a window does not fit into the device's memory that the CPU sees; it is "
                                    "the host's");
    }
    return PIXMPI_ERR_MEMORY;
}

Status Buffer::make(std::unique_ptr<Buffer> made, Place place, std::unique_ptr<Buffer> &buffer) {
    VkMemoryRequirements needs;
    if (const Status status = made->create(nullptr, needs))
        return status;
    if (const Status status = made->allocate(needs, place))
        return status;
    buffer = std::move(made);
    return PIXMPI_SUCCESS;
}

Status Buffer::import(VulkanDevice &device, std::byte *memory, std::size_t bytes, std::unique_ptr<Buffer> &buffer,
                      std::shared_ptr<const void> owner) {
    const Vk &vk = device.vk;
    constexpr auto kind = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
    std::unique_ptr<Buffer> made(new Buffer(device, bytes));
    made->owner_ = std::move(owner);
    VkExternalMemoryBufferCreateInfo external{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO};
    external.handleTypes = kind;
    VkMemoryRequirements needs;
    if (const Status status = made->create(&external, needs))
        return status;
    VkMemoryHostPointerPropertiesEXT properties{VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
    if (const Status status =
            device.check(vk.GetMemoryHostPointerPropertiesEXT(device.info.device, kind, memory, &properties),
                         "vkGetMemoryHostPointerPropertiesEXT"))
        return status;
    VkImportMemoryHostPointerInfoEXT pointer{VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT};
    pointer.handleType = kind;
    pointer.pHostPointer = memory;
    VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    info.pNext = &pointer;
    info.allocationSize = bytes;
    info.memoryTypeIndex =
        find_type(device.memory, properties.memoryTypeBits & needs.memoryTypeBits, {cached, coherent});
    if (info.memoryTypeIndex == no_type || needs.size > bytes)
        return fail(PIXMPI_ERR_DEVICE, "Vulkan: host memory can be imported, but not for buffers, or not coherently");
    if (const Status status = device.check(vk.AllocateMemory(device.info.device, &info, nullptr, &made->memory_),
                                           "vkAllocateMemory (import of host memory)"))
        return status;
    if (const Status status = device.check(vk.BindBufferMemory(device.info.device, made->buffer_, made->memory_, 0),
                                           "vkBindBufferMemory"))
        return status;
    buffer = std::move(made);
    return PIXMPI_SUCCESS;
}

namespace {

constexpr auto descriptor_kind = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
constexpr VkExternalMemoryBufferCreateInfo descriptor_buffer{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
                                                             nullptr, descriptor_kind};

} // namespace

Status Buffer::make_exported(VulkanDevice &device, std::size_t bytes, std::unique_ptr<Buffer> &buffer,
                             int &descriptor) {
    std::unique_ptr<Buffer> made(new Buffer(device, bytes));
    VkMemoryRequirements needs;
    if (const Status status = made->create(&descriptor_buffer, needs))
        return status;
    // Whoever imports it knows its size only.
    if (needs.size != bytes)
        return fail(PIXMPI_ERR_DEVICE, "Vulkan: a buffer of %zu bytes wants more memory, expected no more", bytes);
    VkExportMemoryAllocateInfo exports{VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO};
    exports.handleTypes = descriptor_kind;
    if (const Status status = made->allocate(needs, Place::device, &exports))
        return status;
    VkMemoryGetFdInfoKHR get{VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR};
    get.memory = made->memory_;
    get.handleType = descriptor_kind;
    if (const Status status =
            device.check(device.vk.GetMemoryFdKHR(device.info.device, &get, &descriptor), "vkGetMemoryFdKHR"))
        return status;
    buffer = std::move(made);
    return PIXMPI_SUCCESS;
}

Status Buffer::import(int descriptor) {
    VkMemoryRequirements needs;
    if (const Status status = create(&descriptor_buffer, needs))
        return status;
    needs.size = bytes_;
    VkImportMemoryFdInfoKHR imports{VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR};
    imports.handleType = descriptor_kind;
    imports.fd = dup(descriptor); // Vulkan's, once it has taken it
    const Status status = allocate(needs, Place::device, &imports);
    if (status && !memory_)
        close(imports.fd);
    return status;
}

Status Buffer::import(VulkanDevice &device, int descriptor, std::size_t bytes, std::unique_ptr<Buffer> &buffer) {
    std::unique_ptr<Buffer> made(new Buffer(device, bytes));
    if (const Status status = made->import(descriptor))
        return status;
    buffer = std::move(made);
    return PIXMPI_SUCCESS;
}

bool Buffer::make_card_window(VulkanDevice &device, std::size_t bytes, std::unique_ptr<Buffer> &buffer) {
    std::shared_ptr<pixmpi::CardMemory> card = device.software ? nullptr : core().card_memory(device.gpu(), bytes);
    const int descriptor = card ? card->descriptor() : -1;
    if (descriptor < 0)
        return false;
    std::unique_ptr<Buffer> made(new Buffer(device, card->bytes));
    made->shared_ = made->near_ = true;
    const Status status = made->import(descriptor);
    close(descriptor);
    if (status) {
        core().log(PIXMPI_LOG_INFO, "vkmpi: a window of CUDA's memory is not imported; other cards do not reach it");
        return false;
    }
    made->card_ = std::move(card);
    buffer = std::move(made);
    return true;
}

Buffer::~Buffer() {
    device_.retire([&device = device_, buffer = buffer_, memory = memory_, counted = counted_ ? bytes_ : 0,
                    card = std::move(card_), owner = std::move(owner_)] {
        device.vk.DestroyBuffer(device.info.device, buffer, nullptr);
        device.vk.FreeMemory(device.info.device, memory, nullptr);
        if (counted)
            core().release_stage(counted);
    });
}

} // namespace vkmpi
