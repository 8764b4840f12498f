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

VulkanStage::~VulkanStage() {
    if (pooled_ && own_)
        device_->give_back(std::move(own_));
}

} // namespace vkmpi
