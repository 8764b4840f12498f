// What the cases about endpoints need of a graphics API: the windows, the shader and the runs of this rank.
#pragma once

#include "rig/ends.h"

#include <pixmpi_device.h>

#include <memory>
#include <span>

namespace api {

/// The source of a shader in the two forms that APIs take.
struct Shader {
    const char *name;
    std::span<const std::uint32_t> spirv;
    const char *text; ///< without its #version
};
namespace shaders {
extern const Shader ring, data, one_sided, collectives, nonblocking, host, images, wrong, each, subgroups, random,
    quiet, flood, long_message, away;
}

/// As the shaders have it (device_common.glsl).
struct Numbers {
    std::uint32_t rounds = 1, bytes = 4, stride = 64, odd = 0, seed = 1, what = 0;
};

enum class Start { blocking, nonblocking, persistent };

class DeviceSide {
  public:
    /// Of this rank: by API_DEVICE in the environment of Vulkan (vk), of OpenGL (gl), or in turn (mixed).
    static std::unique_ptr<DeviceSide> make();
    static constexpr int most_windows = 3;
    virtual ~DeviceSide() = default;

    virtual bool is_vulkan() const = 0;
    /// `seen`: its memory is asked for.
    virtual int allocate(int window, std::size_t bytes, bool seen = true) = 0;
    virtual int free_window(int window) = 0;
    /// A buffer of the program in the place of an allocated one. It goes with this object.
    virtual void make_own(int window, std::size_t bytes) = 0;
    /// An allocated window is named as pixels of RGBA8, which are its bytes.
    virtual void name_as_pixels(int window, std::size_t bytes) = 0;
    /// An image as a window, RGBA8. It goes with this object.
    virtual End &make_image(int window, int width, int height) = 0;
    /// With the first windows.
    virtual int create(const pixMPI_Endpoint_info *info, int window_count, pixMPI_Endpoint *endpoint) = 0;
    /// The shader of the runs that follow, bound to all windows; in the place of images, to the last one. Vulkan's
    /// driver compiles it the first time.
    virtual void use(pixMPI_Endpoint endpoint, const Shader &shader) = 0;
    /// Without numbers: without a kernel.
    virtual int start(Start how, pixMPI_Endpoint endpoint, const Numbers *numbers, int groups,
                      pixMPI_Request *request) = 0;
    /// Fails when the API has complained.
    virtual void check_silence() = 0;

    void *memory[most_windows] = {}; ///< of allocated windows
    bool allocated[most_windows] = {};
};

/// An end of this kind, as images of RGBA8.
template <class Surface>
std::unique_ptr<VerbEnd<Surface>> make_end(const char *api, const char *name, int width, int height) {
    for (const EndKind &kind : end_kinds())
        if (std::string_view(kind.api) == api && std::string_view(kind.name) == name)
            return std::unique_ptr<VerbEnd<Surface>>(
                static_cast<VerbEnd<Surface> *>(kind.make(PIXMPI_RGBA8, width, height).release()));
    give_up();
}

std::unique_ptr<DeviceSide> make_vulkan_side();
std::unique_ptr<DeviceSide> make_gl_side();

} // namespace api
