#include "vk/vk_peer.h"

#include <cstdlib>
#include <string_view>

namespace api {
namespace {

constexpr std::uint32_t nvidia = 0x10de;

const VkPhysicalDeviceProperties &card(int of) {
    const auto &all = vk_rig::cards();
    NEED(!all.empty());
    return all[static_cast<std::size_t>(test_gpus::card_of(of)) % all.size()];
}

bool route_allowed(std::string_view name) {
    const char *text = std::getenv("PIXMPI_ROUTE");
    const std::string_view routes = text && *text ? text : "auto";
    return routes.find(name) != routes.npos || routes.find("auto") != routes.npos;
}

/// Without a GPU or with a forbidden one cuInit fails.
bool cuda_begins() {
    const char *wanted = std::getenv("PIXMPI_CUDA");
    if (wanted && std::string_view(wanted) == "0")
        return false;
    void *const library = dlopen("libcuda.so.1", RTLD_NOW);
    auto *const begin = library ? reinterpret_cast<int (*)(unsigned)>(dlsym(library, "cuInit")) : nullptr;
    return begin && begin(0) == 0;
}

} // namespace

bool has_real_cuda() {
    static const bool begins = test_gpus::count() == 0 && card(rank).vendorID == nvidia && cuda_begins();
    return begins;
}

bool on_one_gpu(int a, int b) {
    const int gpus = test_gpus::count() ? test_gpus::count() : static_cast<int>(vk_rig::cards().size());
    return test_gpus::card_of(a) % gpus == test_gpus::card_of(b) % gpus;
}

bool takes_peer(int a, int b) {
    const bool software = test_gpus::count() == 0 && card(rank).deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    if (!route_allowed("peer") || (software && route_allowed("shm"))) // software gains nothing by it
        return false;
    return on_one_gpu(a, b) || has_cuda();
}

} // namespace api
