// A frame's steps on this rank: the rounds of a scheme, for pictures of which each rank has active cells, and then the
// way of the merged parts to where the result is wanted.
#pragma once

#include "collective/collective.h"
#include "composite/cells.h"
#include "composite/scheme.h"

namespace pixmpi {

/// What all ranks know of a frame, the same on all of them.
struct FrameFacts {
    Extent extent;
    std::vector<Cells> active; ///< by rank
    int result = 0;            ///< a rank, or PIXMPI_RESULT_*
    bool with_depth = false;   ///< the pictures have depth
};

/// This rank's sides of the plan.
struct FrameSides {
    Plan::Side drawn = 0;
    std::optional<Plan::Side> picture; ///< none: this rank has no result, or `drawn` is the picture
    bool in_place = false;             ///< `drawn` is the picture
};

/// `how.order`: the rank in each place.
Status compose(Plan &plan, const Scheme &scheme, const Reduction &how, const FrameFacts &facts,
               const FrameSides &sides);

} // namespace pixmpi
