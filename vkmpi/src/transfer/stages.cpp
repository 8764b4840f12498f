#include "transfer/stages.h"

namespace vkmpi {

using namespace pixmpi;

Status VulkanStage::open(StageKind kind, std::byte *memory, std::size_t size) {
    bytes = size;
    if (kind == StageKind::shared) {
        host = memory;
        if (const Buffer *imported = device_->imported(memory, size, base))
            buffer = imported->name();
        return PIXMPI_SUCCESS;
    }
    place_ = kind == StageKind::mapped ? Place::host : Place::device;
    if (const Status status = device_->acquire_buffer(place_, size, own_))
        return status;
    buffer = own_->name();
    host = own_->mapped();
    return PIXMPI_SUCCESS;
}

Status VulkanMemory::make_stage(std::size_t offset, std::size_t bytes, std::unique_ptr<Stage> &stage) {
    auto made = std::make_unique<VulkanStage>(device_.shared_from_this());
    made->bytes = bytes;
    made->buffer = buffer_->name();
    made->base = offset;
    made->foreign = true;
    stage = std::move(made);
    return PIXMPI_SUCCESS;
}

VulkanStage::~VulkanStage() {
    if (own_)
        device_->give_back(place_, std::move(own_));
}

} // namespace vkmpi
