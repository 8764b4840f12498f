// What Vulkan calls the formats of the core.
#pragma once

#include "base/format.h"
#include "context/vk.h"

namespace vkmpi {

/// VK_FORMAT_UNDEFINED where there is none.
VkFormat vulkan_format(pixMPI_Format format);
/// In which pixels of these aspects travel; PIXMPI_FORMAT_NONE where there is none.
pixMPI_Format core_format(VkFormat format, VkImageAspectFlags aspect);

} // namespace vkmpi
