// Measuring: ways to do the same thing take turns, so that what else the machine does hits them alike.
#pragma once

#include "measure/job.h"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

/// One way to do a case. `run` is called on every rank of the team and returns on rank 0 when all have finished.
struct Way {
    std::string name;
    std::function<void()> run;
    /// The least of the runs in a row counts, not their mean: nothing may be faster.
    bool limit = false;
    int times = 1;               ///< in a row for one measurement; found by take_turns
    int warm_ups = 0;            ///< before them
    std::vector<double> seconds; ///< rank 0: of one run, a value for each repetition
    double result = 0;           ///< rank 0: their median, or the least
};

struct Budget {
    double seconds = 3;   ///< for all ways together, about
    int repetitions = 31; ///< at most; at least 5 where they do not take too long
    bool least = false;   ///< the least counts instead of the median
};

/// Collective over the team: all have come here.
void meet(const Team &team);
/// Collective over the team, at the end of a way's run: returns on rank 0 when all others are here, which may need its
/// core meanwhile.
void all_finished(const Team &team);

/// Collective over the team; rank 0 decides and has the results. Returns the number of repetitions.
int take_turns(const std::vector<Way *> &ways, const Budget &budget, const Team &team);

/// Collective over the team: the least of a few runs on rank 0, known to all; of one run when that takes long, or much
/// longer than `enough`.
double least_of_few(const std::function<void()> &run, double enough, const Team &team);

/// Collective over the team: tries all that `things` has choices of and keeps what turns out fastest on rank 0. `run`
/// does one's part, and returns on rank 0 when all have. A slow choice is not tried again and again.
template <class Things> void choose_fastest(Things &things, const std::function<void()> &run, const Team &team) {
    std::size_t best = 0;
    double least = 1e9;
    for (std::size_t i = 0; i < things.choices(); ++i) {
        things.use(i);
        const double seconds = least_of_few(run, least, team);
        best = seconds < least ? i : best;
        least = std::min(seconds, least);
    }
    things.use(best);
}

double typical(std::vector<double> values, const Budget &budget);
