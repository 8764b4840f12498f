#include "context/vk_formats.h"

#include "vkmpi.h"

namespace vkmpi {

namespace {

struct Pair {
    pixMPI_Format core;
    VkFormat vulkan;
};

#define CHANNELS_8_16(C, B8, B16)                                                                                      \
    {PIXMPI_##C##8, VK_FORMAT_##B8##_UNORM}, {PIXMPI_##C##8_SNORM, VK_FORMAT_##B8##_SNORM},                            \
        {PIXMPI_##C##8UI, VK_FORMAT_##B8##_UINT}, {PIXMPI_##C##8I, VK_FORMAT_##B8##_SINT},                             \
        {PIXMPI_##C##16, VK_FORMAT_##B16##_UNORM}, {PIXMPI_##C##16_SNORM, VK_FORMAT_##B16##_SNORM},                    \
        {PIXMPI_##C##16UI, VK_FORMAT_##B16##_UINT}, {PIXMPI_##C##16I, VK_FORMAT_##B16##_SINT}, {                       \
        PIXMPI_##C##16F, VK_FORMAT_##B16##_SFLOAT                                                                      \
    }
#define CHANNELS_32(C, B32)                                                                                            \
    {PIXMPI_##C##32UI, VK_FORMAT_##B32##_UINT}, {PIXMPI_##C##32I, VK_FORMAT_##B32##_SINT}, {                           \
        PIXMPI_##C##32F, VK_FORMAT_##B32##_SFLOAT                                                                      \
    }

// Colours. The first pair with a pixMPI_Format is the one that is offered for it; words of 32 bits are the same bits as
// four bytes.
constexpr Pair colours[] = {
    CHANNELS_8_16(R, R8, R16),
    CHANNELS_32(R, R32),
    CHANNELS_8_16(RG, R8G8, R16G16),
    CHANNELS_32(RG, R32G32),
    CHANNELS_8_16(RGB, R8G8B8, R16G16B16),
    CHANNELS_32(RGB, R32G32B32),
    CHANNELS_8_16(RGBA, R8G8B8A8, R16G16B16A16),
    CHANNELS_32(RGBA, R32G32B32A32),
    {PIXMPI_BGR8, VK_FORMAT_B8G8R8_UNORM},
    {PIXMPI_BGRA8, VK_FORMAT_B8G8R8A8_UNORM},
    {PIXMPI_RGB8_SRGB, VK_FORMAT_R8G8B8_SRGB},
    {PIXMPI_RGBA8_SRGB, VK_FORMAT_R8G8B8A8_SRGB},
    {PIXMPI_BGRA8_SRGB, VK_FORMAT_B8G8R8A8_SRGB},
    {PIXMPI_RGB10_A2, VK_FORMAT_A2B10G10R10_UNORM_PACK32},
    {PIXMPI_RGB10_A2UI, VK_FORMAT_A2B10G10R10_UINT_PACK32},
    {PIXMPI_R11F_G11F_B10F, VK_FORMAT_B10G11R11_UFLOAT_PACK32},
    {PIXMPI_RGBA8, VK_FORMAT_A8B8G8R8_UNORM_PACK32},
    {PIXMPI_RGBA8_SNORM, VK_FORMAT_A8B8G8R8_SNORM_PACK32},
    {PIXMPI_RGBA8UI, VK_FORMAT_A8B8G8R8_UINT_PACK32},
    {PIXMPI_RGBA8I, VK_FORMAT_A8B8G8R8_SINT_PACK32},
    {PIXMPI_RGBA8_SRGB, VK_FORMAT_A8B8G8R8_SRGB_PACK32},
};

} // namespace

VkFormat vulkan_format(pixMPI_Format format) {
    switch (format) {
    case PIXMPI_DEPTH16:
        return VK_FORMAT_D16_UNORM;
    case PIXMPI_DEPTH24:
        return VK_FORMAT_X8_D24_UNORM_PACK32;
    case PIXMPI_DEPTH32F:
        return VK_FORMAT_D32_SFLOAT;
    case PIXMPI_DEPTH24_STENCIL8:
        return VK_FORMAT_D24_UNORM_S8_UINT;
    case PIXMPI_DEPTH32F_STENCIL8:
        return VK_FORMAT_D32_SFLOAT_S8_UINT;
    case PIXMPI_STENCIL8:
        return VK_FORMAT_S8_UINT;
    default:
        for (const Pair &pair : colours)
            if (pair.core == format)
                return pair.vulkan;
        return VK_FORMAT_UNDEFINED;
    }
}

pixMPI_Format core_format(VkFormat format, VkImageAspectFlags aspect) {
    const VkImageAspectFlags all = vkMPI_Aspects_of(format);
    if (aspect == 0 || (aspect & ~all))
        return PIXMPI_FORMAT_NONE;
    if (all == VK_IMAGE_ASPECT_COLOR_BIT) {
        for (const Pair &pair : colours)
            if (pair.vulkan == format)
                return pair.core;
        return PIXMPI_FORMAT_NONE;
    }
    if (aspect == VK_IMAGE_ASPECT_STENCIL_BIT)
        return PIXMPI_STENCIL8;
    const bool both = aspect & VK_IMAGE_ASPECT_STENCIL_BIT;
    switch (format) {
    case VK_FORMAT_X8_D24_UNORM_PACK32:
    case VK_FORMAT_D24_UNORM_S8_UINT:
        return both ? PIXMPI_DEPTH24_STENCIL8 : PIXMPI_DEPTH24;
    case VK_FORMAT_D32_SFLOAT:
    case VK_FORMAT_D32_SFLOAT_S8_UINT:
        return both ? PIXMPI_DEPTH32F_STENCIL8 : PIXMPI_DEPTH32F;
    default:
        return both ? PIXMPI_FORMAT_NONE : PIXMPI_DEPTH16;
    }
}

} // namespace vkmpi
