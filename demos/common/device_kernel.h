// Compute shaders that send and receive by themselves: an endpoint, its windows, and shaders that run on it.
#pragma once

#include "vk.h"

#include <vkmpi_device.h>

namespace demo {

/// Memory that messages of shaders are about. The CPU does not see it, so that other ranks' GPUs may put into it by
/// themselves.
class MessageWindow {
  public:
    MessageWindow(const Gpu &gpu, std::size_t bytes);
    ~MessageWindow();
    MessageWindow(const MessageWindow &) = delete;
    MessageWindow &operator=(const MessageWindow &) = delete;

    const vkMPI_Surface &surface() const { return surface_; }
    /// Between runs: `bytes` from the window's byte `offset` on.
    void write(std::size_t offset, const void *from, std::size_t bytes) const;
    void read(std::size_t offset, void *to, std::size_t bytes) const;

  private:
    vkMPI_Surface part(std::size_t offset, std::size_t bytes) const;
    vkMPI_Surface surface_ = {};
};

/// Of all ranks of a communicator, which is attached.
class Endpoint {
  public:
    Endpoint(const Gpu &gpu, const pixMPI_Endpoint_info &info, const std::vector<vkMPI_Surface> &windows,
             MPI_Comm comm = MPI_COMM_WORLD);
    ~Endpoint();
    Endpoint(const Endpoint &) = delete;
    Endpoint &operator=(const Endpoint &) = delete;

    pixMPI_Endpoint handle = PIXMPI_ENDPOINT_NULL;
    MPI_Comm space = MPI_COMM_NULL; ///< of slots and processes
    int slots = 0, first = 0;       ///< of all ranks; the first one of this rank
};

/// What shaders may ask of a device: a driver on the host's cores goes through one workgroup after another, and ends
/// an invocation after 65,536 rounds of its loops.
struct DeviceLimits {
    explicit DeviceLimits(const Gpu &gpu);
    int groups; ///< of a run, that are of use
    int turns;  ///< pixMPI_Endpoint_info::max_turns, for shaders that count all rounds of their loops
};

/// A shader of an endpoint. Its own buffers are those of PM_BUFFER(0), PM_BUFFER(1) ...
class DeviceKernel {
  public:
    template <std::size_t n>
    DeviceKernel(const Gpu &gpu, const Endpoint &endpoint, const std::uint32_t (&code)[n],
                 const std::vector<VkBuffer> &buffers, std::size_t push_bytes)
        : DeviceKernel(gpu, endpoint, code, sizeof code, buffers, push_bytes) {}
    DeviceKernel(const Gpu &gpu, const Endpoint &endpoint, const std::uint32_t *code, std::size_t bytes,
                 const std::vector<VkBuffer> &buffers, std::size_t push_bytes);

    template <class Push> void run(const Push &push, int groups) const {
        const vkMPI_Kernel kernel = described(&push, groups);
        vkMPI_Endpoint_run(endpoint_.handle, &kernel);
    }
    template <class Push> void start(const Push &push, int groups, pixMPI_Request &request) const {
        const vkMPI_Kernel kernel = described(&push, groups);
        vkMPI_Endpoint_irun(endpoint_.handle, &kernel, &request);
    }

  private:
    vkMPI_Kernel described(const void *push, int groups) const;
    const Endpoint &endpoint_;
    const ComputePipeline pipeline_;
    const VkDescriptorSet bound_;
};

} // namespace demo
