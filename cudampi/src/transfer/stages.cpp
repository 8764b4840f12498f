#include "transfer/stages.h"

namespace cudampi {

using namespace pixmpi;

Status CudaStage::open(StageKind kind, std::byte *memory, std::size_t size) {
    bytes = size;
    if (kind == StageKind::shared) {
        host = memory;
        address = device_->address_of(memory, size);
        return PIXMPI_SUCCESS;
    }
    place_ = kind == StageKind::mapped ? Place::host : Place::device;
    if (const Status status = device_->take_buffer(place_, size, own_))
        return status;
    address = own_->address();
    host = own_->host();
    return PIXMPI_SUCCESS;
}

Status ImportedMemory::make_stage(std::size_t offset, std::size_t bytes, std::unique_ptr<Stage> &stage) {
    std::shared_ptr<CudaDevice> device = device_.lock();
    if (!device)
        return fail(PIXMPI_ERR_CONTEXT, "context: has been released");
    auto made = std::make_unique<CudaStage>(std::move(device));
    made->bytes = bytes;
    made->address = address_ + offset;
    stage = std::move(made);
    return PIXMPI_SUCCESS;
}

} // namespace cudampi
