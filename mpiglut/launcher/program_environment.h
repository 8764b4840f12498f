// What the program finds in its environment besides what was there.
#pragma once

#include "messages.h"

#include <optional>
#include <string>
#include <vector>

namespace mpiglut::launcher {

/// Sets `error` when there is no libmpiglut to preload or the launcher's options make no sense.
std::vector<std::string> program_environment(const Start &start, int report_fd, std::string &error);

} // namespace mpiglut::launcher
