// A cube of voxels, cut into a brick for each rank by planes: each plane cuts what the planes before have left.
#pragma once

#include "space.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

/// Voxels from `low` up to, without, `high`; of a small volume for many ranks some are empty.
struct Bounds {
    std::array<int, 3> low, high;
};

class Bricks {
  public:
    Bricks(int voxels, int ranks) : whole_{{0, 0, 0}, {voxels, voxels, voxels}}, all_(ranks) {
        visit({0, ranks}, whole_, {}, [&](int rank, const Bounds &bounds) { all_[rank] = bounds; });
    }
    const Bounds &whole() const { return whole_; }
    const Bounds &of(int rank) const { return all_[rank]; }

    /// The ranks from front to back, as an eye sees their bricks that is at a point in units of voxels: of the two
    /// sides of a plane the eye's own comes first, since no ray comes back to that side. That holds in perspective,
    /// too, where distances of the bricks' middles would mislead.
    std::vector<int> order(const demo::Point &eye) const {
        std::vector<int> front_to_back;
        visit({0, static_cast<int>(all_.size())}, whole_, eye,
              [&](int rank, const Bounds &) { front_to_back.push_back(rank); });
        return front_to_back;
    }

  private:
    struct Ranks {
        int first, end;
    };
    template <class Found>
    static void visit(const Ranks &ranks, const Bounds &bounds, const demo::Point &eye, const Found &found) {
        const int count = ranks.end - ranks.first;
        if (count == 1)
            return found(ranks.first, bounds);
        std::size_t axis = 0;
        for (std::size_t k = 1; k < 3; ++k)
            if (bounds.high[k] - bounds.low[k] > bounds.high[axis] - bounds.low[axis])
                axis = k;
        const int low = bounds.low[axis], size = bounds.high[axis] - low, middle = count / 2;
        const int plane = low + static_cast<int>(std::int64_t{size} * middle / count);
        Bounds below = bounds, above = bounds;
        below.high[axis] = above.low[axis] = plane;
        const Ranks lower{ranks.first, ranks.first + middle}, upper{ranks.first + middle, ranks.end};
        const bool eye_below = eye[axis] < static_cast<float>(plane);
        visit(eye_below ? lower : upper, eye_below ? below : above, eye, found);
        visit(eye_below ? upper : lower, eye_below ? above : below, eye, found);
    }

    Bounds whole_;
    std::vector<Bounds> all_;
};
