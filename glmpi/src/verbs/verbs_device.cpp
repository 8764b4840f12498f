// The entry points of glmpi_device.h.
#include "api/endpoint_call.h"
#include "device/gl_contexts.h"
#include "endpoint/gl_endpoint.h"
#include "pixmpi_device_text.glsl.h"

#include <cstring>

using namespace glmpi;
using pixmpi::core;
using pixmpi::fail;
using pixmpi::Life;
using pixmpi::public_call;

namespace {

using Parts = pixmpi::PartsOf<GlDevice, GlEndpoint>;

Status read_parts(const pixMPI_Endpoint_info *info, int window_count, const pixMPI_Surface windows[],
                  const pixMPI_Endpoint *endpoint, Parts &parts) {
    if (!endpoint)
        return fail(PIXMPI_ERR_ARGUMENT, "endpoint: null, expected a pointer to a handle");
    if (const Status status = current_device(parts.device))
        return status;
    if (const Status status = check_compute(*parts.device))
        return status;
    if (const Status status = pixmpi::read_struct("info", info, parts.info))
        return status;
    return pixmpi::read_windows(window_count, windows, parts,
                                [&](const pixMPI_Surface &named, std::unique_ptr<pixmpi::Window> &window) {
                                    return make_window(parts.device, named, window);
                                });
}

int run(const char *call, pixMPI_Endpoint endpoint, const glMPI_Kernel *given, Life life, bool blocking,
        pixMPI_Request *request) {
    const auto check = [](const GlEndpoint &memory, const glMPI_Kernel &kernel) -> Status {
        return memory.device->usable()
                   ? check_kernel(*memory.device, kernel)
                   : fail(PIXMPI_ERR_CONTEXT, "endpoint: of a context that is not current in this thread");
    };
    return pixmpi::run_kernel<GlEndpoint, GlKernel>(call, "OpenGL's", endpoint, given, life, blocking, request, check);
}

} // namespace

const char *glMPI_Device_glsl(void) { return pixmpi_device_text; }

int glMPI_Window_create(size_t bytes, pixMPI_Surface *window, void **memory) {
    return public_call("glMPI_Window_create", [&]() -> Status {
        std::shared_ptr<GlDevice> device;
        if (const Status status = pixmpi::check_window_pointer(window))
            return status;
        if (const Status status = pixmpi::check_window_bytes(bytes))
            return status;
        if (const Status status = current_device(device))
            return status;
        std::unique_ptr<SharedBuffer> buffer;
        if (const Status status = SharedBuffer::make(*device, bytes, buffer))
            return status;
        std::memset(buffer->memory, 0, bytes);
        *window = glMPI_Buffer(buffer->name, PIXMPI_R8, static_cast<int>(bytes), 1);
        if (memory)
            *memory = buffer->memory;
        const GLuint name = buffer->name;
        device->windows().emplace(name, std::move(buffer));
        return PIXMPI_SUCCESS;
    });
}

int glMPI_Window_free(pixMPI_Surface *window) {
    return public_call("glMPI_Window_free", [&]() -> Status {
        std::shared_ptr<GlDevice> device;
        if (const Status status = pixmpi::check_window_pointer(window))
            return status;
        if (const Status status = current_device(device))
            return status;
        if (const Status status = pixmpi::drop_window(device->windows(), window->name, "glMPI_Window_create"))
            return status;
        *window = {};
        return PIXMPI_SUCCESS;
    });
}

int glMPI_Endpoint_create(MPI_Comm comm, const pixMPI_Endpoint_info *info, int window_count,
                          const pixMPI_Surface windows[], pixMPI_Endpoint *endpoint) {
    return public_call("glMPI_Endpoint_create", [&]() -> Status {
        Parts parts;
        const Status failed = read_parts(info, window_count, windows, endpoint, parts);
        return pixmpi::endpoint_core().make_endpoint(comm, parts, failed, endpoint);
    });
}

int glMPI_Endpoint_run(pixMPI_Endpoint endpoint, const glMPI_Kernel *kernel) {
    return run("glMPI_Endpoint_run", endpoint, kernel, Life::once, true, nullptr);
}

int glMPI_Endpoint_irun(pixMPI_Endpoint endpoint, const glMPI_Kernel *kernel, pixMPI_Request *request) {
    return run("glMPI_Endpoint_irun", endpoint, kernel, Life::once, false, request);
}

int glMPI_Endpoint_run_init(pixMPI_Endpoint endpoint, const glMPI_Kernel *kernel, pixMPI_Request *request) {
    return run("glMPI_Endpoint_run_init", endpoint, kernel, Life::persistent, false, request);
}
