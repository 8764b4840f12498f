#include "route/agreement.h"

#include <algorithm>

namespace pixmpi {
namespace {

/// Whether all of this may be left to the transfers: the program has not said how large bands are.
bool free_to_choose(const PlanRequest &request) { return request.options.band_bytes == 0; }

} // namespace

Wish make_wish(const Flow &flow, Transfer &transfer, const Region &region, std::uint64_t pixels, bool in_order) {
    Wish wish;
    wish.band_pixels = transfer.band_pixels();
    const std::uint64_t likeness = once(flow.likeness);
    if (in_order || pixels != region.pixels || (likeness == 0 && !transfer.gains_by_strips()))
        return wish;
    wish.strips = transfer.strips();
    if (wish.strips && likeness != 0 && likeness != wish.strips->likeness)
        wish.strips.reset();
    return wish;
}

void tell(const Wish &wish, Flow &flow) {
    flow.like_receiver = wish.strips ? wish.strips->likeness : 0;
    flow.wish_pixels = wish.band_pixels;
}

Status adopt(const Wish &wish, bool in_host_memory, Layout &layout) {
    layout.strips = layout.plan.band_pixels == 0 && !layout.plan.lengths_vary ? wish.strips : nullptr;
    if (layout.strips && !in_host_memory)
        return fail(PIXMPI_ERR_PEER, "the sender names GPU memory for what travels through the host's");
    return PIXMPI_SUCCESS;
}

Agreement::Agreement(Flow &flow, const PlanRequest &request) : flow_(flow), request_(request) {
    // A hundredth of what the message takes is worth it; less is not noticed.
    constexpr std::uint64_t large = 2 << 20, bytes_per_ns = 500;
    constexpr std::chrono::nanoseconds gains{200'000}, least{5000};
    if (!free_to_choose(request))
        return;
    const bool many = request.bytes() > request.options.eager_bytes && request.transfer.gains_by_strips();
    if (many)
        if (const std::shared_ptr<const Strips> strips = request.transfer.strips()) {
            flow.likeness = strips->likeness;
            patience_ = gains;
        }
    if (patience_ == patience_.zero() && request.bytes() >= large)
        patience_ = std::max(least, std::chrono::nanoseconds(request.bytes() / bytes_per_ns));
}

bool Agreement::conclude(bool matched, Layout &layout) {
    if (!matched)
        return since_.waited() >= patience_;
    if (!free_to_choose(request_))
        return true;
    const std::uint64_t likeness = once(flow_.like_receiver);
    if (likeness && request_.bytes() > request_.options.eager_bytes)
        if (const std::shared_ptr<const Strips> own = request_.transfer.strips(); own && own->likeness == likeness)
            if (const SlotPlan slots = plan_strips(request_, *own); slots.slots > 1) {
                layout.plan = slots;
                layout.strips = own;
                return true;
            }
    if (const std::uint64_t wish = once(flow_.wish_pixels); wish && request_.device.direct())
        layout.plan = plan_slots(request_, wish);
    return true;
}

} // namespace pixmpi
