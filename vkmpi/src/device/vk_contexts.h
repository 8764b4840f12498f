// The handles of contexts.
#pragma once

#include "device/vulkan_device.h"

namespace vkmpi {

/// `argument` names it in the text. PIXMPI_ERR_CONTEXT for null, freed and foreign handles.
Status find_context(vkMPI_Context handle, const char *argument, std::shared_ptr<VulkanDevice> &device);

} // namespace vkmpi
