// Plans, kept for the regions that were used last: they depend on a region and a format, not on the message.
#pragma once

#include "copy_plan.h"

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
    void clear() { regions_.clear(); }

  private:
    struct Entry {
        std::weak_ptr<const pixmpi::Region> region;
        int kind = 0;
        pixmpi::Direction direction = pixmpi::Direction::pack;
        std::uint64_t used = 0;
        bool band_known = false;
        std::uint64_t band = 0;
        bool gain_known = false, gains = false;
        std::vector<CopyPlan> plans;
        std::size_t next = 0; ///< bands follow each other
    };
    static constexpr std::size_t most_regions = 16, most_parts = 4 << 20;

    Entry &entry(const std::shared_ptr<const pixmpi::Region> &region, int kind, pixmpi::Direction direction);

    std::vector<Entry> regions_;
    std::uint64_t clock_ = 0;
};

} // namespace glmpi
