// A lane: the slots in which one message's bands travel, cut from the stage memory.
#pragma once

#include "base/options.h"
#include "memory/bands.h"
#include "memory/device.h"
#include "memory/stage.h"

namespace pixmpi {

struct LanePlan {
    std::uint64_t band_pixels = 0;
    std::size_t slot_bytes = 0;
    std::uint32_t slots = 0;
    std::uint32_t steps = 0; ///< see Bands
    bool together = false;   ///< see Bands
    Bands bands(std::uint64_t pixels) const { return {pixels, band_pixels, steps, together}; }
    std::size_t bytes() const { return slot_bytes * slots; }
};

/// A message that is to be sent.
struct LaneRequest {
    const Options &options;
    std::size_t largest; ///< bytes of the largest lane that both ends can have
    const Device &device;
    Transfer &transfer;
    std::uint64_t pixels;
    int pixel_bytes;
    bool counted = false;             ///< the device counts bands (Stage::packed)
    std::size_t most_band = SIZE_MAX; ///< bytes that the route takes in one piece
    std::uint64_t bytes() const { return pixels * static_cast<std::uint64_t>(pixel_bytes); }
};

/// What suits it: the option's band size, else what its transfer and the other end (`wish`, pixels) wish for, else what
/// the device likes; as many slots as keep both ends busy, no more than the message needs.
LanePlan plan_lane(const LaneRequest &request, std::uint64_t wish = 0);
/// Slots for strips; none when they are too large.
LanePlan plan_strips(const LaneRequest &request, const Strips &strips);
/// The receiver's plan for bands that the sender chose; no slots when they are too large.
LanePlan fit_lane(std::size_t largest, std::uint64_t band_pixels, std::uint64_t pixels, int pixel_bytes,
                  std::uint32_t most_slots = 4);

/// Memory for a plan, given back at the end.
class Lane {
  public:
    Lane() = default;
    Lane(const Lane &) = delete;
    Lane &operator=(const Lane &) = delete;
    ~Lane() { give(); }
    bool take(StageMemory &memory, std::size_t bytes, Claim claim) {
        if (!memory.take(bytes, claim, offset_))
            return false;
        memory_ = &memory;
        bytes_ = bytes;
        return true;
    }
    void give() {
        if (memory_)
            memory_->give(offset_, bytes_);
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
