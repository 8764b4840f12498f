// What a strategy costs by the usual reckoning: rounds, and bytes that pass through the rank that moves most of them.
// Nothing here is measured.
#pragma once

#include "composite/composite_target.h"

struct CompositeCost {
    int rounds = 0;   ///< the last one brings the merged parts to rank 0
    double bytes = 0; ///< on the critical path
};

/// `ranks_on_host`: so many on each host, with consecutive numbers; 0: otherwise.
CompositeCost cost_of(const CompositeCase &what, pixMPI_Strategy strategy, int ranks, int ranks_on_host);

/// For `ranks_on_host`. Collective.
int ranks_on_each_host(const Team &team);
