// Measuring: ways to do the same thing take turns, so that what else the machine does hits them alike.
#pragma once

#include "job.h"

#include <functional>
#include <string>
#include <vector>

/// One way to do a case. `run` is called on every rank of the team and returns on rank 0 when all have finished.
struct Way {
    std::string name;
    std::function<void()> run;
    int times = 1;               ///< in a row for one measurement; found by take_turns
    std::vector<double> seconds; ///< rank 0: of one run, a value for each repetition
    double result = 0;           ///< rank 0: their median, or the least
};

struct Budget {
    double seconds = 3;   ///< for all ways together, about
    int repetitions = 31; ///< at most; at least 5
    bool least = false;   ///< the least counts instead of the median
};

/// Collective over the team; rank 0 decides and has the results. Returns the number of repetitions.
int take_turns(const std::vector<Way *> &ways, const Budget &budget, const Team &team);

double typical(std::vector<double> values, const Budget &budget);
