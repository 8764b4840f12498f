#include "lane.h"

#include <algorithm>

namespace pixmpi {
namespace {

constexpr std::uint32_t most_slots = 4; // one is packed, one unpacked, and each end may be late once
constexpr std::size_t alignment = 64;   // a cache line, and more than any device asks of an offset into its stage

} // namespace

LanePlan plan_lane(const Options &options, std::size_t largest, const Device &device, const Transfer &transfer,
                   std::uint64_t pixels, int pixel_bytes) {
    const auto size = static_cast<std::uint64_t>(pixel_bytes);
    const std::uint64_t bytes = pixels * size, most = std::max<std::uint64_t>(1, (largest - alignment) / size);
    // One band would be packed, and then unpacked. Below some size a band costs more than it saves: a submission to a
    // GPU some 50 us.
    const std::uint64_t parts = device.direct() ? 8 : 4, least = device.direct() ? 16 << 10 : 1 << 20;
    std::uint64_t usual = std::min<std::uint64_t>(device.band_bytes(), std::max(least, bytes / parts));
    if (options.band_bytes)
        usual = options.band_bytes;
    const std::uint64_t wish = options.band_bytes ? 0 : transfer.band_pixels();
    std::uint64_t band = wish ? wish : std::max<std::uint64_t>(1, usual / size);
    if (bytes <= std::min(options.eager_bytes, largest / 2)) // it has to fit as a whole: as many slots as bands
        band = std::max(band, (pixels + most_slots - 1) / most_slots);
    return fit_lane(largest, std::min({band, pixels, most}), pixels, pixel_bytes);
}

LanePlan fit_lane(std::size_t largest, std::uint64_t band_pixels, std::uint64_t pixels, int pixel_bytes) {
    LanePlan plan;
    plan.band_pixels = band_pixels;
    if (band_pixels > largest / static_cast<std::size_t>(pixel_bytes))
        return plan;
    const std::size_t bytes = band_pixels * static_cast<std::size_t>(pixel_bytes);
    plan.slot_bytes = (bytes + alignment - 1) / alignment * alignment;
    const std::uint64_t bands = (pixels + band_pixels - 1) / band_pixels, room = largest / plan.slot_bytes;
    plan.slots = static_cast<std::uint32_t>(std::min<std::uint64_t>({most_slots, bands, room}));
    return plan;
}

} // namespace pixmpi
