#include "dying/dying.h"

#include <test_gpus.h>
#include <vk_interpose.h>
#include <vk_rig_memory.h>

#include <cstdio>

namespace {

class Buffers final : public dying::Ends {
  public:
    explicit Buffers(std::unique_ptr<vk_rig::Device> device)
        : device_(std::move(device)), out_(make(*device_)), in_{make(*device_), make(*device_)} {}
    int send(int dest) override { return vkMPI_Send(out_, PIXMPI_WHOLE, dest, 1, comm, nullptr); }
    int recv(int source) override {
        return vkMPI_Recv(in_[0], PIXMPI_WHOLE, source, 1, comm, MPI_STATUS_IGNORE, nullptr);
    }
    int replace(int dest, int source) override {
        return vkMPI_Sendrecv_replace(out_, PIXMPI_WHOLE, dest, 1, source, 1, comm, MPI_STATUS_IGNORE, nullptr);
    }
    int start_send(int dest, pixMPI_Request &request) override {
        return vkMPI_Isend(out_, PIXMPI_WHOLE, dest, 1, comm, &request, nullptr);
    }
    int start_recv(int source, int turn, pixMPI_Request &request) override {
        return vkMPI_Irecv(in_[turn], PIXMPI_WHOLE, source, 1, comm, &request, nullptr);
    }

  private:
    /// Left to the end of the process.
    static vkMPI_Surface make(vk_rig::Device &device) {
        vkMPI_Surface surface = vkMPI_Buffer(device.context(), VK_NULL_HANDLE, PIXMPI_R8, dying::width, dying::height);
        surface.buffer_bytes = static_cast<VkDeviceSize>(surface.row_bytes) * dying::height;
        surface.buffer = vk_rig::make_buffer(device, surface.buffer_bytes, surface.buffer_usage, false).name;
        return surface;
    }
    std::unique_ptr<vk_rig::Device> device_;
    vkMPI_Surface out_, in_[2];
};

} // namespace

std::unique_ptr<dying::Ends> dying::make_ends(int rank) {
    vk_rig::Options options;
    options.card = test_gpus::card_of(rank);
    options.get = vk_interpose::get_instance_proc_addr;
    if (test_gpus::count())
        vk_interpose::gpu = rank % test_gpus::count();
    std::string reason;
    auto device = vk_rig::Device::make(options, reason);
    if (device)
        return std::make_unique<Buffers>(std::move(device));
    std::printf("skipped: %s\n", reason.c_str());
    return nullptr;
}
