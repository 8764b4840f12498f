// What the program says of an image or buffer, checked.

#include "context/vk_formats.h"
#include "device/surface_checks.h"
#include "device/vk_contexts.h"
#include "surface/surface.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace vkmpi {

using namespace pixmpi;

namespace {

Status outside(const char *what, std::uint32_t value, std::uint32_t count) {
    return fail(PIXMPI_ERR_SURFACE, "surface.%s: %u, expected less than the image's %u", what, value, count);
}

std::uint32_t at_level(std::uint32_t size, std::uint32_t level) { return std::max(1u, size >> level); }

Status check_place(const vkMPI_Surface &named) {
    if (named.extent.width == 0 || named.extent.height == 0 || named.extent.depth == 0 || named.levels == 0 ||
        named.layers == 0)
        return fail(PIXMPI_ERR_SURFACE,
                    "surface: an image of %ux%ux%u, %u levels, %u layers; expected at least 1 of each",
                    named.extent.width, named.extent.height, named.extent.depth, named.levels, named.layers);
    const std::uint32_t longest = std::max({named.extent.width, named.extent.height, named.extent.depth});
    if (longest > INT32_MAX)
        return fail(PIXMPI_ERR_SURFACE, "surface.extent: %ux%ux%u, expected sizes in the range of int",
                    named.extent.width, named.extent.height, named.extent.depth);
    if (named.levels > static_cast<std::uint32_t>(std::bit_width(longest)))
        return fail(PIXMPI_ERR_SURFACE, "surface.levels: %u, expected at most %d for an image of %ux%ux%u",
                    named.levels, static_cast<int>(std::bit_width(longest)), named.extent.width, named.extent.height,
                    named.extent.depth);
    if (named.level >= named.levels)
        return outside("level", named.level, named.levels);
    if (named.layer >= named.layers)
        return outside("layer", named.layer, named.layers);
    const std::uint32_t slices = at_level(named.extent.depth, named.level);
    if (named.slice >= slices)
        return outside("slice", named.slice, slices);
    return PIXMPI_SUCCESS;
}

Status check_kind_of_image(const vkMPI_Surface &named) {
    if (named.samples != VK_SAMPLE_COUNT_1_BIT)
        return fail(PIXMPI_ERR_SURFACE, "surface.samples: %d, expected 1: resolve the image first",
                    static_cast<int>(named.samples));
    constexpr VkImageCreateFlags sparse =
        VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT | VK_IMAGE_CREATE_SPARSE_ALIASED_BIT;
    if (named.flags & sparse)
        return fail(PIXMPI_ERR_SURFACE, "surface.flags: a sparse image, expected one with its memory bound as a whole");
    if (named.flags & (VK_IMAGE_CREATE_PROTECTED_BIT | VK_IMAGE_CREATE_SUBSAMPLED_BIT_EXT))
        return fail(PIXMPI_ERR_SURFACE, "surface.flags: a %s image, expected one that commands may copy",
                    named.flags & VK_IMAGE_CREATE_PROTECTED_BIT ? "protected" : "subsampled");
    return PIXMPI_SUCCESS;
}

bool is_of_depths(VkImageLayout layout) {
    return layout == VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL || layout == VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL;
}
bool is_of_stencils(VkImageLayout layout) {
    return layout == VK_IMAGE_LAYOUT_STENCIL_ATTACHMENT_OPTIMAL || layout == VK_IMAGE_LAYOUT_STENCIL_READ_ONLY_OPTIMAL;
}

/// Of the aspects that the two layouts are of.
Status check_layouts(const char *names, VkImageAspectFlags aspects, VkImageLayout layout, VkImageLayout after,
                     Direction direction) {
    const auto lost = [](VkImageLayout one) {
        return one == VK_IMAGE_LAYOUT_UNDEFINED || one == VK_IMAGE_LAYOUT_PREINITIALIZED;
    };
    if (layout == VK_IMAGE_LAYOUT_UNDEFINED && direction == Direction::pack)
        return fail(PIXMPI_ERR_SURFACE,
                    "surface.%s: VK_IMAGE_LAYOUT_UNDEFINED, expected a layout of an image with pixels to send", names);
    if (lost(after))
        return fail(PIXMPI_ERR_SURFACE, "surface.%s_after: %s, expected a layout that an image can be brought into",
                    names,
                    after == VK_IMAGE_LAYOUT_UNDEFINED ? "VK_IMAGE_LAYOUT_UNDEFINED"
                                                       : "VK_IMAGE_LAYOUT_PREINITIALIZED");
    for (const auto &[one, suffix] : {std::pair(layout, ""), {after, "_after"}})
        if ((is_of_depths(one) && aspects != VK_IMAGE_ASPECT_DEPTH_BIT) ||
            (is_of_stencils(one) && aspects != VK_IMAGE_ASPECT_STENCIL_BIT))
            return fail(PIXMPI_ERR_SURFACE,
                        "surface.%s%s: VkImageLayout %d, which is for %s alone; expected one for aspects 0x%x, or "
                        "separate_stencil",
                        names, suffix, static_cast<int>(one), is_of_depths(one) ? "depths" : "stencils", aspects);
    return PIXMPI_SUCCESS;
}

Status check_layouts(const vkMPI_Surface &named, Direction direction) {
    if (!has_separate_stencil(named))
        return check_layouts("layout", vkMPI_Aspects_of(named.format), named.layout, named.layout_after, direction);
    if (named.aspect & VK_IMAGE_ASPECT_DEPTH_BIT)
        if (const Status status = check_layouts("layout", VK_IMAGE_ASPECT_DEPTH_BIT, named.layout, named.layout_after,
                                                direction))
            return status;
    return named.aspect & VK_IMAGE_ASPECT_STENCIL_BIT
               ? check_layouts("stencil_layout", VK_IMAGE_ASPECT_STENCIL_BIT, named.stencil_layout,
                               named.stencil_layout_after, direction)
               : PIXMPI_SUCCESS;
}

Status check_usage(const char *member, std::uint32_t usage, std::uint32_t source, std::uint32_t target,
                   const char *names, Direction direction) {
    const bool pack = direction == Direction::pack;
    if (usage & (pack ? source : target))
        return PIXMPI_SUCCESS;
    return fail(PIXMPI_ERR_SURFACE, "surface.%s: 0x%x, expected %s_USAGE_TRANSFER_%s_BIT for a %s", member, usage,
                names, pack ? "SRC" : "DST", pack ? "send" : "receive");
}

Status check_image_usage(const vkMPI_Surface &named, Direction direction) {
    const auto check = [&](const char *member, VkImageUsageFlags usage) {
        return check_usage(member, usage, VK_IMAGE_USAGE_TRANSFER_SRC_BIT, VK_IMAGE_USAGE_TRANSFER_DST_BIT, "VK_IMAGE",
                           direction);
    };
    if (const Status status = check("usage", named.usage))
        return status;
    return named.aspect & VK_IMAGE_ASPECT_STENCIL_BIT && named.stencil_usage
               ? check("stencil_usage", named.stencil_usage)
               : PIXMPI_SUCCESS;
}

Status resolve_image(std::shared_ptr<VulkanDevice> device, const vkMPI_Surface &named, Direction direction,
                     std::shared_ptr<Surface> &surface) {
    if (!named.image)
        return fail(PIXMPI_ERR_SURFACE, "surface.image: VK_NULL_HANDLE, expected an image");
    if (const Status status = check_kind_of_image(named))
        return status;
    if (const Status status = check_place(named))
        return status;
    const pixMPI_Format format = core_format(named.format, named.aspect);
    if (format == PIXMPI_FORMAT_NONE)
        return fail(PIXMPI_ERR_FORMAT, "surface.format: VkFormat %d, aspects 0x%x, expected one that pixmpi.h has",
                    static_cast<int>(named.format), named.aspect);
    if (const Status status = check_image_usage(named, direction))
        return status;
    if (const Status status = check_layouts(named, direction))
        return status;
    const Extent extent{static_cast<int>(at_level(named.extent.width, named.level)),
                        static_cast<int>(at_level(named.extent.height, named.level))};
    auto made = std::make_shared<VulkanSurface>(device, named, format, extent);
    const bool depth = !(named.aspect & VK_IMAGE_ASPECT_COLOR_BIT);
    if (depth && direction == Direction::unpack && !(device->queue_flags & VK_QUEUE_GRAPHICS_BIT))
        return fail(PIXMPI_ERR_SURFACE,
                    "surface.aspect: depth or stencil, which queue family %u cannot write; expected "
                    "a context with a queue for graphics",
                    device->info.queue_family);
    if (made->depth_stencil_mode() >= 0 && !(device->queue_flags & VK_QUEUE_COMPUTE_BIT))
        return fail(PIXMPI_ERR_SURFACE,
                    "surface.aspect: %s, which queue family %u cannot convert; expected a context "
                    "with a queue for compute, or one aspect",
                    format_info(format).name, device->info.queue_family);
    surface = std::move(made);
    return PIXMPI_SUCCESS;
}

Status resolve_buffer(std::shared_ptr<VulkanDevice> device, const vkMPI_Surface &named, Direction direction,
                      std::shared_ptr<Surface> &surface) {
    if (!named.buffer)
        return fail(PIXMPI_ERR_SURFACE, "surface.buffer: VK_NULL_HANDLE, expected a buffer");
    if (const Status status = check_plain_surface("pixels", named.pixels, named.width, named.height))
        return status;
    const FormatInfo &format = format_info(named.pixels);
    const std::int64_t row = std::int64_t{named.width} * format.bytes;
    const std::int64_t most = named.height ? INT64_MAX / 2 / named.height : INT64_MAX / 2;
    if (row > most)
        return fail(PIXMPI_ERR_SURFACE, "surface: %dx%d pixels of %s, expected at most %lld bytes in all", named.width,
                    named.height, format.name, static_cast<long long>(INT64_MAX / 2));
    if (named.height > 1 && (named.row_bytes < row || named.row_bytes > most))
        return fail(PIXMPI_ERR_SURFACE,
                    "surface.row_bytes: %lld, expected at least the %lld of %d %s pixels, and at most %lld",
                    static_cast<long long>(named.row_bytes), static_cast<long long>(row), named.width, format.name,
                    static_cast<long long>(most));
    if (const Status status = check_usage("buffer_usage", named.buffer_usage, VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                          VK_BUFFER_USAGE_TRANSFER_DST_BIT, "VK_BUFFER", direction))
        return status;
    auto made = std::make_shared<VulkanSurface>(device, named, named.pixels, Extent{named.width, named.height});
    const Span all = made->span();
    if (named.buffer_bytes && (all.bytes > named.buffer_bytes || all.offset > named.buffer_bytes - all.bytes))
        return fail(PIXMPI_ERR_SURFACE,
                    "surface.buffer_bytes: %llu, expected the %llu from offset %llu on that the pixels take",
                    static_cast<unsigned long long>(named.buffer_bytes), static_cast<unsigned long long>(all.bytes),
                    static_cast<unsigned long long>(all.offset));
    surface = std::move(made);
    return PIXMPI_SUCCESS;
}

Status resolve_in(std::shared_ptr<VulkanDevice> device, const vkMPI_Surface &named, Direction direction,
                  std::shared_ptr<Surface> &surface) {
    int kind = 0; // from C it may hold any
    std::memcpy(&kind, &named.kind, sizeof kind);
    switch (kind) {
    case VKMPI_IMAGE:
        return resolve_image(std::move(device), named, direction, surface);
    case VKMPI_BUFFER:
        return resolve_buffer(std::move(device), named, direction, surface);
    default:
        return fail(PIXMPI_ERR_SURFACE, "surface.kind: %d, expected a surface made by vkMPI_Image or vkMPI_Buffer",
                    kind);
    }
}

} // namespace

Status resolve(const vkMPI_Surface &named, Direction direction, std::shared_ptr<Surface> &surface) {
    std::shared_ptr<VulkanDevice> device;
    if (const Status status = find_context(named.context, "surface.context", device))
        return status;
    if (!device->usable())
        return fail(PIXMPI_ERR_CONTEXT, "surface.context: belongs to another thread, expected the one that made it or "
                                        "bound it last, or a context with a lock");
    return resolve_in(std::move(device), named, direction, surface);
}

Status resolve_anywhere(const vkMPI_Surface &named, Direction direction, std::shared_ptr<Surface> &surface) {
    std::shared_ptr<VulkanDevice> device;
    const Status status = find_context(named.context, "surface.context", device);
    return status ? status : resolve_in(std::move(device), named, direction, surface);
}

} // namespace vkmpi
