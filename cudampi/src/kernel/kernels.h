// The kernels of a context. The lists of what is many pieces are kept in the GPU's memory for the regions that were
// used last: who sends or copies the same again sends pixels only.
#pragma once

#include "combine/operation.h"
#include "kernel/pieces.h"
#include "object/objects.h"
#include "region/region_cache.h"

#include <vector>

namespace cudampi {

/// Pixels in memory, or in an array.
struct Pixels {
    CudaAddress address = 0; ///< of an array: its surface object
    std::uint64_t row_bytes = 0;
    std::uint32_t shape = 0, layer = 0; ///< of an array
    bool is_array = false;
};

/// Pixels of two ends that a kernel moves.
struct Launch {
    Pixels here;
    std::shared_ptr<const pixmpi::Region> region; ///< here
    std::uint64_t first, count;                   ///< of its pixels
    CudaAddress there;
    std::uint64_t there_row_bytes = 0;
    std::shared_ptr<const pixmpi::Region> there_region = nullptr; ///< null: packed pixels
    bool backwards = false;                                       ///< from there to here
    std::size_t pixel_bytes;
    // What is combined: backwards, and here is memory.
    pixmpi::Combination how{};
    pixMPI_Format format = PIXMPI_FORMAT_NONE;
    CudaAddress present = 0; ///< of those that are combined with, as far from each other as those here
    /// NEAREST: all above is of the depths.
    struct Colors {
        CudaAddress here = 0, there = 0, present = 0;
        std::uint32_t pixel_bytes = 0;
    } colors{};
};

class Kernels {
  public:
    /// Null where there are none: this build has no PTX, the GPU is older than they are, or PIXMPI_CUDA_PACK says so.
    static Status make(const Context &context, Buffers &buffers, std::unique_ptr<Kernels> &kernels);
    ~Kernels();
    Kernels(const Kernels &) = delete;
    Kernels &operator=(const Kernels &) = delete;

    /// Whether pixels of an array, or of memory, are moved at all.
    bool move(bool is_array) const { return (is_array ? array_ : move_).function; }
    /// Whether pixels of memory are combined, where they are aligned as their size says.
    bool combine(const pixmpi::Combination &how, pixMPI_Format format);

    /// What a launch needs until it is over.
    using Held = std::shared_ptr<const void>;
    /// A launch that only lacks a stream.
    struct Ready {
        void *function = nullptr;
        kernels::Work work{};
        Held held{};
    };
    /// `accepted` is false where the kernels do not do that.
    Status prepare(const Launch &what, Ready &ready, bool &accepted);
    static Status launch(void *stream, const Ready &ready);
    /// Both; nothing has happened where it is not accepted.
    Status launch(void *stream, const Launch &what, Held &held, bool &accepted);

  private:
    Kernels(const Context &context, Buffers &buffers) : context_(context), buffers_(buffers) {}
    /// What a list depends on, in addition to the region here.
    struct Key {
        std::uint32_t most;
        bool combines;
        std::uint64_t row_bytes, there_row_bytes;
        std::size_t pixel_bytes;
        pixMPI_Rect there_rect;                           ///< where that is all of the region there
        std::weak_ptr<const pixmpi::Region> there_region; ///< else
        bool operator==(const Key &other) const;
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
    Status work_of(const Launch &what, CachedWork &entry, bool &accepted);
    /// `fill` writes so many bytes.
    template <class Fill> Status upload(std::size_t bytes, CachedWork &entry, Fill fill) const;
    Status upload(const std::vector<kernels::Piece> &pieces, CachedWork &entry) const;
    Status upload(const std::vector<kernels::Chunk> &chunks, CachedWork &entry) const;

    /// A kernel in a module of its own.
    struct Kernel {
        void *module = nullptr, *function = nullptr;
        bool tried = false;
    };
    /// Makes the GPU's code of it, once: of PTX the driver takes its time, and it may wait for the program's kernels.
    /// False: it cannot.
    static bool load(Kernel &kernel, const char *ptx, const char *name);
    /// Null where there is none.
    void *function_for(const Launch &what);

    const Context context_;
    Buffers &buffers_; ///< which outlive it
    Kernel move_, array_, combine_;
    void *chunks_ = nullptr; ///< a function of the module of move_
    void *uploads_ = nullptr;
    pixmpi::RegionCache<Key, CachedWork> entries_{16 << 20}; ///< by bytes
};

} // namespace cudampi
