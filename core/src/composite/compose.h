// A frame's steps on this rank: the rounds of a scheme, for pictures of which each rank has an active rectangle, and then
// the way of the merged parts to where the result is wanted.
#pragma once

#include "collective/collective.h"
#include "composite/scheme.h"

namespace pixmpi {

/// What all ranks know of a frame, the same on all of them.
struct FrameFacts {
    Extent extent;
    std::vector<pixMPI_Rect> active; ///< by rank; width 0: nothing
    int result = 0;                  ///< a rank, or PIXMPI_RESULT_*
    bool with_depth = false;         ///< the pictures have depth
};

/// This rank's surfaces.
struct FrameSurfaces {
    std::shared_ptr<Surface> drawn, picture; ///< `picture` null: this rank has no result
    bool in_place = false;                   ///< the picture is `drawn`
};

/// `how.order`: the rank in each place.
Status compose(Plan &plan, const Scheme &scheme, const Reduction &how, const FrameFacts &facts,
               const FrameSurfaces &surfaces);

} // namespace pixmpi
