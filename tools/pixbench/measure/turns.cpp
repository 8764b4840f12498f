#include "measure/turns.h"

#include "measure/report.h"

#include <algorithm>
#include <random>
#include <sched.h>

namespace {

/// Ways are repeated for Settings::in_a_row(), but a few times in any case, after runs that are not timed: what the
/// other ways left in the caches is none of this one's. What takes long is measured as it comes.
constexpr int least_in_a_row = 4;

int runs_in(double time, double seconds) { return static_cast<int>(time / std::max(seconds, 1e-9)); }

/// What other ways have left behind holds OpenGL's driver up for 1.5 to 2.5 ms once, after 10 to 120 runs of this one
/// (H200, driver 580.159). So where runs are short, that many come before those that count.
int warm_runs(double seconds, const Team &team) {
    if (team.api->software())
        return std::max(runs_in(0.75 * team.in_a_row, seconds), 1);
    constexpr int past_that = 160;
    return std::max(runs_in(4 * team.in_a_row, seconds),
                    runs_in(25 * team.in_a_row, seconds) < past_that ? 1 : past_that);
}

double long_seconds(const Team &team) { return 64 * team.in_a_row; }

double measure(const Way &way, const Team &team) {
    // A rank that had nothing to do in the last way should not begin this one already.
    meet(team);
    for (int i = 0; i < way.warm_ups; ++i)
        way.run();
    constexpr int few = 32; // more are too short for the clock
    const double before = MPI_Wtime();
    double last = before, least = 1e9;
    for (int i = 0; i < way.times; ++i) {
        way.run();
        if (way.limit && way.times <= few) {
            const double now = MPI_Wtime();
            least = std::min(least, now - last);
            last = now;
        }
    }
    return way.limit && way.times <= few ? least : (MPI_Wtime() - before) / way.times;
}

/// Runs for a measurement, and before it, where one takes so long.
void choose_runs(Way &way, double seconds, const Team &team) {
    int runs[] = {
        std::clamp(runs_in(team.in_a_row, seconds), seconds < long_seconds(team) ? least_in_a_row : 1, 1 << 15),
        warm_runs(seconds, team)};
    MPI_Bcast(runs, 2, MPI_INT, 0, team.comm);
    way.times = runs[0];
    way.warm_ups = runs[0] == 1 ? 0 : runs[1];
}

/// Warms the way up and finds how many runs make a measurement. Returns how long one measurement takes.
double prepare(Way &way, const Team &team) {
    way.times = 1;
    way.warm_ups = 0;
    const auto seconds_of_a_run = [&] {
        double seconds = measure(way, team);
        MPI_Bcast(&seconds, 1, MPI_DOUBLE, 0, team.comm);
        return seconds;
    };
    if (const double first = seconds_of_a_run(); first > long_seconds(team))
        return first;
    double seconds = seconds_of_a_run();
    while (seconds * way.times < team.in_a_row / 4 && way.times < 1 << 14) {
        way.times *= 4;
        seconds = seconds_of_a_run();
    }
    choose_runs(way, seconds, team);
    if (way.warm_ups > 1) { // so far they were few, and one may have taken long
        seconds = seconds_of_a_run();
        choose_runs(way, seconds, team);
    }
    return seconds * way.times;
}

} // namespace

void meet(const Team &team) {
    constexpr int tag = 8;
    const int other = 1 - team.rank;
    if (team.ranks == 2) // less than a barrier
        MPI_Sendrecv(nullptr, 0, MPI_BYTE, other, tag, nullptr, 0, MPI_BYTE, other, tag, team.comm, MPI_STATUS_IGNORE);
    else if (team.ranks > 2 && team.ranks <= usable_cores()) // sleeps would be measured
        MPI_Barrier(team.comm);
    else if (team.ranks > 2)
        idle_barrier(team.comm, 100);
}

void all_finished(const Team &team) {
    constexpr int tag = 12;
    if (team.rank != 0) {
        MPI_Send(nullptr, 0, MPI_BYTE, 0, tag, team.comm);
        return;
    }
    for (int source = 1; source < team.ranks; ++source) {
        MPI_Request request;
        int over = 0;
        MPI_Irecv(nullptr, 0, MPI_BYTE, source, tag, team.comm, &request);
        for (MPI_Test(&request, &over, MPI_STATUS_IGNORE); !over; MPI_Test(&request, &over, MPI_STATUS_IGNORE))
            sched_yield();
    }
}

double least_of_few(const std::function<void()> &run, double enough, const Team &team) {
    double least = 1e9;
    for (int i = 0, again = 1; again; ++i) {
        MPI_Barrier(team.comm);
        const double before = MPI_Wtime();
        run();
        const double seconds = MPI_Wtime() - before;
        least = i == 1 ? seconds : std::min(least, seconds); // the first one warms up
        again = i < 4 && seconds < long_seconds(team) && seconds < enough * 4;
        MPI_Bcast(&again, 1, MPI_INT, 0, team.comm);
    }
    MPI_Bcast(&least, 1, MPI_DOUBLE, 0, team.comm);
    return least;
}

double typical(std::vector<double> values, const Budget &budget) {
    if (values.empty())
        return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(budget.least ? 0 : values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

int take_turns(const std::vector<Way *> &ways, const Budget &budget, const Team &team) {
    double round = 0;
    for (Way *way : ways) {
        round += prepare(*way, team);
        way->seconds.clear();
    }
    // Five are enough to have a median, unless they take much longer than they may.
    const double fitting = std::min(budget.seconds / std::max(round, 1e-6), 1e6);
    const int least = std::clamp(static_cast<int>(fitting * 4), 1, std::min(5, budget.repetitions));
    const int repetitions = std::clamp(static_cast<int>(fitting), least, budget.repetitions);
    std::vector<Way *> order = ways;
    std::mt19937 random(1); // what one way leaves in the caches meets each of the ways; the same order on all ranks
    for (int i = 0; i < repetitions; ++i) {
        for (std::size_t k = order.size(); k > 1; --k)
            std::swap(order[k - 1], order[random() % k]);
        for (Way *way : order)
            way->seconds.push_back(measure(*way, team));
    }
    for (Way *way : ways)
        way->result = typical(way->seconds, budget);
    return repetitions;
}
