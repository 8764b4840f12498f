// Windows as surfaces of Vulkan.
#pragma once

#include "window.h"

#include <vector>
#include <vulkan/vulkan.h>

namespace demo {

/// The extensions that an instance needs for it. Throws demo::Error where there is no Vulkan for windows.
std::vector<const char *> surface_extensions();
VkSurfaceKHR make_surface(VkInstance instance, const Window &window);

} // namespace demo
