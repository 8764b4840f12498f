// The work lists of shaders/pack_image.comp in the device's memory, kept for the regions that were used last: who sends
// the same again sends pixels only.
#pragma once

#include "buffers.h"
#include "region/worklist_units.h"

namespace vkmpi {

struct Batch;

class WorkLists {
  public:
    struct Entry {
        std::weak_ptr<const pixmpi::Region> region;
        std::uint64_t first = 0, count = 0;
        pixmpi::Cut cut{};
        std::uint32_t units = 0, kind = 0;
        pixmpi::FewPieces few;          ///< kind 0
        std::shared_ptr<Buffer> buffer; ///< other kinds: pieces, then owners; null: it is in the batch's list
        VkDeviceSize pieces_bytes = 0, owners_at = 0, owners_bytes = 0;
    };
    explicit WorkLists(VulkanDevice &device) : device_(device) {}
    /// Valid until the next call; no units when the shader cannot do the band. The batch uploads it if need be, and
    /// keeps it until it is over.
    Status get(Batch &batch, const std::shared_ptr<const pixmpi::Region> &region, std::uint64_t first,
               std::uint64_t count, const pixmpi::Cut &cut, const Entry *&found);
    /// After a batch that was not submitted, or for want of memory. False when there was nothing.
    bool clear();

  private:
    Status upload(Batch &batch, const pixmpi::WorkList &list, Entry &entry);
    void make_room(std::size_t bytes);

    VulkanDevice &device_;
    std::vector<Entry> entries_;
    Entry single_;         ///< of a plain rectangle: quickly made, and PIXMPI_WHOLE is another region each time
    std::size_t next_ = 0; ///< bands follow each other
};

} // namespace vkmpi
