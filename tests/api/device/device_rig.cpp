#include "device/device_rig.h"

#include "rig/cases.h"

#include <cstdlib>
#include <cstring>
#include <set>
#include <string_view>
#include <unistd.h>

#include <away_shader.spv.h>
#include <away_text.glsl.h>
#include <collectives_shader.spv.h>
#include <collectives_text.glsl.h>
#include <data_shader.spv.h>
#include <data_text.glsl.h>
#include <each_shader.spv.h>
#include <each_text.glsl.h>
#include <flood_shader.spv.h>
#include <flood_text.glsl.h>
#include <host_shader.spv.h>
#include <host_text.glsl.h>
#include <images_shader.spv.h>
#include <images_text.glsl.h>
#include <nonblocking_shader.spv.h>
#include <nonblocking_text.glsl.h>
#include <one_sided_shader.spv.h>
#include <one_sided_text.glsl.h>
#include <long_message_shader.spv.h>
#include <long_message_text.glsl.h>
#include <quiet_shader.spv.h>
#include <quiet_text.glsl.h>
#include <random_shader.spv.h>
#include <random_text.glsl.h>
#include <ring_shader.spv.h>
#include <ring_text.glsl.h>
#include <subgroups_shader.spv.h>
#include <wrong_shader.spv.h>
#include <wrong_text.glsl.h>

namespace api {

namespace shaders {
const Shader ring{"ring", ring_shader, ring_text};
const Shader data{"data", data_shader, data_text};
const Shader one_sided{"one_sided", one_sided_shader, one_sided_text};
const Shader collectives{"collectives", collectives_shader, collectives_text};
const Shader nonblocking{"nonblocking", nonblocking_shader, nonblocking_text};
const Shader host{"host", host_shader, host_text};
const Shader images{"images", images_shader, images_text};
const Shader wrong{"wrong", wrong_shader, wrong_text};
const Shader each{"each", each_shader, each_text};
const Shader subgroups{"subgroups", subgroups_shader, nullptr};
const Shader quiet{"quiet", quiet_shader, quiet_text};
const Shader long_message{"long_message", long_message_shader, long_message_text};
const Shader flood{"flood", flood_shader, flood_text};
const Shader random{"random", random_shader, random_text};
const Shader away{"away", away_shader, away_text};
} // namespace shaders

const pixMPI_Device_mode device_modes[3] = {PIXMPI_MODE_SUSPENDING, PIXMPI_MODE_RUNNING, PIXMPI_MODE_TIMELINE};

const char *mode_name(pixMPI_Device_mode mode) {
    return mode == PIXMPI_MODE_SUSPENDING ? "suspending" : mode == PIXMPI_MODE_RUNNING ? "running" : "timeline";
}

namespace {

std::string_view wanted_device() {
    const char *const given = std::getenv("API_DEVICE");
    return given ? given : "vk";
}

} // namespace

std::uint32_t device_seed() {
    const char *const given = std::getenv("PIXMPI_SEEDS");
    return 20261123 + (given ? static_cast<std::uint32_t>(std::strtoul(given, nullptr, 10)) : 0U);
}

bool all_have_subgroups() { return wanted_device() == "vk"; }

std::unique_ptr<DeviceSide> DeviceSide::make() {
    const std::string_view device = wanted_device();
    NEED(device == "vk" || device == "gl" || device == "mixed");
    return device == "gl" || (device == "mixed" && rank % 2) ? make_gl_side() : make_vulkan_side();
}

DeviceRig::DeviceRig(const pixMPI_Endpoint_info &info, std::size_t window_bytes, Windows windows)
    : bytes_(window_bytes) {
    for (int i = 0; i < DeviceSide::most_windows; ++i)
        if (windows == Windows::own_buffers && i < 2) {
            side->make_own(i, bytes_);
        } else {
            NEED_OK(side->allocate(i, bytes_, windows != Windows::unseen || i == 2));
            if (windows == Windows::pixels && i < 2)
                side->name_as_pixels(i, bytes_);
        }
    open(info, windows == Windows::unseen ? 2 : DeviceSide::most_windows);
}

DeviceRig::DeviceRig(const pixMPI_Endpoint_info &info, std::size_t window_bytes, int width, int height)
    : bytes_(window_bytes) {
    for (int i = 0; i < 2; ++i)
        images[i] = &side->make_image(i, width, height);
    NEED_OK(side->allocate(2, bytes_));
    open(info, DeviceSide::most_windows);
}

// OpenGL's driver compiles a shader in its first dispatch, on a loaded machine for longer than runs have by default.
// Runs of cases that say nothing of it have as long as the case has.
void DeviceRig::open(const pixMPI_Endpoint_info &wanted, int windows) {
    pixMPI_Endpoint_info info = wanted;
    if (info.timeout == 0)
        info.timeout = -1;
    NEED_OK(side->create(&info, windows, &endpoint));
    NEED_OK(pixMPI_Endpoint_comm(endpoint, &space, &slots, &first));
}

// A driver compiles such a shader for seconds, and keeps the result in a cache on disk: one rank does it, and the
// others take what it has made. The case's time stands still meanwhile.
void DeviceRig::use(const Shader &shader) {
    constexpr unsigned patience = 300;
    static std::set<const char *> compiled;
    const bool is_new = compiled.insert(shader.name).second;
    unsigned left = 0;
    if (is_new) {
        note("compiling the shader %s", shader.name);
        left = ::alarm(patience);
        if (rank != 0)
            barrier();
    }
    side->use(endpoint, shader);
    if (is_new) {
        if (rank == 0)
            barrier();
        barrier();
        ::alarm(left);
        note("after the shader %s was compiled", shader.name);
    }
    clear_found();
}

void DeviceRig::clear_found() { std::memset(side->memory[2], 0, bytes_); }

pixMPI_Endpoint_stats DeviceRig::stats() const {
    pixMPI_Endpoint_stats all = PIXMPI_ENDPOINT_STATS_INIT;
    CHECK_OK(pixMPI_Endpoint_get_stats(endpoint, &all));
    return all;
}

DeviceRig::~DeviceRig() {
    if (endpoint)
        CHECK_OK(pixMPI_Endpoint_free(&endpoint));
    for (int i = 0; i < DeviceSide::most_windows; ++i)
        if (side->allocated[i])
            CHECK_OK(side->free_window(i));
    side->check_silence();
}

} // namespace api
