// Runs pixbench, and checks what all its rows have.
#pragma once

#include "command.h"

#include <set>
#include <string>

inline const std::string briefly = " --seconds 0.001 --repetitions 2 --json {json} ";

/// `variables`: "NAME=value ..." for the environment.
Outcome bench(int ranks, const std::string &arguments, const std::string &variables = "");

std::set<std::string> keys_of(const nlohmann::json &row);

/// The keys of all rows, which are the same, and figures that go together.
std::set<std::string> check_rows(const nlohmann::json &all, const std::string &api);
