// Which rank runs on which host.
#pragma once

#include "options.h"
#include "wall/wall.h"

#include <string>
#include <vector>

namespace mpiglut::launcher {

struct Placement {
    int ranks = 0;
    std::vector<std::string> host_of_rank; ///< empty: all here, or as the batch system says
    bool all_here = true;
};

/// Hosts from the command line beat the tiles' own. With numbers of ranks they are filled in turn, without they share
/// the ranks evenly, neighbours in rank together. Sets `error` when there are more tiles than room.
Placement place(const pixmpi::Wall &wall, const std::vector<HostSlots> &hosts, std::string &error);

} // namespace mpiglut::launcher
