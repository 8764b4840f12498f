// The command line of a demo.
#pragma once

#include "demo.h"

namespace demo {

/// Throws UsageError; `help` receives a text when the user asked for one.
Options read_options(int argc, char **argv, const About &about, std::string &help);

} // namespace demo
