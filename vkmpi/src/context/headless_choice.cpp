#include "context/headless_choice.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace vkmpi {

using pixmpi::fail;

namespace {

int capability(VkPhysicalDeviceType type) {
    switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
        return 4;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
        return 3;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
        return 2;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
        return 1;
    default:
        return 0;
    }
}

std::string lower(std::string text) {
    for (char &c : text)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
}

std::string list(const std::vector<Candidate> &candidates) {
    std::string text;
    for (std::size_t i = 0; i < candidates.size(); ++i)
        text += (i ? ", " : "") + std::to_string(i) + ": " + candidates[i].name + " (Vulkan " +
                std::to_string(VK_API_VERSION_MAJOR(candidates[i].version)) + "." +
                std::to_string(VK_API_VERSION_MINOR(candidates[i].version)) + ")";
    return text.empty() ? "none" : text;
}

Status choose_named(const std::vector<Candidate> &candidates, const std::string &wish, std::size_t &chosen) {
    const bool number = std::all_of(wish.begin(), wish.end(), [](unsigned char c) { return std::isdigit(c); });
    for (chosen = 0; chosen < candidates.size(); ++chosen)
        if (number ? std::to_string(chosen) == wish
                   : lower(candidates[chosen].name).find(lower(wish)) != std::string::npos)
            return PIXMPI_SUCCESS;
    return fail(PIXMPI_ERR_DEVICE,
                "PIXMPI_VK_DEVICE: \"%s\", expected the number of a device or part of its name; there are: %s",
                wish.c_str(), list(candidates).c_str());
}

} // namespace

Status choose(const std::vector<Candidate> &candidates, int rank, std::size_t &chosen) {
    const char *wish = std::getenv("PIXMPI_VK_DEVICE");
    if (wish && *wish)
        return choose_named(candidates, wish, chosen);
    std::vector<std::size_t> best;
    int most = -1;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        const int capable = capability(candidates[i].type);
        if (candidates[i].version < VK_API_VERSION_1_2 || capable < most)
            continue;
        if (capable > most)
            best.clear();
        most = capable;
        best.push_back(i);
    }
    if (best.empty())
        return fail(PIXMPI_ERR_DEVICE, "Vulkan: no device with Vulkan 1.2 or later; there are: %s",
                    list(candidates).c_str());
    chosen = best[static_cast<std::size_t>(rank) % best.size()];
    return PIXMPI_SUCCESS;
}

} // namespace vkmpi
