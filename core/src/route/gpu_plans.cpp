#include "route/gpu_plans.h"

#include <algorithm>

namespace pixmpi {
namespace {

constexpr std::size_t align = 256; // of bands in an allocation
constexpr std::uint64_t few_slots = 4;

std::size_t aligned(std::size_t bytes) { return (bytes + align - 1) / align * align; }

struct Wanted {
    std::size_t band;  ///< bytes, at most
    std::size_t first; ///< bytes of the first and the last band, at least
    std::size_t room;  ///< bytes of the allocation
    std::uint64_t slots;
    bool align_first = false; ///< the first band ends at a boundary, so that bands may lie together
};

// The program may have said how large bands are. Whole rows are packed faster than parts of them.
SlotPlan make_plan(const GpuRequest &request, Wanted wanted) {
    constexpr std::size_t least_first = std::size_t{64} << 10;
    constexpr std::uint32_t most_steps = 3;
    if (const std::size_t wish = request.options.band_bytes) {
        wanted.band = wish;
        wanted.first = least_first;
    }
    const std::size_t size = request.pixel_bytes;
    SlotPlan plan;
    plan.band_pixels =
        std::clamp<std::uint64_t>(std::min(wanted.band, wanted.room / align * align) / size, 1, request.pixels);
    while (plan.steps < most_steps && plan.band_pixels * size >> (plan.steps + 1) >= wanted.first)
        ++plan.steps;
    std::uint64_t rows = request.row_pixels;
    while (wanted.align_first && rows * size % align != 0)
        rows *= 2;
    const auto whole = [&] { return rows << plan.steps; };
    while (plan.steps > 0 && plan.band_pixels < whole())
        --plan.steps;
    if (plan.band_pixels > whole())
        plan.band_pixels -= plan.band_pixels % whole();
    while (!plan.bands(request.pixels).valid())
        --plan.steps;
    plan.slot_bytes = aligned(plan.band_pixels * size);
    plan.slots = static_cast<std::uint32_t>(
        std::min({wanted.slots, plan.bands(request.pixels).count(), wanted.room / plan.slot_bytes}));
    return plan;
}

/// A device in the host's memory has its own idea of bands.
SlotPlan plan_near_host(const GpuRequest &request, std::size_t room, bool align_first) {
    const std::size_t band = request.memory.device().band_bytes();
    return make_plan(request, {band, band, room, few_slots, align_first});
}

} // namespace

// On one GPU the processes take turns, and each turn costs: as few bands as the memory allows.
SlotPlan plan_same_gpu(const GpuRequest &request) {
    const std::size_t room = request.memory.half();
    if (request.memory.device().near_host())
        return plan_near_host(request, room, false);
    return make_plan(request, {request.bytes(), request.bytes(), room, few_slots});
}

// Between two GPUs packing, copying and unpacking overlap. Each band costs all three some microseconds, and packing
// during copies costs more. So bands are large, except the first and the last ones.
SlotPlan plan_to_gpu(const GpuRequest &request, std::size_t landing_room) {
    constexpr std::size_t first = std::size_t{16} << 20, most = std::size_t{64} << 20;
    const std::size_t room = std::min(request.memory.half() / 2, landing_room);
    if (request.memory.device().near_host())
        return plan_near_host(request, room, true);
    const std::size_t bytes = request.bytes();
    SlotPlan plan = make_plan(request, {std::clamp(bytes / 2, first, most), first, room, few_slots, true});
    const std::uint64_t least = (plan.band_pixels >> plan.steps) * request.pixel_bytes;
    if (bytes <= room / align * align && least % align == 0 && request.options.band_bytes == 0) {
        plan.together = true;
        plan.slots = 1;
        plan.slot_bytes = aligned(bytes);
    }
    return plan;
}

// Copies between a GPU and the host take much longer than a GPU's work, so that the bands may be small: the other
// copy begins soon, and little is left to do after the last.
SlotPlan plan_through_host(const GpuRequest &request, std::size_t host_room) {
    constexpr std::size_t least = std::size_t{1} << 20, most = std::size_t{4} << 20, parts = 8;
    const std::size_t room = std::min(request.memory.half(), host_room);
    return make_plan(request, {std::clamp<std::size_t>(request.bytes() / parts, least, most), least, room, parts});
}

SlotPlan fit_gpu(SlotPlan plan, std::size_t room) {
    plan.slot_bytes = aligned(plan.slot_bytes);
    plan.slots = static_cast<std::uint32_t>(std::min<std::size_t>(plan.slots, room / plan.slot_bytes));
    return plan;
}

// While copy engines write, a GPU takes 50 us and more to say that something has been packed, however little it was. So
// the bands that are packed at once are more and more: three times what is copied meanwhile. With several messages
// under way the engines are busy anyhow, and each is packed at once.
std::vector<std::uint64_t> group_bands(const PeerMemory &memory, const Layout &layout, bool each_alone) {
    constexpr std::uint64_t most_at_first = std::uint64_t{64} << 20;
    const std::uint64_t growth = each_alone ? 0 : 3;
    std::vector<std::uint64_t> ends;
    if (!layout.plan.together)
        return ends;
    const Bands bands = layout.bands();
    const std::uint64_t count = bands.count();
    std::uint64_t most = each_alone ? 0 : memory.pushes() > 1 ? most_at_first / layout.pixel_bytes : bands.size(0);
    for (std::uint64_t k = 0; k < count;) {
        const std::uint64_t first = bands.first(k);
        do
            ++k;
        while (k < count && bands.first(k + 1) - first <= most);
        ends.push_back(k);
        most = growth * (bands.first(k) - first);
    }
    return ends;
}

} // namespace pixmpi
