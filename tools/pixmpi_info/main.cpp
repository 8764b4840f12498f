// pixmpi_info: what messages of pixels find on this machine. mpiexec -n 4 pixmpi_info

#include "facts.h"

#include "error.h"
#include "glmpi.h"
#include "mpi_facts.h"

#include <algorithm>
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string_view>

namespace {

struct Settings {
    bool quick = false, stats = false, variables = false;
    std::string json;
    std::vector<int> devices;
};

/// OpenGL where it is available; its absence is also a fact.
void make_context(Job &job, const std::vector<int> &devices) {
    demo::HeadlessOptions options;
    options.card =
        devices.empty() ? demo::rank_within_host() : devices[static_cast<std::size_t>(job.rank) % devices.size()];
    std::string error;
    job.context = demo::Headless::make(options, error);
    for (const char c : error) // one line
        if (c != '\n' && !(c == ' ' && job.no_context.ends_with(' ')))
            job.no_context += c;
}

/// Whether this rank is the first with its driver on its host, which measures for all of them.
bool measures(const Json &mine, const std::string &driver, const Job &job) {
    const std::size_t hash = std::hash<std::string>{}(mine["host"].get<std::string>() + driver);
    std::vector<std::size_t> all(static_cast<std::size_t>(job.ranks));
    MPI_Allgather(&hash, sizeof hash, MPI_BYTE, all.data(), sizeof hash, MPI_BYTE, MPI_COMM_WORLD);
    return std::find(all.begin(), all.end(), hash) - all.begin() == job.rank;
}

/// On the first rank with that driver on its host, one after the other: they share a machine. Collective.
void measure(void (*rates)(const Job &, Json &), const std::string &driver, Json &mine, const Job &job) {
    const bool measured_here = measures(mine, driver, job);
    for (int rank = 0; rank < job.ranks; ++rank) {
        if (rank == job.rank && measured_here) {
            if (!mine.contains("formats"))
                mine["formats"] = rows_of_formats();
            rates(job, mine["formats"]);
        }
        idle_barrier();
    }
}

int run(const Settings &settings, Job &job) {
    check(pixMPI_Comm_attach(MPI_COMM_WORLD, nullptr));
    make_context(job, settings.devices);
    Json mine = facts_of_this_rank(job);
    const auto count = [&](const char *api, bool able, Send send) {
        if (settings.stats)
            if (const std::optional<Json> counted = count_messages(job, able, send))
                mine["stats"][api] = *counted;
    };
    if (!settings.quick)
        measure(measure_gl_and_host, mine["gl"].value("context", ""), mine, job);
    count("host", true, send_host);
    count("gl", job.context != nullptr, send_gl);
    if (job.context) // while it is current for sure: the end of Vulkan takes it away from the thread (NVIDIA 580)
        check(glMPI_Context_release());
    mine["vk"] = make_vulkan(job);
    if (!settings.quick)
        measure(measure_vulkan, mine["vk"].value("device", ""), mine, job);
    count("vk", job.gpu != nullptr, send_vulkan);
    end_vulkan(job);
    const std::vector<Json> everybody = gather(mine, job);
    check(pixMPI_Comm_detach(MPI_COMM_WORLD));
    int status = 0;
    if (job.rank == 0) {
        const Json all = {{"version", PROGRAM_VERSION}, {"mpi", demo::mpi_name()}, {"ranks", everybody}};
        print(all);
        if (!settings.json.empty()) {
            std::ofstream file(settings.json);
            file << all.dump(2) << std::endl;
            if (status = file ? 0 : 1; status)
                std::fprintf(stderr, "pixmpi_info: --json: %s cannot be written\n", settings.json.c_str());
        }
    }
    MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return status;
}

/// Of the ranks that an mpiexec has started, before MPI says so; or alone.
bool is_first() {
    for (const char *name : {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK"})
        if (const char *rank = std::getenv(name))
            return std::string_view(rank) == "0";
    return true;
}

} // namespace

int main(int argc, char **argv) {
    CLI::App app{"Prints what messages of pixels find on this machine: ranks, devices, formats and their rates, options, routes."};
    app.set_version_flag("--version", "pixmpi_info " PROGRAM_VERSION);
    Settings settings;
    app.add_flag("--quick", settings.quick, "measures no rates");
    app.add_flag("--stats", settings.stats, "sends a few messages for each API and shows what the library counted");
    app.add_flag("--variables", settings.variables, "only lists all environment variables");
    app.add_option("--json", settings.json, "writes everything to this file too");
    app.add_option("--device", settings.devices,
                   "numbers of GPUs, for rank after rank; default: the rank on its host")
        ->delimiter(',')
        ->check(CLI::Range(0, 1000));
    // Every rank reads the same arguments; one of them answers, without MPI, which takes a second and may print lines.
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        if (error.get_exit_code() == 0)
            return is_first() ? app.exit(error) : 0;
        if (is_first())
            std::fprintf(stderr, "pixmpi_info: %s\n", error.what());
        return 2;
    }
    if (settings.variables) {
        if (is_first())
            print_variables();
        return 0;
    }
    MPI_Init(&argc, &argv);
    pixMPI_Set_errhandler(pixMPI_Errors_return, nullptr); // check() prints, and knows what to end
    Job job;
    MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &job.ranks);
    int status = 0;
    try {
        status = run(settings, job);
    } catch (const demo::Error &error) { // Vulkan's, in the middle of something
        give_up(error.what());
    }
    job.context.reset();
    MPI_Finalize();
    return status;
}
