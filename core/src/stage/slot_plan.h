// The slots for one message's bands: how large they are, where each band is, and the memory for it that is cut
// from the stage memory. For GPU memory see peer_memory.h.
#pragma once

#include "base/options.h"
#include "device/device.h"
#include "stage/bands.h"
#include "stage/stage.h"

#include <vector>

namespace pixmpi {

struct SlotPlan {
    std::uint64_t band_pixels = 0;
    std::size_t slot_bytes = 0;
    std::uint32_t slots = 0;
    std::uint32_t steps = 0; ///< see Bands
    bool together = false;   ///< see Bands
    /// The sender says how many bytes a band has, 1 to slot_bytes; otherwise its pixels do.
    bool lengths_vary = false;
    Bands bands(std::uint64_t pixels) const { return {pixels, band_pixels, steps, together}; }
    std::size_t bytes() const { return slot_bytes * slots; }
};

/// All pixels in one band.
inline SlotPlan one_band(std::uint64_t pixels, std::size_t pixel_bytes) {
    return {pixels, static_cast<std::size_t>(pixels) * pixel_bytes, 1};
}

/// A plan for the pixels of one message: what travels as one band, and which lies where.
struct Layout {
    SlotPlan plan;
    std::uint64_t pixels = 0;
    std::size_t pixel_bytes = 1;
    std::shared_ptr<const Strips> strips{}; ///< what the bands are; null: pixels in packed order
    Bands bands() const { return plan.bands(pixels); }
    std::uint64_t count() const { return strips ? strips->strips.size() : bands().count(); }
    /// Pixels of the largest band; 0 where there is something wrong with the plan.
    std::uint64_t most_pixels() const { return strips ? strips->largest : bands().valid() ? plan.band_pixels : 0; }
    /// See Port. With strips, no pixel's place in packed order is known to be there before all are.
    std::uint64_t band_pixels(std::uint64_t k) const {
        if (strips)
            return k + 1 == count() ? pixels : 0;
        return bands().at_most(k);
    }
    Status copy(Transfer &transfer, std::uint64_t k, std::uint64_t first, std::uint64_t many, Stage &stage,
                std::size_t offset, Ticket &ticket) const {
        return strips ? transfer.copy_strip(k, stage, offset, ticket)
                      : transfer.copy(first, many, stage, offset, ticket);
    }
    std::uint64_t bytes() const { return pixels * pixel_bytes; }
    /// Bytes from the allocation's start.
    std::uint64_t place(std::uint64_t k) const {
        return plan.together ? bands().first(k) * pixel_bytes : k % plan.slots * plan.slot_bytes;
    }
    /// How many bands lie in different places.
    std::uint64_t places() const { return plan.together ? bands().count() : plan.slots; }
};

/// Whether a band that has been packed may have so many bytes, where lengths vary.
inline Status check_length(const SlotPlan &plan, std::size_t bytes) {
    if (bytes > 0 && bytes <= plan.slot_bytes)
        return PIXMPI_SUCCESS;
    return fail(PIXMPI_ERR_DEVICE, "a band has been packed into %zu bytes, expected 1 to %zu", bytes, plan.slot_bytes);
}

/// How many bytes the bands have that are under way.
class BandSizes {
  public:
    BandSizes() = default;
    explicit BandSizes(const Layout &layout)
        : layout_(layout), announced_lengths_(layout.plan.lengths_vary ? layout.plan.slots : 0) {}
    /// If lengths vary; otherwise the pixels say how many bytes a band has.
    void tell(std::uint64_t k, std::size_t bytes) {
        if (!announced_lengths_.empty())
            announced_lengths_[k % announced_lengths_.size()] = bytes;
    }
    /// What was announced of the band; 0 where nothing is.
    std::size_t announced(std::uint64_t k) const {
        return announced_lengths_.empty() ? 0 : announced_lengths_[k % announced_lengths_.size()];
    }
    std::size_t of(std::uint64_t k) const {
        return announced_lengths_.empty() ? layout_.bands().size(k) * layout_.pixel_bytes : announced(k);
    }

  private:
    Layout layout_;
    std::vector<std::size_t> announced_lengths_; ///< by slot
};

/// A message that is to be sent.
struct PlanRequest {
    const Options &options;
    std::size_t largest; ///< bytes of the largest allocation that both ends can have
    const Device &device;
    Transfer &transfer;
    std::uint64_t pixels;
    int pixel_bytes;
    bool counted = false;             ///< the device counts bands (Stage::packed)
    std::size_t most_band = SIZE_MAX; ///< bytes that the route carries in one piece
    std::uint32_t most_slots = 16;    ///< and how many at once
    std::uint64_t bytes() const { return pixels * static_cast<std::uint64_t>(pixel_bytes); }
};

/// The best plan. Size of bands: the option's; or the wish of its transfer and of the other end (`wish`, pixels); or
/// the device's. Enough slots to keep both ends busy, no more than the message needs.
SlotPlan plan_slots(const PlanRequest &request, std::uint64_t wish = 0);
/// How many bytes of pixels become one stream, about, of so many.
std::uint64_t stream_band_bytes(const Options &options, std::uint64_t bytes);
/// Slots for streams, of bands of whole rows of `row_pixels`, unless these are 0, as JPEG likes them; none when no
/// band is small enough.
SlotPlan plan_streams(const PlanRequest &request, pixMPI_Format format, std::uint64_t row_pixels);
/// Slots for strips; none when they are too large.
SlotPlan plan_strips(const PlanRequest &request, const Strips &strips);
/// Slots for bands of so many pixels; none when these are too large.
SlotPlan fit_slots(std::size_t largest, std::uint64_t band_pixels, std::uint64_t pixels, int pixel_bytes,
                   std::uint32_t most_slots = 4);
/// The same for bands of any length up to `band_bytes`.
SlotPlan fit_lengths(std::size_t largest, std::uint64_t band_pixels, std::size_t band_bytes, std::uint64_t pixels,
                     std::uint32_t most_slots = 4);

/// Part of the stage memory for one message, given back at the end.
class HostAllocation {
  public:
    HostAllocation() = default;
    HostAllocation(const HostAllocation &) = delete;
    HostAllocation &operator=(const HostAllocation &) = delete;
    ~HostAllocation() { free(); }
    bool allocate(StageMemory &memory, std::size_t bytes, Claim claim) {
        if (!memory.allocate(bytes, claim, offset_))
            return false;
        memory_ = &memory;
        bytes_ = bytes;
        return true;
    }
    void free() {
        if (memory_)
            memory_->free(offset_, bytes_);
        memory_ = nullptr;
    }
    explicit operator bool() const { return memory_ != nullptr; }
    std::size_t offset() const { return offset_; }
    std::byte *base() const { return memory_->map().base + offset_; }
    std::size_t bytes() const { return bytes_; }

  private:
    StageMemory *memory_ = nullptr;
    std::size_t offset_ = 0, bytes_ = 0;
};

} // namespace pixmpi
