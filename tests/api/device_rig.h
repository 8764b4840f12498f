// Endpoints for tests: three windows of the same size, and shaders that run on them.
#pragma once

#include "ends_vk.h"

#include <vkmpi_device.h>

#include <cstring>
#include <span>
#include <vector>

namespace api {

/// As the shaders have it (device_common.glsl).
struct Numbers {
    std::uint32_t rounds = 1, bytes = 4, stride = 64, odd = 0, seed = 1, what = 0;
};

/// "suspending" and so on, for notes.
extern const pixMPI_Device_mode device_modes[3];
const char *mode_name(pixMPI_Device_mode mode);

class DeviceRig {
  public:
    /// windows: their bytes. `own_buffers`: the first two are buffers of the program's own.
    DeviceRig(const pixMPI_Endpoint_info &info, std::size_t window_bytes, bool own_buffers = false);
    ~DeviceRig();
    DeviceRig(const DeviceRig &) = delete;

    /// The shader, from SPIR-V.
    void use(std::span<const std::uint32_t> code);
    vkMPI_Kernel kernel(const Numbers &numbers, int groups);
    int run(const Numbers &numbers, int groups) {
        const vkMPI_Kernel one = kernel(numbers, groups);
        return vkMPI_Endpoint_run(endpoint, &one);
    }
    /// What the shaders have found wrong, and how many workgroups came to their ends. Both are zero afterwards.
    std::uint32_t take_wrong() { return std::exchange(found()[0], 0U); }
    std::uint32_t take_counted() { return std::exchange(found()[1], 0U); }
    std::uint32_t *found() const { return static_cast<std::uint32_t *>(memory_[2]); }
    void clear_found();
    std::byte *memory(int window) const { return static_cast<std::byte *>(memory_[window]); }
    pixMPI_Endpoint_stats stats() const;

    vk_rig::Device &device;
    pixMPI_Endpoint endpoint = PIXMPI_ENDPOINT_NULL;
    MPI_Comm space = MPI_COMM_NULL;
    int slots = 0, first = 0;

  private:
    void make_own(vkMPI_Surface &window, std::size_t bytes);
    void make_sets();

    const std::size_t bytes_;
    vkMPI_Surface windows_[3]{};
    void *memory_[3] = {};
    struct Own {
        VkBuffer buffer;
        VkDeviceMemory memory;
    };
    std::vector<Own> own_;
    VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
    VkDescriptorPool pool_ = VK_NULL_HANDLE;
    VkDescriptorSet set_ = VK_NULL_HANDLE;
    VkPipelineLayout layout_ = VK_NULL_HANDLE;
    VkPipeline pipeline_ = VK_NULL_HANDLE;
    Numbers pushed_;
};

} // namespace api
