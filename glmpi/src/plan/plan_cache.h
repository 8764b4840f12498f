// Plans, kept for the regions that were used last: they depend on a region and a format, not on the message.
#pragma once

#include "plan/copy_plan.h"
#include "region/region_cache.h"

#include <optional>

namespace glmpi {

class PlanCache {
  public:
    /// `kind` tells formats apart that make a difference. Valid until the next call.
    const CopyPlan &get(const std::shared_ptr<const pixmpi::Region> &region, int kind, std::uint64_t first,
                        std::uint64_t count, const PlanInput &input);
    /// Pixels of a band that suits the region, 0: any. `usual`: the bytes of a band otherwise, `most`: of the largest.
    std::uint64_t band_pixels(const std::shared_ptr<const pixmpi::Region> &region, int kind, std::size_t usual,
                              std::size_t most, const PlanInput &input);
    /// Whether the region is copied faster by its strips.
    bool gains_by_strips(const std::shared_ptr<const pixmpi::Region> &region, int kind, const pixmpi::Strips &strips,
                         const PlanInput &input);
    void clear();

  private:
    /// What a plan depends on, in addition to the region. Surfaces of a format differ: calls that write to framebuffers
    /// take longer, and what lies between the rectangles may be rewritten in textures alone.
    struct Key {
        int kind;
        pixmpi::Direction direction;
        bool rewritable;
        double call_seconds;
        bool operator==(const Key &) const = default;
    };
    static Key key_of(int kind, const PlanInput &input);
    /// Of a region as a whole, once they are known.
    struct Answers {
        std::optional<std::uint64_t> band;
        std::optional<bool> gains;
    };
    Answers &answers(const std::shared_ptr<const pixmpi::Region> &region, const Key &key);

    pixmpi::RegionCache<Key, CopyPlan> plans_{4 << 20}; ///< by parts
    pixmpi::RegionCache<Key, Answers> answers_{256};    ///< by their number
};

} // namespace glmpi
