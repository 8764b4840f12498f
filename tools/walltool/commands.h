// The subcommands of walltool. Each returns the exit status: 0, or 1 after saying why on standard error.
#pragma once

#include <string>

namespace walltool {

/// The wall as text on standard output.
int check(const std::string &spec);

/// The wall as a picture.
int preview(const std::string &spec, const std::string &png);

/// A GLUT program that shows a test picture; ends after `frames` frames, 0: when it is closed.
int pattern(const char *program, long frames);

} // namespace walltool
