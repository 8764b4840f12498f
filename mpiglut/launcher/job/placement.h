// Which rank runs on which host.
#pragma once

#include "option/options.h"
#include "wall/wall.h"

#include <string>
#include <vector>

namespace mpiglut::launcher {

/// What starts mpiexec's daemons on other hosts.
enum class Remote {
    by_mpiexec, ///< mpiexec decides
    by_slurm,   ///< srun, on nodes of the job that mpiglutrun runs in
    by_ssh,     ///< ssh, though mpiglutrun runs in a job of Slurm
};

struct Placement {
    int ranks = 0;
    std::vector<std::string> host_of_rank; ///< empty: all here, or as the batch system says
    bool all_here = true;
    Remote remote = Remote::by_mpiexec;
    bool in_order = true; ///< by_slurm: the nodes follow each other as in Slurm's list, none comes back
};

/// Hosts from the command line beat the tiles' own, and those beat the nodes of a job of Slurm. With numbers of ranks
/// hosts are filled one after another, without they share the ranks evenly, neighbours in rank together. Nodes of Slurm
/// share the ranks by their numbers of tasks: `nodes` is empty outside a job. Sets `error` when there are more tiles
/// than room.
Placement place(const pixmpi::Wall &wall, const std::vector<HostRanks> &hosts, const std::vector<HostRanks> &nodes,
                std::string &error);

} // namespace mpiglut::launcher
