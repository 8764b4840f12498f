// What glmpi, vkmpi and cudampi reach of the core.

#include "api/core.h"

#include "api/launch.h"
#include "api/makers.h"
#include "api/shared_objects.h"
#include "gpu/cuda.h"
#include "gpu/cuda_driver.h"

#include "request/message.h"
#include "request/request_list.h"

namespace pixmpi {
class EndpointCore;

namespace {

EndpointCore *the_endpoints = nullptr;

class TheCore final : public Core {
  public:
    Status start_all(int count, pixMPI_Request requests[], bool single, Starter &starter) override {
        return start_requests(count, requests, single, &starter);
    }

    EndpointCore *endpoints() override { return the_endpoints; }

    void serve(std::uint32_t api, SurfaceMaker &maker) override { set_maker(api, maker); }

    std::shared_ptr<const StageMap> shared_memory(const std::byte *address) override {
        for (const auto &[id, weak] : runtime().peers)
            if (const std::shared_ptr<Peer> peer = weak.lock()) {
                const StageMap &map = peer->stage();
                if (map.base && address >= map.base && address < map.base + map.bytes)
                    return {peer, &map};
            }
        return nullptr;
    }

    std::uint64_t call_number() const override { return pixmpi::call_number(); }

    std::shared_ptr<const Strips> strips(const Region &region, int pixel_bytes) override {
        return strips_of(region, pixel_bytes);
    }

    bool reserve_stage(std::size_t bytes, bool least) override { return runtime().stage.reserve(bytes, least); }
    void release_stage(std::size_t bytes) override { runtime().stage.release(bytes); }
    void add_device(const std::shared_ptr<Device> &device) override {
        std::erase_if(runtime().devices, [](const auto &one) { return one.expired(); });
        runtime().devices.push_back(device);
        if (device->has_threads())
            set_driver_threads();
    }
    bool stage_is_short() override { return runtime().stage.is_short(); }
    void count_copied(std::size_t bytes) override { runtime().stats.bytes_copied += bytes; }
    void log(int level, const char *text) override { log_line(level, "%s", text); }

    bool idle(const Device &device) override {
        for (const RequestQueue *queue : {&runtime().active, &runtime().resting})
            for (const Request *one = queue->first(); one; one = RequestQueue::after(*one))
                if (one->state == State::active && one->uses(device))
                    return false;
        return true;
    }

    Status choose_sharing(pixMPI_Sharing kind, bool one_memory, bool imports, SharingChoice &choice) override {
        return pixmpi::choose_sharing(kind, one_memory, imports, choice);
    }
    Status share(std::unique_ptr<SharedBacking> backing, std::size_t bytes, const SharingChoice &choice,
                 void **pointer) override {
        return pixmpi::share(std::move(backing), bytes, choice, pointer);
    }

    CudaDriver &cuda() override { return cuda_driver(); }
    std::shared_ptr<const void> import_cuda(const Gpu &gpu, int descriptor, std::size_t bytes,
                                            std::uint64_t &address) override {
        CudaGpu *const found = CudaGpu::find(gpu);
        return keep(found ? CudaMemory::import(*found, descriptor, bytes) : nullptr, address);
    }
    std::shared_ptr<const void> show_cuda(const Gpu &gpu, const StageMap &map, std::uint64_t &address) override {
        CudaGpu *const found = CudaGpu::find(gpu);
        return keep(found ? CudaHostMemory::make(*found, map.base, map.bytes) : nullptr, address);
    }

  private:
    template <class Memory>
    static std::shared_ptr<const void> keep(std::unique_ptr<Memory> memory, std::uint64_t &address) {
        if (memory)
            address = memory->address();
        return memory;
    }
};

} // namespace

void set_endpoints(EndpointCore &endpoints) { the_endpoints = &endpoints; }

Core *pixMPI_Internal_core() {
    static TheCore *const one = new TheCore;
    return one;
}

} // namespace pixmpi
