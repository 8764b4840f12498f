// What the library keeps for one context of CUDA.
#pragma once

#include "host/straight_copy.h"
#include "kernel/kernels.h"
#include "object/objects.h"
#include "object/shown.h"

#include <memory>
#include <string>
#include <vector>

namespace cudampi {

class CudaDevice final : public pixmpi::Device,
                         public pixmpi::CopiesStraight,
                         public std::enable_shared_from_this<CudaDevice> {
  public:
    static Status make(const Context &context, std::shared_ptr<CudaDevice> &device);
    ~CudaDevice() override;

    /// Any thread can make the context current.
    bool usable() const override { return !driver().exiting; }
    Status make_stage(pixmpi::StageKind kind, std::byte *memory, std::size_t bytes,
                      std::unique_ptr<pixmpi::Stage> &stage) override;
    Status make_transfer(Direction direction, std::shared_ptr<pixmpi::Surface> surface,
                         std::shared_ptr<const pixmpi::Region> region,
                         std::unique_ptr<pixmpi::Transfer> &transfer) override;
    Status make_scratch(pixMPI_Format format, pixmpi::Extent extent,
                        std::shared_ptr<pixmpi::Surface> &surface) override;
    std::shared_ptr<pixmpi::Surface> combine_onto(const std::shared_ptr<pixmpi::Surface> &room,
                                                  const std::shared_ptr<pixmpi::Surface> &base, int x, int y) override;
    Status make_straight_copy(std::span<const Ends> planes, std::unique_ptr<pixmpi::StraightCopy> &copy) override;
    void give_idle_memory() override;
    Status import_memory(int descriptor, std::size_t bytes, std::unique_ptr<pixmpi::DeviceMemory> &memory) override;
    Status make_far_stage(std::uint64_t address, std::size_t bytes, std::unique_ptr<pixmpi::Stage> &stage) override;

    /// Where the GPU sees stage memory; 0: it does not.
    CudaAddress address_of(const std::byte *memory, std::size_t bytes);
    /// Made and opened already; null where there are none, and copy commands do all.
    Kernels *kernels() const { return kernels_.get(); }

    const Context context;
    Streams streams;
    Buffers buffers;
    ShownMemories shown_memories;

  private:
    explicit CudaDevice(const Context &context_)
        : context(context_), streams(context_), buffers(context_), shown_memories(context_) {}
    Status open();

    std::unique_ptr<Kernels> kernels_;
    struct Shown {
        std::shared_ptr<const pixmpi::StageMap> map;
        std::shared_ptr<const void> registered; ///< null: CUDA refused
        CudaAddress address = 0;
    };
    std::vector<Shown> shown_;
};

/// That of a context, made on first use.
Status device_of(const Context &context, std::shared_ptr<CudaDevice> &device);
/// Forgets that of the context which this thread has current.
Status release_current();

} // namespace cudampi
