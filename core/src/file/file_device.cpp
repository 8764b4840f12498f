#include "file/file_device.h"

#include "base/log.h"
#include "file/file_transfer.h"
#include "host/host_device.h"

#include <cstdlib>

namespace pixmpi {

Status FileDevice::get(std::shared_ptr<Device> &device) {
    // Never destroyed: requests may be freed by destructors that run late.
    static auto *const one = new std::shared_ptr<FileDevice>;
    if (!*one) {
        auto made = std::make_shared<FileDevice>();
        if (const Status error = IoQueue::make(made->queue))
            return error;
        made->traits_.name = made->queue->name();
        log_line(PIXMPI_LOG_INFO, "files are read and written by %s", made->name());
        *one = std::move(made);
    }
    device = *one;
    return PIXMPI_SUCCESS;
}

Status FileDevice::make_stage(StageKind kind, std::byte *memory, std::size_t bytes, std::unique_ptr<Stage> &stage) {
    return host_device()->make_stage(kind, memory, bytes, stage);
}

Status FileDevice::make_transfer(Direction direction, std::shared_ptr<Surface> surface,
                                 std::shared_ptr<const Region> region, std::unique_ptr<Transfer> &transfer) {
    transfer = std::make_unique<FileTransfer>(direction, std::static_pointer_cast<FileSurface>(std::move(surface)),
                                              std::move(region));
    return PIXMPI_SUCCESS;
}

Status FileDevice::make_scratch(pixMPI_Format format, Extent extent, std::shared_ptr<Surface> &surface) {
    return host_device()->make_scratch(format, extent, surface);
}

std::byte *FileDevice::acquire_block() {
    constexpr std::size_t most = 16;
    if (idle_.empty() && made_ < most) {
        idle_.reserve(made_ + 1); // so that giving back needs no memory
        if (auto *memory = static_cast<std::byte *>(std::aligned_alloc(OpenFile::direct_unit, block_bytes))) {
            idle_.push_back(memory);
            ++made_;
        }
    }
    if (idle_.empty())
        return nullptr;
    std::byte *const block = idle_.back();
    idle_.pop_back();
    return block;
}

} // namespace pixmpi
