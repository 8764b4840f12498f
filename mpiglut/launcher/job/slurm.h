// The nodes that Slurm has given to the job which mpiglutrun runs in.
#pragma once

#include "option/options.h"

#include <string>
#include <vector>

namespace mpiglut::launcher {

/// Each node of the job with its number of tasks, in Slurm's order. Empty outside a job; `error` says what is wrong
/// with one.
std::vector<HostRanks> slurm_nodes(std::string &error);

/// From SLURM_TASKS_PER_NODE, such as "2(x3),1": one number for each node. Empty when the text is not of this kind.
std::vector<int> tasks_per_node(const std::string &text);

/// Takes from mpiexec's environment what srun would read as options for one task, and what is true of this process's
/// node alone. For srun a task is a daemon of mpiexec, which starts all ranks of its node.
void set_for_daemons(std::vector<std::string> &environment);

} // namespace mpiglut::launcher
