#include "work_lists.h"

#include "vulkan_device.h"

#include <algorithm>
#include <cstring>

namespace vkmpi {

using namespace pixmpi;

Status WorkLists::get(Batch &batch, const std::shared_ptr<const Region> &region, std::uint64_t first,
                      std::uint64_t count, const Cut &cut, const Entry *&found) {
    const auto matches = [&](const Entry &e) {
        return e.first == first && e.count == count && e.cut == cut && !e.region.owner_before(region) &&
               !region.owner_before(e.region);
    };
    if (next_ >= entries_.size() || !matches(entries_[next_]))
        next_ = static_cast<std::size_t>(std::find_if(entries_.begin(), entries_.end(), matches) - entries_.begin());
    if (next_ < entries_.size()) {
        batch.work = entries_[next_].buffer;
        found = &entries_[next_++];
        return PIXMPI_SUCCESS;
    }
    const WorkList list = cut_work(*region, first, count, cut);
    Entry made{region, first, count, cut, list.units, list.kind(), {}, nullptr, 0, 0, 0};
    if (list.units == 0 || made.kind == 0) {
        made.few = FewPieces(list);
        single_ = std::move(made);
        found = &single_;
        return PIXMPI_SUCCESS;
    }
    if (const Status status = upload(batch, list, made))
        return status;
    if (!made.buffer) {
        single_ = std::move(made);
        found = &single_;
        return PIXMPI_SUCCESS;
    }
    entries_.push_back(std::move(made));
    next_ = entries_.size();
    found = &entries_.back();
    return PIXMPI_SUCCESS;
}

Status WorkLists::upload(Batch &batch, const WorkList &list, Entry &entry) {
    entry.pieces_bytes = list.pieces.size() * sizeof(WorkPiece);
    entry.owners_at = (entry.pieces_bytes + 255) / 256 * 256; // as far as storage buffers' offsets ever ask
    entry.owners_bytes = list.owners.size() * sizeof(std::uint32_t);
    const VkDeviceSize bytes = entry.owners_at + entry.owners_bytes;
    if (const Status status = device_.batches.need(batch.list, Place::host, bytes))
        return status;
    std::memcpy(batch.list->mapped(), list.pieces.data(), entry.pieces_bytes);
    std::memcpy(batch.list->mapped() + entry.owners_at, list.owners.data(), entry.owners_bytes);
    make_room(bytes);
    std::unique_ptr<Buffer> own;
    if (Buffer::make(device_, Place::device, bytes, own) != PIXMPI_SUCCESS)
        return PIXMPI_SUCCESS; // slower, from where it is
    entry.buffer = std::move(own);
    batch.work = entry.buffer;
    const Vk &vk = device_.vk;
    const VkBufferCopy all{0, 0, bytes};
    vk.CmdCopyBuffer(batch.commands, batch.list->name(), entry.buffer->name(), 1, &all);
    VkMemoryBarrier then{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    then.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    then.dstAccessMask = VK_ACCESS_SHADER_READ_BIT;
    vk.CmdPipelineBarrier(batch.commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1,
                          &then, 0, nullptr, 0, nullptr);
    return PIXMPI_SUCCESS;
}

// Regions that are gone first, then those that came first.
void WorkLists::make_room(std::size_t bytes) {
    constexpr std::size_t most_bytes = 8 << 20, most_entries = 256;
    std::erase_if(entries_, [](const Entry &one) { return one.region.expired(); });
    for (const Entry &one : entries_)
        bytes += one.buffer->bytes();
    while (!entries_.empty() && (bytes > most_bytes || entries_.size() >= most_entries)) {
        bytes -= entries_.front().buffer->bytes();
        entries_.erase(entries_.begin());
    }
}

bool WorkLists::clear() {
    const bool any = !entries_.empty();
    entries_.clear();
    return any;
}

} // namespace vkmpi
