// A frame's steps on this rank: the rounds of a scheme, for pictures of which each rank has active cells, and then the
// way of the merged parts to where the result is wanted.
#pragma once

#include "collective/collective.h"
#include "composite/cells.h"
#include "composite/scheme.h"

namespace pixmpi {

/// What a step of a frame is part of; Plan::begin_phase().
enum class FramePhase { search, telling, blending, collecting };

/// A rectangle of the result, which a rank gets.
struct Target {
    int rank = 0;
    pixMPI_Rect rect{};
};

/// What all ranks know of a frame, the same on all of them.
struct FrameFacts {
    Extent extent;
    std::vector<Cells> active;   ///< by rank
    std::vector<Cells> lone;     ///< by rank: what set_lone_apart() has moved here from `active`; or none
    std::vector<Target> targets; ///< those of a rank in the order of its pictures
    bool by_rows = false;        ///< each rank gets the rows only that it has merged: targets are all of the picture
    bool with_depth = false;     ///< the pictures have depth
    int first_label = 0;         ///< of labels_of() many that messages of this frame have

    /// Cells that are active on one rank alone need no merging. They go from there to where the result is wanted.
    void set_lone_apart();
    /// Active on any rank.
    Cells drawn() const;
};

/// This rank's sides of the plan.
struct FrameSides {
    Plan::Side drawn = 0;
    std::vector<Plan::Side> pictures; ///< of this rank's targets; none where `drawn` is the picture
    Plan::Steps ready{};              ///< `drawn` has background where it should
    std::optional<Plan::Side> blank;  ///< the ranks' own background, where `drawn` need not have it
    bool in_place = false;            ///< `drawn` is the picture
    bool onto = false;                ///< the result is combined with what is in the pictures, which stands last
    /// Cells of the pictures that may hold something else than the background; none: all may.
    std::optional<Cells> unlike_background;
    std::optional<Plan::Side> background; ///< what is shown where no rank is nearer or covers it
    pixMPI_Codec codec{};                 ///< for merged pixels on their way to a target
};

/// How many labels the messages of one frame have.
int labels_of(const Scheme &scheme, const FrameFacts &facts);

/// `how.order`: the rank in each place.
Status compose(Plan &plan, const Scheme &scheme, const Reduction &how, const FrameFacts &facts,
               const FrameSides &sides);

} // namespace pixmpi
