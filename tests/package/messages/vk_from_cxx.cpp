// The header in C++, before Vulkan's own and without its prototypes.
#define VK_NO_PROTOTYPES
#include <vkmpi.h>

#include <cstdio>

static_assert(VKMPI_NONE == 0 && VKMPI_IMAGE != VKMPI_BUFFER, "kinds are constants");

int main() {
    vkMPI_Context context = VKMPI_CONTEXT_NULL;
    const VkImageCreateInfo info{};
    const vkMPI_Surface surface = vkMPI_Image(context, VK_NULL_HANDLE, &info, VK_IMAGE_LAYOUT_UNDEFINED);
    std::printf("%d %d %d, %s\n",
                vkMPI_Format_from_vulkan(VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_ASPECT_COLOR_BIT) == PIXMPI_RGBA8,
                vkMPI_Format_to_vulkan(PIXMPI_DEPTH24) == VK_FORMAT_X8_D24_UNORM_PACK32,
                surface.layout_after == VK_IMAGE_LAYOUT_GENERAL,
                vkMPI_Context_free(&context) == PIXMPI_ERR_CONTEXT ? "no context" : "?");
}
