// Folding: ((x0 op x1) op x2) op ..., from left to right over the ranks in the order of the reduction. All reductions
// fold each pixel so, whatever their algorithm, so that they give the same bits: on all ranks, in each run, for each
// way to cut the picture.
#pragma once

#include "collective/collective.h"

namespace pixmpi {

/// Where the folded pixels are, and after which steps. What hands them on need not wait until they are in the result.
struct Folded {
    CollectiveEnd end;
    Plan::Steps over;
};

/// This rank's pixels and those that each other rank sends it under `label` become `result`, which is where `mine` is
/// when `in_place`. `readers`: steps that still read pixels of the result's place. Null: the pixels may be anywhere.
Status fold(Plan &plan, const CollectiveEnd &mine, const CollectiveEnd *result, bool in_place, const Reduction &how,
            int label, const Plan::Steps &readers, Folded &folded);

} // namespace pixmpi
