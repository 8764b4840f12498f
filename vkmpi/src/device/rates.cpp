#include "device/rates.h"

#include "context/vk_formats.h"
#include "surface/surface.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace vkmpi {

using namespace pixmpi;

namespace {

constexpr std::uint32_t side = 1024;

/// An image with its own memory.
struct Image {
    VulkanDevice &device;
    VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    VkImage name = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;

    explicit Image(VulkanDevice &d) : device(d) {}
    ~Image() {
        device.retire([&d = device, image = name, of = memory] {
            d.vk.DestroyImage(d.info.device, image, nullptr);
            d.vk.FreeMemory(d.info.device, of, nullptr);
        });
    }
    Image(const Image &) = delete;
    Image &operator=(const Image &) = delete;
    Status make(VkFormat format);
};

Status Image::make(VkFormat format) {
    const Vk &vk = device.vk;
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = format;
    info.extent = {side, side, 1};
    info.mipLevels = info.arrayLayers = 1;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    VkImageFormatProperties limits;
    if (vk.GetPhysicalDeviceImageFormatProperties(device.info.physical_device, format, info.imageType, info.tiling,
                                                  info.usage, 0, &limits) != VK_SUCCESS)
        return fail(PIXMPI_ERR_FORMAT, "format: %s has no images of VkFormat %d, expected a format that it has",
                    device.name(), static_cast<int>(format));
    if (const Status status = device.check(vk.CreateImage(device.info.device, &info, nullptr, &name), "vkCreateImage"))
        return status;
    VkMemoryRequirements needs;
    vk.GetImageMemoryRequirements(device.info.device, name, &needs);
    VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    allocate.allocationSize = needs.size;
    while (!(needs.memoryTypeBits >> allocate.memoryTypeIndex & 1))
        ++allocate.memoryTypeIndex;
    if (const Status status =
            device.check(vk.AllocateMemory(device.info.device, &allocate, nullptr, &memory), "vkAllocateMemory"))
        return status;
    return device.check(vk.BindImageMemory(device.info.device, name, memory, 0), "vkBindImageMemory");
}

Status time_once(VulkanDevice &device, const std::shared_ptr<Surface> &surface, Direction direction, Stage &stage,
                 double &seconds) {
    auto region = std::make_shared<Region>(); // one rectangle
    region->bounds = {0, 0, side, side};
    region->rects = {region->bounds};
    region->pixels = std::uint64_t{side} * side;
    region->starts = {0, region->pixels};
    region->committed = true;
    std::unique_ptr<Transfer> transfer;
    if (const Status status = device.make_transfer(direction, surface, region, transfer))
        return status;
    const auto begin = std::chrono::steady_clock::now();
    transfer->start();
    Ticket ticket = done;
    if (const Status status = transfer->begin(region->pixels))
        return status;
    if (const Status status = transfer->copy(0, region->pixels, stage, 0, ticket))
        return status;
    for (bool over = false; !over; std::this_thread::yield())
        if (const Status status = transfer->poll(ticket, over))
            return status;
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return transfer->end();
}

} // namespace

Status measure_rates(vkMPI_Context context, VulkanDevice &device, pixMPI_Format format, Rates &rates) {
    const VkFormat vulkan = vulkan_format(format);
    if (vulkan == VK_FORMAT_UNDEFINED)
        return fail(PIXMPI_ERR_FORMAT, "format: %d, expected one that Vulkan has", static_cast<int>(format));
    Image image(device);
    if (const Status status = image.make(vulkan))
        return status;
    const std::size_t bytes = std::size_t{side} * side * static_cast<std::size_t>(format_info(format).bytes);
    std::unique_ptr<Stage> stage;
    if (const Status status = device.make_stage(StageKind::mapped, nullptr, bytes, stage))
        return status;
    VkImageLayout layout = VK_IMAGE_LAYOUT_UNDEFINED;
    constexpr int rounds = 5;
    double least[2] = {1e9, 1e9};
    for (int i = 0; i < rounds; ++i)
        for (const Direction direction : {Direction::unpack, Direction::pack}) {
            std::shared_ptr<Surface> surface;
            if (const Status status =
                    resolve(vkMPI_Image(context, image.name, &image.info, layout), direction, surface))
                return status;
            double seconds = 0;
            if (const Status status = time_once(device, surface, direction, *stage, seconds))
                return status;
            double &best = least[direction == Direction::pack ? 0 : 1];
            best = std::min(best, seconds);
            layout = VK_IMAGE_LAYOUT_GENERAL;
        }
    rates.pack = static_cast<double>(bytes) / least[0];
    rates.unpack = static_cast<double>(bytes) / least[1];
    return PIXMPI_SUCCESS;
}

} // namespace vkmpi
