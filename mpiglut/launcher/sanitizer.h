// Programs that are built with a sanitizer (-fsanitize=address, thread and the like): what these need of the
// environment. A sanitizer replaces functions of the C library, and has to be the first to do so.
#pragma once

#include <string>

namespace mpiglut::launcher {

struct Sanitizers {
    bool any = false;
    std::string runtimes; ///< the shared libraries of the program's sanitizers, each followed by a colon
};

/// Of a program, as execvp would find it from this working directory. None in scripts, and in files that cannot be
/// read.
Sanitizers sanitizers_of(const std::string &program, const std::string &directory);

} // namespace mpiglut::launcher
