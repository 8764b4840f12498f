// Runs pixbench, and checks what all its rows have.
#pragma once

#include "command.h"

#include <set>
#include <string>

inline const std::string briefly = " --seconds 0.001 --repetitions 2 --json {json} ";

/// `variables`: "NAME=value ..." for the environment.
Outcome bench(int ranks, const std::string &arguments, const std::string &variables = "");

std::set<std::string> keys_of(const nlohmann::json &row);

/// All rows have the keys that those of every mode have, and figures that go together.
void check_rows(const nlohmann::json &all, const std::string &api);

/// Of a row of `pt2pt`.
const std::set<std::string> &usual_keys();
