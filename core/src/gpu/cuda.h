// Memory of NVIDIA GPUs that processes share, and copies between GPUs: CUDA's virtual memory management. The driver's
// library is opened when it is first needed; without it, there are simply no such GPUs. Nothing here changes which CUDA
// context the program has current.
#pragma once

#include "device/device.h"

#include <vector>

namespace pixmpi {

/// A GPU as CUDA knows it. Kept until the process ends, or until the program resets the GPU.
class CudaGpu {
  public:
    /// Null when CUDA is not there or does not have the GPU; the log says why.
    static CudaGpu *find(const Gpu &gpu);
    /// Whether find() would have a chance: CUDA's library can be opened, and PIXMPI_CUDA is not 0. Cheap.
    static bool possible();

    const int ordinal;
    void *const context;
    const bool serves_networks; ///< network cards may be let at its memory

  private:
    CudaGpu(int ordinal_, void *context_, bool networks)
        : ordinal(ordinal_), context(context_), serves_networks(networks) {}
};

/// Makes the GPU's context current, as long as it lives. Null: does nothing.
class CudaCurrent {
  public:
    explicit CudaCurrent(const CudaGpu *gpu);
    ~CudaCurrent();
    CudaCurrent(const CudaCurrent &) = delete;
    CudaCurrent &operator=(const CudaCurrent &) = delete;

  private:
    const bool pushed_;
    int capture_mode_; ///< the library's, and then the program's
};

/// A piece of a GPU's memory, mapped for one GPU, which may be another one.
class CudaMemory {
  public:
    /// New memory, `bytes` rounded up to what CUDA wants. Null when there is not that much. `networks`: network cards
    /// also read and write it, if they can.
    static std::unique_ptr<CudaMemory> make(CudaGpu &gpu, std::size_t bytes, bool networks = false);
    /// Another process' memory, mapped for `gpu`. `descriptor` stays the caller's. Null when it cannot be reached.
    static std::unique_ptr<CudaMemory> import(CudaGpu &gpu, int descriptor, std::size_t bytes);
    ~CudaMemory();
    CudaMemory(const CudaMemory &) = delete;
    CudaMemory &operator=(const CudaMemory &) = delete;

    /// A new descriptor for others to import it, the caller's; -1 on failure.
    int descriptor() const;
    std::uint64_t address() const { return address_; }
    std::size_t bytes() const { return bytes_; }
    const CudaGpu &gpu() const { return gpu_; }

  private:
    CudaMemory(CudaGpu &gpu, std::size_t bytes) : gpu_(gpu), bytes_(bytes) {}
    bool map();

    CudaGpu &gpu_;
    const std::size_t bytes_;
    std::uint64_t handle_ = 0, address_ = 0;
    bool reserved_ = false, mapped_ = false;
};

/// Host memory that GPUs copy from and to as fast as they can, since it stays where it is.
class CudaHostMemory {
  public:
    /// Memory of this process or shared with other processes; it stays mapped until this is gone. Null when CUDA
    /// refuses.
    static std::unique_ptr<CudaHostMemory> make(CudaGpu &gpu, std::byte *memory, std::size_t bytes);
    ~CudaHostMemory();
    CudaHostMemory(const CudaHostMemory &) = delete;
    CudaHostMemory &operator=(const CudaHostMemory &) = delete;
    std::uint64_t address() const { return address_; }

  private:
    CudaHostMemory(CudaGpu &gpu, std::byte *memory) : gpu_(gpu), memory_(memory) {}
    CudaGpu &gpu_;
    std::byte *const memory_;
    std::uint64_t address_ = 0;
    bool registered_ = false;
};

/// Copies by a GPU's copy engines.
class CudaStream {
  public:
    /// `at_once`: how many go on at the same time. Copies from or to the host begin late, so that two are faster; of
    /// copies to another GPU, which are as fast alone, the first one should be over soon.
    static std::unique_ptr<CudaStream> make(CudaGpu &gpu, std::size_t at_once);
    ~CudaStream();
    CudaStream(const CudaStream &) = delete;
    CudaStream &operator=(const CudaStream &) = delete;

    /// Addresses that the GPU has mapped, its own, others' or the host's. `number` counts the copies, from 1.
    Status copy(std::uint64_t to, std::uint64_t from, std::size_t bytes, std::uint64_t &number);
    /// How many copies are over, with all before them.
    Status progress(std::uint64_t &number);

  private:
    static constexpr std::size_t most = 64; ///< events; further copies wait for all

    CudaStream(CudaGpu &gpu, std::size_t at_once) : gpu_(gpu), streams_(at_once) {}
    CudaGpu &gpu_;
    bool finish();
    std::vector<void *> streams_; ///< alternately
    std::array<void *, most> events_{};
    std::uint64_t started_ = 0, over_ = 0;
};

} // namespace pixmpi
