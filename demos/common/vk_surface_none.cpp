// The demos were built without GLFW, so that there is no window that could ask.
#include "error.h"
#include "vk_surface.h"

namespace demo {

std::vector<const char *> surface_extensions() { throw Error("built without GLFW, so there are no windows"); }

VkSurfaceKHR make_surface(VkInstance, const Window &) { throw Error("built without GLFW, so there are no windows"); }

} // namespace demo
