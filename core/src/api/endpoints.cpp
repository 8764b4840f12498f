#include "api/endpoints.h"

#include "api/launch.h"
#include "base/struct_size.h"
#include "endpoint/run.h"

using namespace pixmpi;

namespace pixmpi {
namespace {

Status find(pixMPI_Endpoint handle, std::shared_ptr<Endpoint> &endpoint) {
    return find_handle(handle, "endpoint", "null", "one that has been made", endpoint);
}

/// The body of a call on an endpoint.
template <class Body> int on_endpoint(const char *call, pixMPI_Endpoint handle, Body body) {
    return public_call(call, [&]() -> Status {
        std::shared_ptr<Endpoint> endpoint;
        if (const Status error = find(handle, endpoint))
            return error;
        return body(endpoint);
    });
}

Status make_run(pixMPI_Endpoint handle, std::unique_ptr<Kernel> kernel, int groups, std::shared_ptr<Request> &run) {
    std::shared_ptr<Endpoint> endpoint;
    if (const Status error = find(handle, endpoint))
        return error;
    const int most = static_cast<int>(endpoint->shape.groups);
    if (groups < 1 || groups > most)
        return fail(PIXMPI_ERR_ARGUMENT, "groups: %d, expected 1 to %d (info.max_groups)", groups, most);
    run = std::make_shared<Run>(std::move(endpoint), std::move(kernel), static_cast<std::uint32_t>(groups));
    return PIXMPI_SUCCESS;
}

class TheEndpoints final : public EndpointCore {
  public:
    TheEndpoints() { set_endpoints(*this); }

    Status make_endpoint(MPI_Comm comm, EndpointParts &parts, Status failed, pixMPI_Endpoint *handle) override {
        Lock lock;
        std::shared_ptr<Endpoint> endpoint;
        if (const Status error = Endpoint::make(runtime(), lock, comm, parts, failed, endpoint))
            return error;
        *handle = static_cast<pixMPI_Endpoint>(handles_of<Endpoint>().insert(std::move(endpoint)));
        return PIXMPI_SUCCESS;
    }
    std::unique_ptr<Window> memory_window(std::byte *memory, std::uint64_t bytes,
                                          std::shared_ptr<const void> owner) override {
        return pixmpi::memory_window(memory, bytes, std::move(owner));
    }
    std::shared_ptr<CardMemory> card_memory(const Gpu &gpu, std::size_t bytes) override {
        return make_card_memory(gpu, bytes);
    }
    Status endpoint_memory(pixMPI_Endpoint handle, std::shared_ptr<EndpointMemory> &memory) override {
        std::shared_ptr<Endpoint> endpoint;
        if (const Status error = find(handle, endpoint))
            return error;
        memory = endpoint->memory;
        return PIXMPI_SUCCESS;
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
        return form.blocking ? finish(runtime, lock, *made) : PIXMPI_SUCCESS;
    }
} the_endpoints; // of plain pointers alone, so that nothing of it ends before what uses it

} // namespace
} // namespace pixmpi

int pixMPI_Endpoint_comm(pixMPI_Endpoint endpoint, MPI_Comm *space, int *slots, int *first) {
    return on_endpoint("pixMPI_Endpoint_comm", endpoint, [&](const std::shared_ptr<Endpoint> &one) -> Status {
        if (!space)
            return fail(PIXMPI_ERR_ARGUMENT, "space: null, expected a pointer to a communicator");
        *space = one->space;
        if (slots)
            *slots = one->slots().slots();
        if (first)
            *first = one->slots().first;
        return PIXMPI_SUCCESS;
    });
}

int pixMPI_Endpoint_mode(pixMPI_Endpoint endpoint, pixMPI_Device_mode *mode) {
    return on_endpoint("pixMPI_Endpoint_mode", endpoint, [&](const std::shared_ptr<Endpoint> &one) -> Status {
        if (!mode)
            return fail(PIXMPI_ERR_ARGUMENT, "mode: null, expected a pointer");
        *mode = one->info.mode;
        return PIXMPI_SUCCESS;
    });
}

int pixMPI_Endpoint_get_stats(pixMPI_Endpoint endpoint, pixMPI_Endpoint_stats *stats) {
    return on_endpoint("pixMPI_Endpoint_get_stats", endpoint, [&](const std::shared_ptr<Endpoint> &one) -> Status {
        if (const Status error = check_struct("stats", stats))
            return error;
        write_struct(one->stats, stats);
        return PIXMPI_SUCCESS;
    });
}

int pixMPI_Endpoint_free(pixMPI_Endpoint *endpoint) {
    return public_call("pixMPI_Endpoint_free", [&]() -> Status {
        if (!endpoint)
            return fail(PIXMPI_ERR_ARGUMENT, "endpoint: null, expected a pointer to a handle");
        std::shared_ptr<Endpoint> one;
        if (const Status error = find(*endpoint, one))
            return error;
        if (const auto run = one->running.lock(); run && (run->state == State::active || run->persistent))
            return fail(PIXMPI_ERR_REQUEST, "endpoint: a run is under way, or a persistent one has not been freed; "
                                            "expected none");
        one->close();
        handles_of<Endpoint>().erase(*endpoint);
        *endpoint = PIXMPI_ENDPOINT_NULL;
        bool moved = false;
        progress(runtime(), moved); // what has been given up ends
        return PIXMPI_SUCCESS;
    });
}
