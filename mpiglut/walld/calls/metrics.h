// The figures in Prometheus' text format.
#pragma once

#include "desk/wall_run.h"

#include <string>

namespace mpiglut::walld {

/// `run` may be null.
std::string prometheus(const WallRun *run, std::size_t clients);

} // namespace mpiglut::walld
