#include "lane.h"

#include <algorithm>

namespace pixmpi {
namespace {

constexpr std::size_t alignment = 64; // a cache line, and more than any device asks of an offset into its stage

} // namespace

LanePlan plan_lane(const Options &options, std::size_t largest, const Device &device, const Transfer &transfer,
                   std::uint64_t pixels, int pixel_bytes) {
    const auto size = static_cast<std::uint64_t>(pixel_bytes);
    const std::uint64_t wish = options.band_bytes ? 0 : transfer.band_pixels();
    const std::uint64_t usual =
        std::max<std::uint64_t>(1, (options.band_bytes ? options.band_bytes : device.band_bytes()) / size);
    const std::uint64_t most = std::max<std::uint64_t>(1, (largest - alignment) / size);
    return fit_lane(largest, std::min({wish ? wish : usual, pixels, most}), pixels, pixel_bytes);
}

LanePlan fit_lane(std::size_t largest, std::uint64_t band_pixels, std::uint64_t pixels, int pixel_bytes) {
    constexpr std::uint32_t enough = 4; // one is packed, one unpacked, and each end may be late once
    LanePlan plan;
    plan.band_pixels = band_pixels;
    if (band_pixels > largest / static_cast<std::size_t>(pixel_bytes))
        return plan;
    const std::size_t bytes = band_pixels * static_cast<std::size_t>(pixel_bytes);
    plan.slot_bytes = (bytes + alignment - 1) / alignment * alignment;
    const std::uint64_t bands = (pixels + band_pixels - 1) / band_pixels, room = largest / plan.slot_bytes;
    plan.slots = static_cast<std::uint32_t>(std::min<std::uint64_t>({enough, bands, room}));
    return plan;
}

} // namespace pixmpi
