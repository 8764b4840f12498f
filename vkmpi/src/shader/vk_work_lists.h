// The work lists of shaders/pack_image.comp in the device's memory, kept for the regions that were used last: who sends
// the same again sends pixels only.
#pragma once

#include "object/buffers.h"
#include "region/region_cache.h"
#include "region/worklist_units.h"

namespace vkmpi {

struct Batch;

class WorkLists {
  public:
    struct CachedWork : pixmpi::WorkLayout {
        using WorkLayout::WorkLayout;
        std::shared_ptr<Buffer> buffer; ///< null: it is in the batch's list
    };
    explicit WorkLists(VulkanDevice &device) : device_(device) {}
    /// Valid until the next call; no units when the shader cannot do the band. The batch uploads it if need be, and
    /// keeps it until it is over.
    Status get(Batch &batch, const std::shared_ptr<const pixmpi::Region> &region, std::uint64_t first,
               std::uint64_t count, const pixmpi::Cut &cut, const CachedWork *&found);
    /// What the batch was to upload, which is not submitted.
    void forget(const Batch &batch);
    /// For want of memory.
    void clear() { entries_.clear(); }

  private:
    Status upload(Batch &batch, const pixmpi::WorkList &list, CachedWork &entry);

    VulkanDevice &device_;
    pixmpi::RegionCache<pixmpi::Cut, CachedWork> entries_{8 << 20}; ///< by bytes
    CachedWork single_; ///< of a plain rectangle: quickly made, and PIXMPI_WHOLE is another region each time
};

} // namespace vkmpi
