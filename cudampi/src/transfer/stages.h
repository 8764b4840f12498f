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
        if (filled_)
            device_->streams.give_event(filled_);
    }
    Status open(pixmpi::StageKind kind, std::byte *memory, std::size_t size) {
        bytes = size;
        if (kind == pixmpi::StageKind::shared) {
            host = memory;
            address = device_->address_of(memory, size);
            return PIXMPI_SUCCESS;
        }
        place_ = kind == pixmpi::StageKind::mapped ? Place::host : Place::device;
        is_local_ = kind == pixmpi::StageKind::local;
        if (const Status status = device_->buffers.acquire(place_, size, own_))
            return status;
        address = own_->address();
        host = own_->host();
        return PIXMPI_SUCCESS;
    }

    /// Of StageKind::local: what a stream has been asked to pack here is there before another one unpacks it.
    Status tell_filled(void *stream) {
        if (!is_local_)
            return PIXMPI_SUCCESS;
        if (!filled_) {
            if (const Status status = device_->streams.acquire_event(filled_))
                return status;
        } else if (stream != filler_) { // of another plane: the event stands for both
            if (const Status status = await_filled(stream))
                return status;
        }
        filler_ = stream;
        return CUDA_TRY(cuEventRecord, filled_, stream);
    }
    Status await_filled(void *stream) const {
        return filled_ ? CUDA_TRY(cuStreamWaitEvent, stream, filled_, 0) : PIXMPI_SUCCESS;
    }

    CudaAddress address = 0; ///< where the GPU sees it; 0: the CPU copies between `host` and pinned memory
    /// Of another program's pixels (ShownPixels): the rows, where there are gaps between them, and what keeps them.
    std::shared_ptr<const pixmpi::Region> rows;
    std::uint64_t row_bytes = 0;
    std::shared_ptr<const void> hold;

  private:
    std::shared_ptr<CudaDevice> device_;
    std::unique_ptr<Buffer> own_;
    Place place_ = Place::device; ///< of its own
    bool is_local_ = false;
    void *filled_ = nullptr, *filler_ = nullptr; ///< an event, and the stream that it was last recorded in
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
