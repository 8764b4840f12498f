// The ranks of this run, and how they end together when something is wrong.
#pragma once

#include "object/api.h"

#include <memory>
#include <mpi.h>
#include <string>
#include <vector>

/// Ranks that measure something together: all of them, or the two of a pair.
struct Team {
    MPI_Comm comm = MPI_COMM_NULL;
    int rank = 0, ranks = 1;
    Api *api = nullptr; ///< that is measured; not null
    double in_a_row = 0; ///< Settings::in_a_row()
};

struct Job {
    Team all;
    std::unique_ptr<Api> api;
};

/// Collective. True when all ranks say that things are well; else the lowest that does not prints its text in one line.
bool all_well(bool well, const std::string &text, MPI_Comm comm);

/// Makes the API's context or device. Collective; false when a rank got none, which has been printed.
bool open_api(Job &job, const std::vector<int> &devices);

/// Ends all ranks with a line that says why: for what goes wrong while others wait for a message.
[[noreturn]] void give_up(const std::string &text);
/// The same unless all ranks of the team say that things are well; one line. Collective.
void check_all(bool well, const std::string &text, MPI_Comm comm);

/// For calls that return PIXMPI_*.
void check(int code);

/// As MPI_Barrier, but without keeping a core busy; for those who have nothing to measure meanwhile.
void idle_barrier(MPI_Comm comm, int longest_sleep_us = 2000);

/// The bytes of memory that this process has, as the system counts it.
double resident_bytes();
