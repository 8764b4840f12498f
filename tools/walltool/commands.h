// The subcommands of walltool. Each returns the exit status: 0, or 1 after saying why on standard error.
#pragma once

#include <map>
#include <string>

namespace walltool {

/// The wall as text on standard output.
int check(const std::string &spec);

/// The wall as a picture.
int preview(const std::string &spec, const std::string &png);

/// A GLUT program that shows a test picture; ends after `frames` frames, 0: when it is closed.
int pattern(const char *program, long frames);

/// Writes a new wall file. `given`: answers to its questions, by the options' names; what is missing is asked for on
/// standard input, or has its usual value.
int make_new(const std::string &file, const std::map<std::string, std::string> &given, bool only_usual);

} // namespace walltool
