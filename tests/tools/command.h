// Runs a program under mpiexec and keeps what it says.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

struct Outcome {
    int status = -1; ///< of mpiexec; 124 when it had to be ended
    std::string out, error;
    nlohmann::json json; ///< what was written to the file that `{json}` in the arguments stood for
};

/// `variables`: "NAME=value ..." for the program's environment.
Outcome run_ranks(int ranks, const std::string &program, std::string arguments, const std::string &variables = "");

/// How many of a text's lines begin like that.
int lines_beginning(const std::string &text, const std::string &with);
