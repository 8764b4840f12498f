#include "plan_cache.h"

#include <algorithm>

namespace glmpi {

using namespace pixmpi;

PlanCache::Entry &PlanCache::entry(const std::shared_ptr<const Region> &region, int kind, Direction direction) {
    ++clock_;
    for (Entry &e : regions_)
        // Owners are compared, so that a new region at an old one's address is a new one.
        if (e.kind == kind && e.direction == direction && !e.region.owner_before(region) &&
            !region.owner_before(e.region)) {
            e.used = clock_;
            return e;
        }
    if (regions_.size() >= most_regions)
        regions_.erase(std::min_element(regions_.begin(), regions_.end(), [](const Entry &a, const Entry &b) {
            return a.region.expired() != b.region.expired() ? a.region.expired() : a.used < b.used;
        }));
    Entry &e = regions_.emplace_back();
    e.region = region;
    e.kind = kind;
    e.direction = direction;
    e.used = clock_;
    return e;
}

const CopyPlan &PlanCache::get(const std::shared_ptr<const Region> &region, int kind, std::uint64_t first,
                               std::uint64_t count, const PlanInput &input) {
    Entry &e = entry(region, kind, input.direction);
    const auto matches = [&](const CopyPlan &plan) { return plan.first == first && plan.count == count; };
    if (e.next < e.plans.size() && matches(e.plans[e.next]))
        return e.plans[e.next++];
    const auto found = std::find_if(e.plans.begin(), e.plans.end(), matches);
    if (found != e.plans.end()) {
        e.next = static_cast<std::size_t>(found - e.plans.begin()) + 1;
        return *found;
    }
    std::size_t parts = 0;
    for (const CopyPlan &plan : e.plans)
        parts += plan.parts.size() + 1;
    if (parts > most_parts)
        e.plans.clear();
    e.plans.push_back(make_plan(*region, first, count, input));
    e.next = e.plans.size();
    return e.plans.back();
}

std::uint64_t PlanCache::band_pixels(const std::shared_ptr<const Region> &region, int kind, std::size_t usual,
                                     std::size_t most, const PlanInput &input) {
    Entry &e = entry(region, kind, input.direction);
    if (e.band_known)
        return e.band;
    e.band_known = true;
    const auto size = static_cast<std::size_t>(input.pixel_bytes);
    const std::uint64_t whole = std::min<std::uint64_t>(region->pixels, most / size), band = usual / size;
    if (whole <= band)
        return 0;
    // A few bands stand for all. At once, nothing overlaps with the other end's work: it has to be clearly better.
    constexpr std::uint64_t looked_at = 6;
    const std::uint64_t bands = (whole + band - 1) / band, step = std::max<std::uint64_t>(1, bands / looked_at);
    double in_bands = 0;
    std::uint64_t seen = 0;
    for (std::uint64_t i = 0; i < bands; i += step, ++seen)
        in_bands += estimate_plan(*region, i * band, std::min(band, whole - i * band), input);
    in_bands *= static_cast<double>(bands) / static_cast<double>(seen);
    if (estimate_plan(*region, 0, whole, input) < 0.75 * in_bands)
        e.band = whole;
    return e.band;
}

bool PlanCache::gains_by_strips(const std::shared_ptr<const Region> &region, int kind, const Strips &strips,
                                const PlanInput &input) {
    Entry &e = entry(region, kind, input.direction);
    if (!e.gain_known) {
        e.gain_known = true;
        e.gains = glmpi::gains_by_strips(*region, strips, input);
    }
    return e.gains;
}

} // namespace glmpi
