// Running a program and looking at what it said.
#pragma once

#include <string>
#include <vector>

struct Outcome {
    int status = -1; ///< of the exit; 128 and the signal's number where one ended it
    std::string output, errors;
};

/// Runs it until it ends, or for `seconds`, after which it is ended with status 124.
Outcome run_command(const std::vector<std::string> &command, int seconds);
