// What the program is: one of GLUT, whose calls the wall answers, or one of X11, whose connection to the X server is
// shown to all ranks.
#pragma once

#include "run/options.h"

#include <string>
#include <vector>

namespace mpiglut::launcher {

struct ProgramKind {
    System system = System::glut;
    std::string why;     ///< "it needs libX11.so.6"; empty where nothing speaks for either
    std::string refused; ///< why no library can be put into it
};

/// Looks at the program's file, at the libraries that it needs, and, of an interpreter, at its script. A program that
/// is nowhere, or that says nothing, is one of GLUT: so it is found by what happens.
ProgramKind look_at_program(const std::vector<std::string> &program, const std::string &directory);

} // namespace mpiglut::launcher
