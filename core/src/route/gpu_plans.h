// How large the bands are of a message that passes through the memory of GPUs, and how many there are at a time.
#pragma once

#include "gpu/peer_memory.h"
#include "stage/slot_plan.h"

#include <vector>

namespace pixmpi {

/// A message that is to be sent so.
struct GpuRequest {
    const PeerMemory &memory; ///< of the sender's device, open
    const Options &options;
    std::uint64_t pixels;
    std::size_t pixel_bytes;
    std::uint64_t row_pixels; ///< of a rectangle that is all of the region; else 1
    std::uint64_t bytes() const { return pixels * pixel_bytes; }
};

/// The receiver imports the sender's memory.
SlotPlan plan_same_gpu(const GpuRequest &request);
/// The bands are copied to the receiver's memory, where they may have `landing_room` bytes. No slots when that is too
/// little.
SlotPlan plan_to_gpu(const GpuRequest &request, std::size_t landing_room);
/// The bands are copied through the host's memory, where they may have `host_room` bytes.
SlotPlan plan_through_host(const GpuRequest &request, std::size_t host_room);
/// A plan for other slots, as far as it fits into `room` bytes of a GPU's memory.
SlotPlan fit_gpu(SlotPlan plan, std::size_t room);

/// The bands at which each copy of the transfer's ends, where it packs several bands at once; none: each is a band.
/// `each_alone`: the transfer cannot do so.
std::vector<std::uint64_t> group_bands(const PeerMemory &memory, const Layout &layout, bool each_alone);

} // namespace pixmpi
