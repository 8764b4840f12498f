// How fast a device moves pixels of a format.
#pragma once

#include "device/vulkan_device.h"

namespace vkmpi {

struct Rates {
    double pack = 0, unpack = 0; ///< bytes per second
};

/// Between a separate image and a stage that the CPU sees; measured once for each format. PIXMPI_ERR_FORMAT when the
/// device has no such images.
Status measure_rates(vkMPI_Context context, VulkanDevice &device, pixMPI_Format format, Rates &rates);

} // namespace vkmpi
