#include "plan/plan_cache.h"

#include <algorithm>

namespace glmpi {

using namespace pixmpi;

namespace {

/// Of a band that takes clearly less time than bands of the usual size, since nothing overlaps with the other end's
/// work then; 0 when that one does not.
std::uint64_t choose_band(const Region &region, std::size_t usual, std::size_t most, const PlanInput &input) {
    const auto size = static_cast<std::size_t>(input.pixel_bytes);
    const std::uint64_t whole = std::min<std::uint64_t>(region.pixels, most / size), band = usual / size;
    if (whole <= band)
        return 0;
    // A few bands stand for all.
    constexpr std::uint64_t looked_at = 6;
    const std::uint64_t bands = (whole + band - 1) / band, step = std::max<std::uint64_t>(1, bands / looked_at);
    double in_bands = 0;
    std::uint64_t seen = 0;
    for (std::uint64_t i = 0; i < bands; i += step, ++seen)
        in_bands += estimate_plan(region, i * band, std::min(band, whole - i * band), input);
    in_bands *= static_cast<double>(bands) / static_cast<double>(seen);
    return estimate_plan(region, 0, whole, input) < 0.75 * in_bands ? whole : 0;
}

} // namespace

PlanCache::Key PlanCache::key_of(int kind, const PlanInput &input) {
    const bool unpack = input.direction == Direction::unpack;
    return {kind, input.direction, input.rewritable, (unpack ? input.write : input.read).call_seconds};
}

const CopyPlan &PlanCache::get(const std::shared_ptr<const Region> &region, int kind, std::uint64_t first,
                               std::uint64_t count, const PlanInput &input) {
    const Key key = key_of(kind, input);
    if (const CopyPlan *found = plans_.find(region, key, first, count))
        return *found;
    CopyPlan made = make_plan(*region, first, count, input);
    const std::size_t parts = made.parts.size() + 1;
    return plans_.add(region, key, first, count, std::move(made), parts);
}

PlanCache::Answers &PlanCache::answers(const std::shared_ptr<const Region> &region, const Key &key) {
    Answers *found = answers_.find(region, key, 0, region->pixels);
    return found ? *found : answers_.add(region, key, 0, region->pixels, {}, 1);
}

std::uint64_t PlanCache::band_pixels(const std::shared_ptr<const Region> &region, int kind, std::size_t usual,
                                     std::size_t most, const PlanInput &input) {
    std::optional<std::uint64_t> &band = answers(region, key_of(kind, input)).band;
    if (!band)
        band = choose_band(*region, usual, most, input);
    return *band;
}

bool PlanCache::gains_by_strips(const std::shared_ptr<const Region> &region, int kind, const Strips &strips,
                                const PlanInput &input) {
    std::optional<bool> &gains = answers(region, key_of(kind, input)).gains;
    if (!gains)
        gains = glmpi::gains_by_strips(*region, strips, input);
    return *gains;
}

void PlanCache::clear() {
    plans_.clear();
    answers_.clear();
}

} // namespace glmpi
