#include "device/cuda_device.h"

#include "surface/cuda_surface.h"
#include "transfer/stages.h"
#include "transfer/transfer.h"

#include <algorithm>

namespace cudampi {

using namespace pixmpi;

Status CudaDevice::make(const Context &context, std::shared_ptr<CudaDevice> &device) {
    std::shared_ptr<CudaDevice> made(new CudaDevice(context));
    if (const Status status = made->open())
        return status;
    core().add_device(made);
    device = std::move(made);
    return PIXMPI_SUCCESS;
}

Status CudaDevice::open() {
    char name[256] = {};
    CudaUuid uuid{};
    if (const Status status = CUDA_TRY(cuDeviceGetName, name, static_cast<int>(sizeof name) - 1, context.device))
        return status;
    if (const Status status = CUDA_TRY(cuDeviceGetUuid, &uuid, context.device))
        return status;
    std::copy_n(uuid.bytes, sizeof uuid.bytes, traits_.gpu.device.begin());
    traits_.api = "cuda";
    traits_.name = std::string(name) + ", CUDA";
    traits_.band_bytes = std::size_t{4} << 20;
    traits_.reaches_shared = true;
    traits_.copies_in_order = true;
    traits_.shares_with_mpi = true;
    traits_.packs_to_other_gpus = true;
    if (const Status status = shown_memories.open())
        return status;
    return Kernels::make(context, buffers, kernels_);
}

CudaDevice::~CudaDevice() {
    const Current current(context.handle);
    peer_memory.reset();
    kernels_.reset();
}

void CudaDevice::give_idle_memory() { buffers.free_idle(Place::host); }

CudaAddress CudaDevice::address_of(const std::byte *memory, std::size_t bytes) {
    need_lock("a device's registrations were used");
    const auto covers = [&](const StageMap &map) {
        return memory >= map.base && memory + bytes <= map.base + map.bytes;
    };
    const auto address = [&](const Shown &one) {
        return one.registered ? one.address + static_cast<CudaAddress>(memory - one.map->base) : 0;
    };
    for (const Shown &one : shown_)
        if (covers(*one.map))
            return address(one);
    const std::shared_ptr<const StageMap> map = core().shared_memory(memory);
    if (!map || !covers(*map))
        return 0;
    // Processes that nobody else knows any more have gone.
    std::erase_if(shown_, [](const Shown &one) { return one.map.use_count() == 1; });
    Shown made{map, nullptr, 0};
    made.registered = core().show_cuda(gpu(), *map, made.address);
    if (!made.registered)
        core().log(PIXMPI_LOG_INFO, "cudampi: CUDA does not register stage memory; the CPU copies it");
    shown_.push_back(std::move(made));
    return address(shown_.back());
}

Status CudaDevice::make_stage(StageKind kind, std::byte *memory, std::size_t bytes, std::unique_ptr<Stage> &stage) {
    auto made = std::make_unique<CudaStage>(shared_from_this());
    if (const Status status = made->open(kind, memory, bytes))
        return status;
    stage = std::move(made);
    return PIXMPI_SUCCESS;
}

Status CudaDevice::import_memory(int descriptor, std::size_t bytes, std::unique_ptr<DeviceMemory> &memory) {
    CudaAddress address = 0;
    std::shared_ptr<const void> imported = core().import_cuda(gpu(), descriptor, bytes, address);
    if (!imported)
        return fail(PIXMPI_ERR_DEVICE, "%s: cannot import memory of another process", name());
    memory = std::make_unique<ImportedMemory>(shared_from_this(), std::move(imported), address);
    return PIXMPI_SUCCESS;
}

Status CudaDevice::make_far_stage(std::uint64_t address, std::size_t bytes, std::unique_ptr<Stage> &stage) {
    auto made = std::make_unique<CudaStage>(shared_from_this());
    made->bytes = bytes;
    made->address = address;
    stage = std::move(made);
    return PIXMPI_SUCCESS;
}

Status CudaDevice::make_transfer(Direction direction, std::shared_ptr<Surface> surface,
                                 std::shared_ptr<const Region> region, std::unique_ptr<Transfer> &transfer) {
    transfer = std::make_unique<CudaTransfer>(direction, std::static_pointer_cast<CudaSurface>(std::move(surface)),
                                              std::move(region));
    return PIXMPI_SUCCESS;
}

Status CudaDevice::make_straight_copy(std::span<const Ends> planes, std::unique_ptr<StraightCopy> &copy) {
    return kernels() ? make_cuda_copy(*this, planes, copy) : PIXMPI_SUCCESS;
}

Status CudaDevice::make_scratch(pixMPI_Format format, Extent extent, std::shared_ptr<Surface> &surface) {
    const auto row = static_cast<std::size_t>(extent.width) * static_cast<std::size_t>(format_info(format).bytes);
    std::unique_ptr<Buffer> buffer;
    if (const Status status = buffers.acquire(Place::device, row * static_cast<std::size_t>(extent.height), buffer))
        return status;
    auto made = std::make_shared<CudaSurface>(shared_from_this(), extent, format);
    made->address = buffer->address();
    made->row_bytes = row;
    made->ordered = false;
    made->own(std::move(buffer));
    surface = std::move(made);
    return PIXMPI_SUCCESS;
}

// The kernels find a pixel of both at the same distance from the first one.
std::shared_ptr<Surface> CudaDevice::combine_onto(const std::shared_ptr<Surface> &room,
                                                  const std::shared_ptr<Surface> &base, int x, int y) {
    const auto to = std::static_pointer_cast<CudaSurface>(room), from = std::static_pointer_cast<CudaSurface>(base);
    if (!kernels() || to->is_array() || from->is_array() || to->row_bytes != from->row_bytes || to->base ||
        from->base || to->watch || from->watch || to->format != from->format)
        return nullptr;
    auto made = std::make_shared<CudaSurface>(shared_from_this(), to->extent, to->format);
    made->address = to->address;
    made->row_bytes = to->row_bytes;
    made->stream = to->stream;
    made->ordered = to->ordered;
    made->corner_x = to->corner_x;
    made->corner_y = to->corner_y;
    const int columns = x + from->corner_x - to->corner_x, rows = y + from->corner_y - to->corner_y;
    made->base = from->address + static_cast<CudaAddress>(rows) * from->row_bytes +
                 static_cast<CudaAddress>(columns) * static_cast<CudaAddress>(from->pixel_bytes);
    made->hold(to, from);
    return made;
}

namespace {

std::vector<std::shared_ptr<CudaDevice>> &devices() {
    // Never destroyed: at exit CUDA may go before we do.
    static auto *const all = new std::vector<std::shared_ptr<CudaDevice>>;
    need_lock("the list of CUDA's contexts was used");
    return *all;
}

auto find(const Context &context) {
    return std::find_if(devices().begin(), devices().end(),
                        [&](const auto &one) { return one->context.handle == context.handle; });
}

} // namespace

Status device_of(const Context &context, std::shared_ptr<CudaDevice> &device) {
    if (const auto found = find(context); found != devices().end()) {
        device = *found;
        return PIXMPI_SUCCESS;
    }
    if (const Status status = CudaDevice::make(context, device))
        return status;
    devices().push_back(device);
    return PIXMPI_SUCCESS;
}

Status release_current() {
    Context context;
    if (!cuda_driver_is_there())
        return fail(PIXMPI_ERR_CONTEXT, "context: CUDA's driver is not there");
    if (const Status status = current_context(context))
        return status;
    if (!context.handle)
        return fail(PIXMPI_ERR_CONTEXT, "context: none is current on this thread, expected the one to release");
    const auto found = find(context);
    if (found == devices().end())
        return PIXMPI_SUCCESS;
    if (!core().idle(**found))
        return fail(PIXMPI_ERR_REQUEST, "context: requests that use it are under way, expected all to have completed");
    forget_primary(context);
    devices().erase(found);
    return PIXMPI_SUCCESS;
}

} // namespace cudampi
