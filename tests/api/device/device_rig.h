// Endpoints for tests: three windows of the same size, and shaders that run on them.
#pragma once

#include "device/device_side.h"

#include <utility>
#include <vector>

namespace api {

/// "suspending" and so on, for notes.
extern const pixMPI_Device_mode device_modes[3];
const char *mode_name(pixMPI_Device_mode mode);

/// Another one for each number that PIXMPI_SEEDS says.
std::uint32_t device_seed();
/// Whether all ranks' shaders have them: Vulkan's. OpenGL's have where GL_KHR_shader_subgroup is there.
bool all_have_subgroups();

class DeviceRig {
  public:
    /// What the first two windows are; the last one has been allocated, as bytes. unseen: their memory was not asked
    /// for, and the last one is none of the endpoint's.
    enum class Windows { bytes, pixels, own_buffers, unseen };
    /// All windows have as many bytes.
    DeviceRig(const pixMPI_Endpoint_info &info, std::size_t window_bytes, Windows windows = Windows::bytes);
    /// The first two windows are images of RGBA8.
    DeviceRig(const pixMPI_Endpoint_info &info, std::size_t window_bytes, int width, int height);
    ~DeviceRig();
    DeviceRig(const DeviceRig &) = delete;

    void use(const Shader &shader);
    int run(const Numbers &numbers, int groups) {
        return side->start(Start::blocking, endpoint, &numbers, groups, nullptr);
    }
    int irun(const Numbers &numbers, int groups, pixMPI_Request *request) {
        return side->start(Start::nonblocking, endpoint, &numbers, groups, request);
    }
    int run_init(const Numbers &numbers, int groups, pixMPI_Request *request) {
        return side->start(Start::persistent, endpoint, &numbers, groups, request);
    }
    /// What the shaders have found wrong, and how many workgroups came to their ends. Both are zero afterwards.
    std::uint32_t take_wrong() { return std::exchange(found()[0], 0U); }
    std::uint32_t take_counted() { return std::exchange(found()[1], 0U); }
    std::uint32_t *found() const { return static_cast<std::uint32_t *>(side->memory[2]); }
    void clear_found();
    std::byte *memory(int window) const { return static_cast<std::byte *>(side->memory[window]); }
    pixMPI_Endpoint_stats stats() const;

    End *images[2] = {};
    const std::unique_ptr<DeviceSide> side = DeviceSide::make();
    pixMPI_Endpoint endpoint = PIXMPI_ENDPOINT_NULL;
    MPI_Comm space = MPI_COMM_NULL;
    int slots = 0, first = 0;

  private:
    void open(const pixMPI_Endpoint_info &wanted, int windows);
    const std::size_t bytes_;
};

} // namespace api
