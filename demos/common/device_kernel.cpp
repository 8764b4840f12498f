#include "device_kernel.h"

#include <pixmpi.h>

namespace demo {

namespace {

pixMPI_Surface in_memory(const void *memory, std::size_t bytes) {
    return pixMPI_Memory(memory, PIXMPI_R8, static_cast<int>(bytes), 1);
}

} // namespace

MessageWindow::MessageWindow(const Gpu &gpu, std::size_t bytes) { vkMPI_Window_create(gpu.context, bytes, &surface_, nullptr); }

MessageWindow::~MessageWindow() { vkMPI_Window_free(&surface_); }

vkMPI_Surface MessageWindow::part(std::size_t offset, std::size_t bytes) const {
    vkMPI_Surface part = surface_;
    part.offset += offset;
    part.width = static_cast<int>(bytes);
    part.row_bytes = static_cast<std::int64_t>(bytes);
    return part;
}

void MessageWindow::write(std::size_t offset, const void *from, std::size_t bytes) const {
    const vkMPI_Surface to = part(offset, bytes);
    pixMPI_Copy(in_memory(from, bytes), PIXMPI_WHOLE, vkMPI_Any(&to, nullptr), PIXMPI_WHOLE);
}

void MessageWindow::read(std::size_t offset, void *to, std::size_t bytes) const {
    const vkMPI_Surface from = part(offset, bytes);
    pixMPI_Copy(vkMPI_Any(&from, nullptr), PIXMPI_WHOLE, in_memory(to, bytes), PIXMPI_WHOLE);
}

Endpoint::Endpoint(const Gpu &gpu, const pixMPI_Endpoint_info &given, const std::vector<vkMPI_Surface> &windows,
                   MPI_Comm comm) {
    constexpr double patient = 120; // drivers compile a shader in its first dispatch, on busy cores for long
    pixMPI_Endpoint_info info = given;
    info.struct_size = sizeof info;
    if (info.timeout == 0)
        info.timeout = patient;
    vkMPI_Endpoint_create(gpu.context, comm, &info, static_cast<int>(windows.size()), windows.data(), &handle);
    pixMPI_Endpoint_comm(handle, &space, &slots, &first);
}

Endpoint::~Endpoint() { pixMPI_Endpoint_free(&handle); }

DeviceLimits::DeviceLimits(const Gpu &gpu) {
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(gpu.physical_device, &properties);
    const bool software = properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    groups = software ? 4 : 1024;
    turns = software ? 1 << 14 : 1 << 24;
}

namespace {

VkDescriptorSetLayout layout_of(const Endpoint &endpoint) {
    VkDescriptorSetLayout layout = {};
    vkMPI_Endpoint_layout(endpoint.handle, &layout);
    return layout;
}

} // namespace

DeviceKernel::DeviceKernel(const Gpu &gpu, const Endpoint &endpoint, const std::uint32_t *code, std::size_t bytes,
                           const std::vector<VkBuffer> &buffers, std::size_t push_bytes)
    : endpoint_(endpoint), pipeline_(gpu, code, bytes, std::vector(buffers.size(), VK_DESCRIPTOR_TYPE_STORAGE_BUFFER),
                                     static_cast<std::uint32_t>(push_bytes), 1, layout_of(endpoint)),
      bound_(pipeline_.make_set()) {
    for (std::uint32_t i = 0; i < buffers.size(); ++i)
        pipeline_.bind(bound_, i, buffers[i]);
}

vkMPI_Kernel DeviceKernel::described(const void *push, int groups) const {
    return {.struct_size = sizeof(vkMPI_Kernel),
            .pipeline = pipeline_.pipeline,
            .layout = pipeline_.layout,
            .set_count = 1,
            .sets = &bound_,
            .push_bytes = pipeline_.push_bytes,
            .push = push,
            .groups = groups};
}

} // namespace demo
