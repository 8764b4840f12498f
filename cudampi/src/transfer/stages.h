// Stages of CUDA: memory that the GPU reaches by an address, or, where it does not, that the CPU copies.
#pragma once

#include "device/cuda_device.h"

namespace cudampi {

class CudaStage final : public pixmpi::Stage {
  public:
    explicit CudaStage(std::shared_ptr<CudaDevice> device) : device_(std::move(device)) {}
    ~CudaStage() override {
        if (own_)
            device_->buffers.give_back(place_, std::move(own_));
    }
    Status open(pixmpi::StageKind kind, std::byte *memory, std::size_t size) {
        bytes = size;
        if (kind == pixmpi::StageKind::shared) {
            host = memory;
            address = device_->address_of(memory, size);
            return PIXMPI_SUCCESS;
        }
        place_ = kind == pixmpi::StageKind::mapped ? Place::host : Place::device;
        if (const Status status = device_->buffers.take(place_, size, own_))
            return status;
        address = own_->address();
        host = own_->host();
        return PIXMPI_SUCCESS;
    }

    CudaAddress address = 0; ///< where the GPU sees it; 0: the CPU copies between `host` and pinned memory

  private:
    std::shared_ptr<CudaDevice> device_;
    std::unique_ptr<Buffer> own_;
    Place place_ = Place::device; ///< of its own
};

/// Memory of the GPU, of this process or another one, that CUDA has exported.
class ImportedMemory final : public pixmpi::DeviceMemory {
  public:
    ImportedMemory(const std::shared_ptr<CudaDevice> &device, std::shared_ptr<const void> memory, CudaAddress address)
        : device_(device), memory_(std::move(memory)), address_(address) {}
    Status make_stage(std::size_t offset, std::size_t bytes, std::unique_ptr<pixmpi::Stage> &stage) override {
        std::shared_ptr<CudaDevice> device = device_.lock();
        if (!device)
            return fail(PIXMPI_ERR_CONTEXT, "context: has been released");
        auto made = std::make_unique<CudaStage>(std::move(device));
        made->bytes = bytes;
        made->address = address_ + offset;
        stage = std::move(made);
        return PIXMPI_SUCCESS;
    }

  private:
    const std::weak_ptr<CudaDevice> device_; ///< which keeps this, in its PeerMemory
    const std::shared_ptr<const void> memory_;
    const CudaAddress address_;
};

} // namespace cudampi
