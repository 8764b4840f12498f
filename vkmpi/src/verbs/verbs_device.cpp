// The entry points of vkmpi_device.h.
#include "api/endpoint_call.h"
#include "device/vk_contexts.h"
#include "endpoint/vk_endpoint.h"

#include <cstring>

using namespace vkmpi;
using pixmpi::core;
using pixmpi::fail;
using pixmpi::Life;
using pixmpi::public_call;

namespace {

using Parts = pixmpi::PartsOf<VulkanDevice, VulkanEndpoint>;

Status find_usable(vkMPI_Context context, std::shared_ptr<VulkanDevice> &device) {
    if (const Status status = find_context(context, "context", device))
        return status;
    return device->usable()
               ? PIXMPI_SUCCESS
               : fail(PIXMPI_ERR_CONTEXT, "context: belongs to another thread, expected this one to be bound");
}

Status read_parts(vkMPI_Context context, const pixMPI_Endpoint_info *info, int window_count,
                  const vkMPI_Surface windows[], const pixMPI_Endpoint *endpoint, Parts &parts) {
    if (!endpoint)
        return fail(PIXMPI_ERR_ARGUMENT, "endpoint: null, expected a pointer to a handle");
    if (const Status status = find_usable(context, parts.device))
        return status;
    if (!(parts.device->queue_flags & VK_QUEUE_COMPUTE_BIT))
        return fail(PIXMPI_ERR_CONTEXT, "context: its queue has no compute");
    if (const Status status = pixmpi::read_struct("info", info, parts.info))
        return status;
    return pixmpi::read_windows(window_count, windows, parts,
                                [&](const vkMPI_Surface &named, std::unique_ptr<pixmpi::Window> &window) {
                                    return make_window(context, named, window);
                                });
}

int run(const char *call, pixMPI_Endpoint endpoint, const vkMPI_Kernel *given, Life life, bool blocking,
        pixMPI_Request *request) {
    const auto check = [](const VulkanEndpoint &, const vkMPI_Kernel &kernel) -> Status {
        if (!kernel.pipeline || !kernel.layout)
            return fail(PIXMPI_ERR_ARGUMENT, "kernel.%s: VK_NULL_HANDLE", kernel.pipeline ? "layout" : "pipeline");
        if ((kernel.set_count && !kernel.sets) || (kernel.push_bytes && !kernel.push))
            return fail(PIXMPI_ERR_ARGUMENT, "kernel.%s: null", kernel.set_count && !kernel.sets ? "sets" : "push");
        return PIXMPI_SUCCESS;
    };
    return pixmpi::run_kernel<VulkanEndpoint, VulkanKernel>(call, "Vulkan's", endpoint, given, life, blocking, request,
                                                            check);
}

} // namespace

int vkMPI_Window_create(vkMPI_Context context, size_t bytes, vkMPI_Surface *window, void **memory) {
    return public_call("vkMPI_Window_create", [&]() -> Status {
        std::shared_ptr<VulkanDevice> device;
        if (const Status status = pixmpi::check_window_pointer(window))
            return status;
        if (const Status status = pixmpi::check_window_bytes(bytes))
            return status;
        if (const Status status = find_usable(context, device))
            return status;
        std::unique_ptr<Buffer> buffer;
        if (const Status status = Buffer::make_window(*device, bytes, memory != nullptr, buffer))
            return status;
        if (buffer->mapped())
            std::memset(buffer->mapped(), 0, buffer->bytes());
        else if (const Status status = device->message_device->fill(*buffer, 0))
            return status;
        *window = vkMPI_Buffer(context, buffer->name(), PIXMPI_R8, static_cast<int>(bytes), 1);
        window->buffer_usage |= VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
        window->buffer_bytes = buffer->bytes();
        if (memory)
            *memory = buffer->mapped();
        const VkBuffer name = buffer->name();
        device->windows().emplace(name, std::move(buffer));
        return PIXMPI_SUCCESS;
    });
}

int vkMPI_Window_free(vkMPI_Surface *window) {
    return public_call("vkMPI_Window_free", [&]() -> Status {
        std::shared_ptr<VulkanDevice> device;
        if (const Status status = pixmpi::check_window_pointer(window))
            return status;
        if (const Status status = find_usable(window->context, device))
            return status;
        if (const Status status = pixmpi::drop_window(device->windows(), window->buffer, "vkMPI_Window_create"))
            return status;
        *window = {};
        return PIXMPI_SUCCESS;
    });
}

int vkMPI_Endpoint_create(vkMPI_Context context, MPI_Comm comm, const pixMPI_Endpoint_info *info, int window_count,
                          const vkMPI_Surface windows[], pixMPI_Endpoint *endpoint) {
    return public_call("vkMPI_Endpoint_create", [&]() -> Status {
        Parts parts;
        const Status failed = read_parts(context, info, window_count, windows, endpoint, parts);
        return pixmpi::endpoint_core().make_endpoint(comm, parts, failed, endpoint);
    });
}

int vkMPI_Endpoint_layout(pixMPI_Endpoint endpoint, VkDescriptorSetLayout *layout) {
    return public_call("vkMPI_Endpoint_layout", [&]() -> Status {
        std::shared_ptr<VulkanEndpoint> memory;
        if (const Status status = pixmpi::find_memory(endpoint, "Vulkan's", memory))
            return status;
        if (!layout)
            return fail(PIXMPI_ERR_ARGUMENT, "layout: null, expected a pointer");
        *layout = memory->layout;
        return PIXMPI_SUCCESS;
    });
}

int vkMPI_Endpoint_run(pixMPI_Endpoint endpoint, const vkMPI_Kernel *kernel) {
    return run("vkMPI_Endpoint_run", endpoint, kernel, Life::once, true, nullptr);
}

int vkMPI_Endpoint_irun(pixMPI_Endpoint endpoint, const vkMPI_Kernel *kernel, pixMPI_Request *request) {
    return run("vkMPI_Endpoint_irun", endpoint, kernel, Life::once, false, request);
}

int vkMPI_Endpoint_run_init(pixMPI_Endpoint endpoint, const vkMPI_Kernel *kernel, pixMPI_Request *request) {
    return run("vkMPI_Endpoint_run_init", endpoint, kernel, Life::persistent, false, request);
}
