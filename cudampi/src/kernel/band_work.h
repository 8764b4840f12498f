// The kernels of a context, and bands as they take them. The lists of bands that are many pieces are kept in the GPU's
// memory for the regions that were used last: who sends the same again sends pixels only.
#pragma once

#include "../../kernels/work.h"
#include "combine/operation.h"
#include "object/objects.h"
#include "region/region_cache.h"

#include <vector>

namespace cudampi {

/// Pixels in memory.
struct Rows {
    CudaAddress address, present; ///< `present`: of those that are combined with, as far from each other
    std::size_t row_bytes, pixel_bytes;
};

class Kernels {
  public:
    /// Null where there are none: this build has no PTX, the GPU is older than they are, or PIXMPI_CUDA_PACK says so.
    static Status make(const Context &context, Buffers &buffers, std::unique_ptr<Kernels> &kernels);
    ~Kernels();
    Kernels(const Kernels &) = delete;
    Kernels &operator=(const Kernels &) = delete;

    struct BandWork {
        std::shared_ptr<const pixmpi::Region> region;
        std::uint64_t first, count;
        CudaAddress packed;
    };
    /// What a launch needs until it is over.
    using Held = std::shared_ptr<const void>;
    /// `how`: of an unpack. `taken` is false where the kernels do not do that, and nothing has happened then.
    Status launch(void *stream, Direction direction, const Rows &rows, pixMPI_Format format,
                  const pixmpi::Combination &how, const BandWork &band, Held &held, bool &taken);

  private:
    Kernels(const Context &context, Buffers &buffers) : context_(context), buffers_(buffers) {}
    struct Key {
        std::uint32_t element_bytes;
        std::size_t row_bytes, pixel_bytes;
        bool operator==(const Key &) const = default;
    };
    struct List {
        explicit List(Buffers &buffers_) : buffers(buffers_) {}
        ~List() { buffers.give_back(Place::device, std::move(memory)); }
        List(const List &) = delete;
        List &operator=(const List &) = delete;
        Buffers &buffers;
        std::unique_ptr<Buffer> memory;
    };
    struct CachedWork {
        kernels::Work work{};
        std::shared_ptr<const List> list; ///< null: the pieces are in `work`
    };
    Status work_of(const Key &key, const BandWork &band, CachedWork &entry);
    Status upload(const std::vector<kernels::Piece> &pieces, CachedWork &entry) const;
    Status upload(const std::vector<kernels::Piece> &pieces, const kernels::Work &work, const Buffer &by,
                  const Buffer &to) const;

    /// A kernel in a module of its own.
    struct Kernel {
        void *module = nullptr, *function = nullptr;
        bool tried = false;
    };
    /// Makes the GPU's code of it, when it is first wanted: of PTX the driver takes its time. False: it cannot.
    static bool load(Kernel &kernel, const char *ptx, const char *name);

    const Context context_;
    Buffers &buffers_; ///< which outlive it
    Kernel move_, combine_;
    void *uploads_ = nullptr;
    pixmpi::RegionCache<Key, CachedWork> entries_{8 << 20}; ///< by bytes
};

} // namespace cudampi
