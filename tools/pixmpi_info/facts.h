// What pixmpi_info finds out: JSON from the beginning, gathered on rank 0, so that nothing is printed that is not in
// the file as well.
#pragma once

#include <headless.h>
#include <vk.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

using Json = nlohmann::ordered_json;

struct Job {
    int rank = 0, ranks = 1;
    std::unique_ptr<demo::Headless> context; ///< null where there is no GL
    std::string no_context;                  ///< why
    std::unique_ptr<demo::Gpu> gpu;          ///< null where there is no Vulkan, and before make_vulkan
    std::string no_gpu;                      ///< why
};

/// The GPUs and software drivers that EGL lists on this host.
Json list_cards();

/// This rank: host, process, devices, options in force, routes to all ranks.
Json facts_of_this_rank(const Job &job);

/// A context of Vulkan, and what there is. A software driver's threads need the cores that ranks otherwise spin on, so
/// this comes after OpenGL's measurements.
Json make_vulkan(Job &job);
void end_vulkan(Job &job);

/// A row for each format, with nothing measured yet.
Json rows_of_formats();
/// How fast this rank moves pixels of each format in GB/s: by OpenGL from a texture and back, in host memory from place
/// to place; by Vulkan from an image and back. null: the context has no such texture, or there is no context.
void measure_gl_and_host(const Job &job, Json &rows);
void measure_vulkan(const Job &job, Json &rows);

/// Sends pixels of so many rows and columns to the next rank, and receives from the previous one.
using Send = void (*)(const Job &job, int side);
void send_host(const Job &job, int side);
void send_gl(const Job &job, int side);
void send_vulkan(const Job &job, int side);
/// A few such messages if all ranks are able to, and what the library counted for them; else nothing. Collective.
std::optional<Json> count_messages(const Job &job, bool able, Send send);

/// Everybody's, on rank 0; elsewhere nothing. Collective.
std::vector<Json> gather(const Json &mine, const Job &job);
/// As MPI_Barrier, without keeping a core busy.
void idle_barrier();
/// Ends all ranks with a line that says why.
[[noreturn]] void give_up(const std::string &why);
/// The same, unless `code` is PIXMPI_SUCCESS.
void check(int code);

void print(const Json &all);
/// All variables of the environment, as tables of Markdown.
void print_variables();
