// One frame of a compositor: this rank finds what is active in its picture, the ranks tell each other, and then do what
// follows from that, which is the same for all of them.
#pragma once

#include "composite/compose.h"

namespace pixmpi {

/// What is known of searches before, on this rank.
struct SearchHistory {
    int frames_to_skip = 0; ///< so full was the picture
    int by_shaders = 0;     ///< how often a device's shaders have looked
};

/// What a compositor is told once, the same on all ranks but for the search.
struct Compositing {
    Reduction how;
    int result = 0;
    Scheme::Wish wish;
    pixMPI_Search search = PIXMPI_SEARCH_AUTO;
    std::shared_ptr<SearchHistory> history = std::make_shared<SearchHistory>();
};

/// What this rank's call names.
struct FrameCall {
    std::shared_ptr<Surface> drawn, picture; ///< `picture` null: this rank has no result, or it is in place
    bool in_place = false;                   ///< the picture is `drawn`
    pixMPI_Rect active{};                    ///< width 0: nothing
};

/// Adds the steps to the plan.
Status write_frame(Plan &plan, Compositing how, FrameCall call);

} // namespace pixmpi
