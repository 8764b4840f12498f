// What pixmpi_info finds out: JSON from the beginning, gathered on rank 0, so that nothing is printed that is not in
// the file as well.
#pragma once

#include <headless.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

using Json = nlohmann::ordered_json;

struct Job {
    int rank = 0, ranks = 1;
    std::unique_ptr<demo::Headless> context; ///< null where there is no GL
    std::string no_context;                  ///< why
};

/// The graphics cards and software drivers that EGL lists on this host.
Json list_cards();

/// This rank: host, process, devices, options in force, routes to all ranks.
Json facts_of_this_rank(const Job &job);

/// How fast this rank moves pixels of each format in GB/s: by OpenGL from a texture and back, in host memory from place
/// to place. null: the context has no such texture, or there is no context.
Json measure_rates(const Job &job);

/// A few messages to the next rank for each API that all ranks have, and what the library counted for each of them.
/// Collective.
Json send_some(const Job &job);

/// Everybody's, on rank 0; elsewhere nothing. Collective.
std::vector<Json> gather(const Json &mine, const Job &job);
/// As MPI_Barrier, without keeping a core busy.
void idle_barrier();
/// Ends all ranks with a line that says why, unless `code` is PIXMPI_SUCCESS.
void check(int code);

void print(const Json &all);
