// A program of X11 that draws with Vulkan: tiles show what OpenGL draws. So an instance that could show something in a
// window is refused, with a line that says so. A program that can draw otherwise does that then. Drivers of OpenGL that
// use Vulkan themselves have what they want.
#include "base/export.h"
#include "base/real.h"
#include "clock/callers.h"
#include "run/report.h"
#include "system/x11/x11.h"

#include <cstdint>
#include <cstring>
#include <string_view>

namespace {

/// As vulkan_core.h has it: the beginning of VkInstanceCreateInfo.
struct InstanceWish {
    std::int32_t type;
    const void *next;
    std::uint32_t flags;
    const void *application;
    std::uint32_t layers;
    const char *const *layer_names;
    std::uint32_t extensions;
    const char *const *extension_names;
};
constexpr std::int32_t no_such_extension = -7, no_driver = -9; // VkResult

/// One of a surface in a window of X11.
const char *surface_of(const InstanceWish *wish) {
    for (std::uint32_t i = 0; wish && i < wish->extensions; ++i) {
        const std::string_view name = wish->extension_names[i];
        if (name == "VK_KHR_xcb_surface" || name == "VK_KHR_xlib_surface")
            return wish->extension_names[i];
    }
    return nullptr;
}

} // namespace

using namespace mpiglut;

MPIGLUT_EXPORT std::int32_t vkCreateInstance(const InstanceWish *wish, const void *allocator, void **instance) {
    const char *const surface = x11::active() ? surface_of(wish) : nullptr;
    if (surface && clock::origin_behind_cpp_library(__builtin_return_address(0)) == clock::Origin::program) {
        report_once(Report::note, std::string("the program wants to draw with Vulkan (") + surface +
                                      "), which tiles do not show: it is told that there is no such extension");
        return no_such_extension;
    }
    return REAL(vkCreateInstance) ? REAL(vkCreateInstance)(wish, allocator, instance) : no_driver;
}

/// Programs load libvulkan, and ask it for all functions but this one by this one.
MPIGLUT_EXPORT void *vkGetInstanceProcAddr(void *instance, const char *name) {
    void *const found = REAL(vkGetInstanceProcAddr) ? REAL(vkGetInstanceProcAddr)(instance, name) : nullptr;
    const bool ours = found && name && x11::active() && std::strcmp(name, "vkCreateInstance") == 0;
    return ours ? reinterpret_cast<void *>(&vkCreateInstance) : found;
}
