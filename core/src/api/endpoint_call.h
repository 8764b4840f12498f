// What the calls about endpoints have in common, whatever the API: arguments that all of them check.
#pragma once

#include "api/endpoints.h"
#include "base/struct_size.h"

namespace pixmpi {

/// windows[] of a call; `make(named, window)` makes each.
template <class Named, class Make>
Status read_windows(int count, const Named named[], EndpointParts &parts, Make make) {
    if (count < 0 || (count > 0 && !named))
        return fail(PIXMPI_ERR_ARGUMENT, "window_count: %d, windows: %s", count, named ? "given" : "null");
    for (int i = 0; i < count; ++i)
        if (const Status status = make(named[i], parts.windows.emplace_back()))
            return fail(status, "windows[%d]: %s", i, pixMPI_Error_text());
    return PIXMPI_SUCCESS;
}

/// What an endpoint of an API is made of: memory of one of its devices.
template <class Device, class Memory> class PartsOf final : public EndpointParts {
  public:
    std::shared_ptr<Device> device;
    Status make_memory(std::size_t in, std::size_t out, std::size_t kept,
                       std::shared_ptr<EndpointMemory> &memory) override {
        auto made = std::make_shared<Memory>(device);
        if (const Status status = made->open(in, out, kept))
            return status;
        memory = std::move(made);
        return PIXMPI_SUCCESS;
    }
};

/// The memory of an endpoint, which has to be of the API that asks.
template <class Memory> Status find_memory(pixMPI_Endpoint endpoint, const char *api, std::shared_ptr<Memory> &found) {
    std::shared_ptr<EndpointMemory> memory;
    if (const Status status = endpoint_core().endpoint_memory(endpoint, memory))
        return status;
    found = std::dynamic_pointer_cast<Memory>(memory);
    return found ? PIXMPI_SUCCESS : fail(PIXMPI_ERR_ARGUMENT, "endpoint: of another API, expected one of %s", api);
}

/// run, irun and run_init: of a `Runs`, made of an endpoint's memory and a kernel. `check(memory, kernel)`: whether
/// the API takes that kernel. Blocking without a request.
template <class Memory, class Runs, class Named, class Check>
int run_kernel(const char *call, const char *api, pixMPI_Endpoint endpoint, const Named *given, Life life,
               bool blocking, pixMPI_Request *request, Check check) {
    return public_call(call, [&]() -> Status {
        std::shared_ptr<Memory> memory;
        Named kernel;
        if (const Status status = find_memory(endpoint, api, memory))
            return status;
        if (!given)
            return fail(PIXMPI_ERR_ARGUMENT, "kernel: null, expected one");
        if (!blocking && !request)
            return fail(PIXMPI_ERR_ARGUMENT, "request: null, expected a pointer to a request");
        if (const Status status = read_struct("kernel", given, kernel))
            return status;
        if (const Status status = check(*memory, kernel))
            return status;
        return endpoint_core().run(endpoint, std::make_unique<Runs>(std::move(memory), kernel), kernel.groups, life,
                                   request);
    });
}

/// Of allocating and freeing a window. `window` is the API's pointer.
inline Status check_window_pointer(const void *window) {
    return window ? PIXMPI_SUCCESS : fail(PIXMPI_ERR_ARGUMENT, "window: null, expected a pointer to a surface");
}
inline Status check_window_bytes(std::size_t bytes) {
    return bytes > 0 && bytes <= INT32_MAX
               ? PIXMPI_SUCCESS
               : fail(PIXMPI_ERR_ARGUMENT, "bytes: %zu, expected 1 to %d", bytes, INT32_MAX);
}

/// Removes the window from those that have been allocated. PIXMPI_ERR_SURFACE when it is none of them,
/// PIXMPI_ERR_REQUEST while an endpoint has it.
template <class Windows>
Status drop_window(Windows &windows, const typename Windows::key_type &name, const char *allocator) {
    const auto found = windows.find(name);
    if (found == windows.end())
        return fail(PIXMPI_ERR_SURFACE, "window: expected one that %s has made", allocator);
    if (found->second.use_count() > 1)
        return fail(PIXMPI_ERR_REQUEST, "window: an endpoint has it, expected none");
    windows.erase(found);
    return PIXMPI_SUCCESS;
}

} // namespace pixmpi
