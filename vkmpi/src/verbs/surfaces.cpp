// The constructors of Vulkan's surfaces: plain values, of what the program says about its objects.
#include "vkmpi.h"

namespace {

/// The structure of that type in the chain of an image's VkImageCreateInfo, or null.
template <class Structure> const Structure *in_chain(const VkImageCreateInfo &info, VkStructureType type) {
    const auto *one = static_cast<const VkBaseInStructure *>(info.pNext);
    while (one && one->sType != type)
        one = one->pNext;
    return reinterpret_cast<const Structure *>(one);
}

bool has_integer_views(const VkImageFormatListCreateInfo &list, VkFormat format) {
    const VkFormat integers = vkMPI_Integer_format(format);
    for (std::uint32_t i = 0; i < list.viewFormatCount; ++i)
        if (list.pViewFormats[i] == integers)
            return true;
    return list.viewFormatCount == 0;
}

vkMPI_Surface make(vkMPI_Kind kind, vkMPI_Context context) {
    vkMPI_Surface surface{};
    surface.kind = kind;
    surface.context = context;
    surface.family = surface.family_after = VK_QUEUE_FAMILY_IGNORED;
    return surface;
}

} // namespace

VkImageAspectFlags vkMPI_Aspects_of(VkFormat format) {
    switch (format) {
    case VK_FORMAT_D16_UNORM:
    case VK_FORMAT_X8_D24_UNORM_PACK32:
    case VK_FORMAT_D32_SFLOAT:
        return VK_IMAGE_ASPECT_DEPTH_BIT;
    case VK_FORMAT_S8_UINT:
        return VK_IMAGE_ASPECT_STENCIL_BIT;
    case VK_FORMAT_D16_UNORM_S8_UINT:
    case VK_FORMAT_D24_UNORM_S8_UINT:
    case VK_FORMAT_D32_SFLOAT_S8_UINT:
        return VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
    default:
        return VK_IMAGE_ASPECT_COLOR_BIT;
    }
}

vkMPI_Surface vkMPI_Image(vkMPI_Context context, VkImage image, const VkImageCreateInfo *info, VkImageLayout layout) {
    vkMPI_Surface surface = make(VKMPI_IMAGE, context);
    surface.image = image;
    if (info) {
        surface.flags = info->flags;
        surface.type = info->imageType;
        surface.format = info->format;
        surface.extent = info->extent;
        surface.levels = info->mipLevels;
        surface.layers = info->arrayLayers;
        surface.samples = info->samples;
        surface.tiling = info->tiling;
        surface.usage = info->usage;
        if (const auto *stencil =
                in_chain<VkImageStencilUsageCreateInfo>(*info, VK_STRUCTURE_TYPE_IMAGE_STENCIL_USAGE_CREATE_INFO))
            surface.stencil_usage = stencil->stencilUsage;
        if (const auto *list =
                in_chain<VkImageFormatListCreateInfo>(*info, VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO))
            surface.no_integer_views = has_integer_views(*list, surface.format) ? VK_FALSE : VK_TRUE;
    }
    surface.aspect = vkMPI_Aspects_of(surface.format);
    surface.layout = surface.layout_after = surface.stencil_layout = surface.stencil_layout_after = layout;
    if (layout == VK_IMAGE_LAYOUT_UNDEFINED || layout == VK_IMAGE_LAYOUT_PREINITIALIZED)
        surface.layout_after = surface.stencil_layout_after = VK_IMAGE_LAYOUT_GENERAL;
    return surface;
}

vkMPI_Surface vkMPI_Buffer(vkMPI_Context context, VkBuffer buffer, pixMPI_Format format, int width, int height) {
    vkMPI_Surface surface = make(VKMPI_BUFFER, context);
    surface.buffer = buffer;
    surface.buffer_usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    surface.width = width;
    surface.height = height;
    surface.row_bytes = std::int64_t{width} * pixMPI_Format_bytes(format);
    surface.pixels = format;
    return surface;
}
