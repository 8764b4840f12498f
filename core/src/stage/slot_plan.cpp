#include "stage/slot_plan.h"

#include "base/wait.h"
#include "codec/jpeg.h"

#include <algorithm>

namespace pixmpi {
namespace {

constexpr std::uint32_t few_slots = 4;   // one is packed, one unpacked, and each end may be late once
constexpr std::uint32_t many_slots = 16; // of a device that counts bands: so many at least go into one submission
constexpr std::size_t roomy = 8 << 20;   // where ends wait for each other's turn on a core, bytes of slots for either
constexpr std::size_t alignment = 64;    // a cache line, and more than any device asks of an offset into its stage

} // namespace

SlotPlan plan_slots(const PlanRequest &request, std::uint64_t wish) {
    const auto size = static_cast<std::uint64_t>(request.pixel_bytes);
    const std::uint64_t pixels = request.pixels, bytes = request.bytes();
    const std::uint64_t most =
        std::max<std::uint64_t>(1, std::min(request.largest - alignment, request.most_band) / size);
    // One band would be packed, and then unpacked. Below some size a band costs more than it saves: a submission to a
    // GPU about 50 us.
    std::uint64_t parts = 4, least = 1 << 20, most_usual = request.device.band_bytes();
    std::uint32_t slots = few_slots;
    if (request.device.direct()) {
        parts = 8;
        least = 16 << 10;
    } else if (request.counted) {
        parts = slots = many_slots;
        least = 256 << 10;
        most_usual = 512 << 10;
    }
    std::uint64_t usual = std::min<std::uint64_t>(most_usual, std::max(least, bytes / parts));
    if (request.options.band_bytes)
        usual = request.options.band_bytes;
    wish = request.options.band_bytes ? 0 : std::max(wish, request.transfer.band_pixels());
    std::uint64_t band = wish ? wish : std::max<std::uint64_t>(1, usual / size);
    if (!cores_suffice())
        slots = static_cast<std::uint32_t>(
            std::clamp<std::uint64_t>(roomy / std::max<std::uint64_t>(band * size, 1), slots, many_slots));
    slots = std::min(slots, request.most_slots);
    if (bytes <= std::min(request.options.eager_bytes, request.largest / 2)) // it has to fit: a slot for each band
        band = std::max(band, (pixels + slots - 1) / slots);
    return fit_slots(request.largest, std::min({band, pixels, most}), pixels, request.pixel_bytes, slots);
}

std::uint64_t stream_band_bytes(const Options &options, std::uint64_t bytes) {
    constexpr std::uint64_t parts = 6, least = 256 << 10, most = 4 << 20; // in each some rows for each core
    return options.band_bytes ? options.band_bytes : std::clamp(bytes / parts, least, most);
}

SlotPlan plan_streams(const PlanRequest &request, pixMPI_Format format, std::uint64_t row_pixels) {
    constexpr std::uint64_t rows = 16; // of JPEG's largest units
    const auto size = static_cast<std::uint64_t>(request.pixel_bytes);
    const std::size_t fits = std::min(request.largest - alignment, request.most_band);
    std::uint64_t band = std::max<std::uint64_t>(1, stream_band_bytes(request.options, request.bytes()) / size);
    if (row_pixels > 0)
        band = std::min(band, row_pixels * jpeg_most_side);
    if (request.bytes() <= std::min(request.options.eager_bytes, request.largest / 2)) // it has to fit
        band = request.pixels;
    while (band > 1 && Codec::bound(format, band) > fits)
        band /= 2;
    for (const std::uint64_t unit : {rows * row_pixels, row_pixels})
        if (unit > 0 && band < request.pixels && band >= unit) {
            band -= band % unit;
            break;
        }
    band = std::min(band, request.pixels);
    return fit_lengths(request.largest, band, Codec::bound(format, band), request.pixels,
                       std::min(few_slots, request.most_slots));
}

SlotPlan plan_strips(const PlanRequest &request, const Strips &strips) {
    const std::uint64_t count = strips.strips.size();
    SlotPlan plan = fit_slots(request.largest, strips.largest, strips.largest * count, request.pixel_bytes);
    plan.band_pixels = 0;
    return plan;
}

SlotPlan fit_slots(std::size_t largest, std::uint64_t band_pixels, std::uint64_t pixels, int pixel_bytes,
                   std::uint32_t most_slots) {
    const auto size = static_cast<std::size_t>(pixel_bytes);
    const std::size_t bytes = band_pixels > largest / size ? largest + 1 : band_pixels * size;
    SlotPlan plan = fit_lengths(largest, band_pixels, bytes, pixels, most_slots);
    plan.lengths_vary = false;
    return plan;
}

SlotPlan fit_lengths(std::size_t largest, std::uint64_t band_pixels, std::size_t band_bytes, std::uint64_t pixels,
                     std::uint32_t most_slots) {
    SlotPlan plan;
    plan.band_pixels = band_pixels;
    plan.lengths_vary = true;
    if (band_bytes > largest)
        return plan;
    plan.slot_bytes = (band_bytes + alignment - 1) / alignment * alignment;
    const std::uint64_t bands = plan.bands(pixels).count(), room = largest / plan.slot_bytes;
    plan.slots = static_cast<std::uint32_t>(std::min<std::uint64_t>({most_slots, bands, room}));
    return plan;
}

} // namespace pixmpi
