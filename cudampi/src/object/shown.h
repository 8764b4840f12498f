// Memory of programs that other processes of the host read where it is: the sender of a message shows its pixels, and
// the receiver unpacks them from there, so that nothing is packed. CUDA maps whole allocations of cuMemAlloc for another
// process, and keeps the memory of one that is freed as long as another process has it mapped. So no large ones are
// shown, a receiver keeps few, and those of processes that have gone are given back.
#pragma once

#include "context/driver.h"
#include "process/peer.h"
#include "stage/flow.h"

#include <array>
#include <chrono>
#include <memory>
#include <vector>

namespace cudampi {

class ShownMemories {
  public:
    explicit ShownMemories(const Context &context) : context_(context) {}
    ShownMemories(const ShownMemories &) = delete;
    ShownMemories &operator=(const ShownMemories &) = delete;
    /// Reads PIXMPI_CUDA_IN_PLACE.
    Status open();

    /// Describes the allocation that has the address; false where it cannot be shown.
    bool show(CudaAddress address, pixmpi::ShownPixels &shown);
    /// Where this context reaches the first row of what a process shows, as long as `hold` lives; 0: it does not.
    CudaAddress see(const std::shared_ptr<pixmpi::Peer> &owner, const pixmpi::ShownPixels &shown,
                    std::shared_ptr<const void> &hold);

  private:
    struct Mapped;
    struct Seen {
        std::weak_ptr<pixmpi::Peer> owner;
        std::uint64_t memory, begin, bytes;   ///< begin: its address in the owner's process
        std::shared_ptr<const Mapped> mapped; ///< null: CUDA does not map it
        std::chrono::steady_clock::time_point used;
    };
    struct Handle {
        std::uint64_t memory = 0;
        pixmpi::CudaMemoryHandle handle{};
    };
    bool make_room(std::uint64_t bytes);
    std::shared_ptr<const Mapped> map(const pixmpi::ShownPixels &shown) const;

    const Context context_;
    bool never_ = false;
    std::array<Handle, 16> handles_; ///< of what was shown last: CUDA takes a microsecond for each
    std::size_t next_handle_ = 0;
    std::vector<Seen> seen_;
};

} // namespace cudampi
