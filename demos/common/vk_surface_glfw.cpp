#include "error.h"
#include "vk.h"
#include "vk_surface.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace demo {

std::vector<const char *> surface_extensions() {
    std::uint32_t count = 0;
    const char **names = glfwGetRequiredInstanceExtensions(&count);
    if (!names)
        throw Error("no Vulkan for windows of this display: use --headless");
    return {names, names + count};
}

VkSurfaceKHR make_surface(VkInstance instance, const Window &window) {
    VkSurfaceKHR surface;
    check_vk(glfwCreateWindowSurface(instance, window.handle(), nullptr, &surface), "making a window's surface");
    return surface;
}

} // namespace demo
