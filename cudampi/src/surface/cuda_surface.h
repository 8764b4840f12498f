// Pixels that CUDA has: in memory that a GPU reaches, or in an array.
#pragma once

#include "device/cuda_device.h"

namespace cudampi {

/// What pixMPI_Surface::kind says.
enum class Kind : std::uint8_t { memory = 0, array, mipmapped };

using pixmpi::CudaArrayShape;

class CudaSurface final : public pixmpi::Surface {
  public:
    CudaSurface(std::shared_ptr<CudaDevice> device_, pixmpi::Extent extent_, pixMPI_Format format_)
        : Surface(device_, extent_, format_), cuda_(*device_) {}
    ~CudaSurface() override;

    CudaDevice &cuda() const { return cuda_; }
    void own(std::unique_ptr<Buffer> buffer) { own_ = std::move(buffer); }
    /// Both live as long as this.
    void hold(std::shared_ptr<const CudaSurface> room, std::shared_ptr<const CudaSurface> base_owner) {
        room_ = std::move(room);
        base_owner_ = std::move(base_owner);
    }
    const CudaSurface *base_owner() const { return base_owner_.get(); }
    bool is_array() const { return array != nullptr; }
    /// Where kernels find the pixels, or those that are combined with. False where they do not reach them.
    bool show(Pixels &pixels);

    CudaAddress address = 0; ///< of memory: of the first pixel
    std::size_t row_bytes = 0;
    CudaAddress base = 0; ///< of CudaDevice::combine_onto(): of the pixels that are combined with; 0: these
    void *array = nullptr;
    CudaArrayShape array_shape{};
    std::size_t layer = 0;
    void *stream = nullptr; ///< whose work before a message counts; null: the context's legacy stream
    bool ordered = true;    ///< false: memory of the library's own, which no stream of the program uses

  private:
    CudaDevice &cuda_; ///< that the surface holds
    std::unique_ptr<Buffer> own_;
    CudaAddress array_object_ = 0; ///< made when it is first wanted
    std::shared_ptr<const CudaSurface> room_, base_owner_;
};

/// As the program names it.
Status resolve(const pixMPI_Surface &named, std::shared_ptr<CudaSurface> &surface);

// What has no member of its own in pixMPI_Surface. `offset`: the stream; of arrays `row_bytes`: level and layer.
inline void *stream_of(const pixMPI_Surface &named) {
    return reinterpret_cast<void *>(static_cast<std::intptr_t>(named.offset));
}
inline unsigned level_of(const pixMPI_Surface &named) {
    return static_cast<unsigned>(static_cast<std::uint64_t>(named.row_bytes));
}
inline unsigned layer_of(const pixMPI_Surface &named) {
    return static_cast<unsigned>(static_cast<std::uint64_t>(named.row_bytes) >> 32);
}

} // namespace cudampi
