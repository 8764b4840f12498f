// Which device a rank takes, when the program does not say.
#pragma once

#include "context/vk.h"

#include <cstdint>
#include <string>
#include <vector>

namespace vkmpi {

struct Candidate {
    std::string name;
    VkPhysicalDeviceType type;
    std::uint32_t version;
};

/// By PIXMPI_VK_DEVICE; otherwise the most capable kind of device that has Vulkan 1.2, alternating over the ranks of a
/// host. PIXMPI_ERR_DEVICE lists what there is.
Status choose(const std::vector<Candidate> &candidates, int rank, std::size_t &chosen);

} // namespace vkmpi
