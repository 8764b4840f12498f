// One message's pixels between a surface of CUDA and stages: on a stream of the library's own, which first waits for
// what the program has submitted to its stream, and an event behind each band.
#pragma once

#include "surface/cuda_surface.h"
#include "transfer/stages.h"

#include <deque>

namespace cudampi {

class CudaTransfer final : public pixmpi::Transfer {
  public:
    CudaTransfer(Direction direction, std::shared_ptr<CudaSurface> surface,
                 std::shared_ptr<const pixmpi::Region> region);
    ~CudaTransfer() override;
    void start() override;
    void await() override;
    Status begin(std::uint64_t pixels) override;
    Status copy(std::uint64_t first, std::uint64_t count, pixmpi::Stage &stage, std::size_t offset,
                pixmpi::Ticket &ticket) override;
    Status combine(const pixmpi::Combination &how, pixmpi::Surface *depths, std::uint64_t first, std::uint64_t count,
                   pixmpi::Stage &stage, std::size_t offset, pixmpi::Ticket &ticket, bool &accepted) override;
    bool combines(const pixmpi::Combination &how) override;
    Status poll(pixmpi::Ticket ticket, bool &over) override;
    bool show(pixmpi::ShownPixels &shown, bool may_pack) override;
    Status look_at_order(bool &over) override;
    Status see(const std::shared_ptr<pixmpi::Peer> &from, const pixmpi::ShownPixels &shown, std::uint64_t bytes,
               std::unique_ptr<pixmpi::Stage> &stage) override;
    Status end() override;
    void give_up() override;
    bool settled() override;

  private:
    struct BandWork {
        std::uint64_t first, count;
        std::size_t bytes;
        CudaAddress packed; ///< 0: in pinned memory that the CPU copies to or from `host`
        std::byte *host;
        CudaStage *stage; ///< null: of another device
        pixmpi::Combination how{};
        CudaSurface *depths = nullptr; ///< NEAREST; this surface is the colours
    };
    struct Pending {
        void *event = nullptr;
        pixmpi::Ticket ticket = 0;
        Kernels::Held held{};
        std::unique_ptr<Buffer> carry{}; ///< pinned memory of a band whose stage the GPU does not reach
        std::byte *to = nullptr;         ///< pack: where the CPU copies it
        std::size_t bytes = 0;
    };

    BandWork band_of(std::uint64_t first, std::uint64_t count, pixmpi::Stage &stage, std::size_t offset) const;
    Status process(BandWork band, pixmpi::Ticket &ticket, bool &accepted);
    /// `soon`: something is submitted at once.
    Status ready(bool soon = true);
    /// Where its own pixels are; of a pack those that are combined with (CombiningTransfer packs them).
    CudaAddress pixels() const {
        return direction_ == Direction::pack && surface_->base ? surface_->base : surface_->address;
    }
    Status carry(BandWork &band, Pending &pending);
    Status submit(const BandWork &band, Pending &pending, bool &accepted);
    Status copy_pieces(const BandWork &band);
    Status choose_nearest(const BandWork &band, Pending &pending, bool &accepted);
    bool lies_as(const CudaSurface &depths) const;
    bool wants_kernel(const BandWork &band) const;
    Status collect();
    void finish_front();
    void give_stream();
    void give_order();
    bool show_copy(pixmpi::ShownPixels &shown);
    bool kernel_reaches();

    const Direction direction_;
    const std::shared_ptr<CudaSurface> surface_;
    const std::shared_ptr<const pixmpi::Region> region_;
    CudaDevice &device_;
    void *stream_ = nullptr;
    bool started_ = false;
    bool in_order_ = false, depths_in_order_ = false; ///< the stream waits for the program's work
    bool open_ = false;                       ///< the watch waits for the end
    void *order_ = nullptr;                   ///< an event behind the program's work on what is shown
    std::unique_ptr<Buffer> copy_;            ///< what is shown instead, packed
    pixmpi::Ticket copy_ticket_ = 0;          ///< of its packing; 0: there is none
    pixmpi::Ticket bands_ = 0, over_ = 0; ///< of this message: submitted, and over
    std::deque<Pending> pending_;
};

/// Begins a copy between two surfaces of a device with kernels, from one list of rectangles to the other. `copy` stays
/// null where there is no such way: for shared memory, two arrays, and where what is written may be what is read.
Status make_cuda_copy(CudaDevice &device, std::span<const pixmpi::CopiesStraight::Ends> planes,
                      std::unique_ptr<pixmpi::StraightCopy> &copy);

} // namespace cudampi
