// What glmpi and vkmpi reach of the core.

#include "api/core.h"

#include "api/endpoints.h"
#include "api/launch.h"
#include "api/makers.h"
#include "api/shared_objects.h"

#include "endpoint/endpoint.h"
#include "request/message.h"
#include "request/request_list.h"

namespace pixmpi {
namespace {

class TheCore final : public Core {
  public:
    Status start_all(int count, pixMPI_Request requests[], bool single, Starter &starter) override {
        return start_requests(count, requests, single, &starter);
    }

    Status make_endpoint(MPI_Comm comm, EndpointParts &parts, Status failed, pixMPI_Endpoint *endpoint) override {
        return pixmpi::make_endpoint(comm, parts, failed, endpoint);
    }

    std::unique_ptr<Window> memory_window(std::byte *memory, std::uint64_t bytes,
                                          std::shared_ptr<const void> owner) override {
        return pixmpi::memory_window(memory, bytes, std::move(owner));
    }

    std::shared_ptr<CardMemory> card_memory(const Gpu &gpu, std::size_t bytes) override {
        return make_card_memory(gpu, bytes);
    }

    Status endpoint_memory(pixMPI_Endpoint endpoint, std::shared_ptr<EndpointMemory> &memory) override {
        return find_endpoint_memory(endpoint, memory);
    }

    Status run(pixMPI_Endpoint endpoint, std::unique_ptr<Kernel> kernel, int groups, Life life,
               pixMPI_Request *request) override {
        std::shared_ptr<Request> made;
        Lock lock;
        Runtime &runtime = pixmpi::runtime();
        if (const Status error = make_run(endpoint, std::move(kernel), groups, made))
            return error;
        const Form form{life, !request, request};
        if (const Status error = launch(runtime, form, made))
            return error;
        return form.blocking ? pixmpi::finish(runtime, lock, *made) : PIXMPI_SUCCESS;
    }

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
        for (const auto &request : runtime().active)
            if (request->state == State::active && request->uses(device))
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
};

} // namespace

Core *pixMPI_Internal_core() {
    static TheCore *const one = new TheCore;
    return one;
}

} // namespace pixmpi
