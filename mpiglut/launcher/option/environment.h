// The variables of the environment that people, and the toolkit's own tests, set to choose how a wall runs. mpiglutrun
// looks at all of them before it starts anything: a value that is none is an error, as it is of an option. The library
// reads its own again, in every rank.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace mpiglut::launcher {

/// A line for each variable that has none of its values. An empty value counts as no variable.
std::vector<std::string> wrong_variables();

/// MPIGLUT_LAUNCH_TIMEOUT: how long the ranks may take to start.
std::chrono::seconds launch_patience();

} // namespace mpiglut::launcher
