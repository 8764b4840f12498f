#include "stages.h"

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
    pooled_ = kind == StageKind::mapped;
    const Status status =
        pooled_ ? device_->host_buffer(size, own_) : Buffer::make(*device_, Place::device, size, own_);
    if (status)
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
    if (pooled_ && own_)
        device_->give_back(std::move(own_));
}

} // namespace vkmpi
