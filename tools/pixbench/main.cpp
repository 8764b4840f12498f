// pixbench: what this project's parts cost, each beside its baseline in the same run. Started by mpiexec.

#include "modes.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <fstream>
#include <mpi.h>
#include <sched.h>

namespace {

int usable_cores() {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

void print(const std::vector<Row> &rows, int ranks) {
    std::printf("# waiting for each other, %d ranks, %d cores here; medians\n", ranks, usable_cores());
    std::printf("%-28s %12s %12s %12s %14s %10s\n", "way", "us", "least", "most", "cpu us, all", "faster");
    for (const Row &row : rows)
        std::printf("%-28s %12.2f %12.2f %12.2f %14.2f %9.1fx\n", row.name.c_str(), row.us, row.least_us, row.most_us,
                    row.cpu_us, row.speedup);
}

bool write_json(const std::string &path, const std::vector<Row> &rows, int ranks) {
    nlohmann::ordered_json all{{"mode", "wait"}, {"ranks", ranks}, {"cores", usable_cores()}};
    all["rows"] = nlohmann::ordered_json::array();
    for (const Row &row : rows)
        all["rows"].push_back({{"name", row.name},
                               {"us", row.us},
                               {"least_us", row.least_us},
                               {"most_us", row.most_us},
                               {"cpu_us", row.cpu_us},
                               {"times_faster", row.speedup}});
    std::ofstream file(path);
    file << all.dump(2) << std::endl;
    if (!file)
        std::fprintf(stderr, "pixbench: --json: %s cannot be written\n", path.c_str());
    return file.good();
}

} // namespace

int main(int argc, char **argv) {
    CLI::App app{"What this project's parts cost, each beside its baseline. Start it by mpiexec."};
    app.require_subcommand(1);
    WaitSettings settings;
    std::string json;
    auto *wait = app.add_subcommand("wait", "waiting for all ranks, against MPI_Barrier");
    wait->add_option("--json", json, "writes the rows to this file too");
    wait->add_option("--repetitions", settings.repetitions, "of each measurement")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    wait->add_option("--seconds", settings.seconds, "for each way in each repetition")
        ->check(CLI::Range(0.001, 60.0))
        ->capture_default_str();

    MPI_Init(&argc, &argv);
    int rank = 0, ranks = 1, status = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    try {
        app.parse(argc, argv);
        const std::vector<Row> rows = measure_wait(settings);
        if (rank == 0) {
            print(rows, ranks);
            status = json.empty() || write_json(json, rows, ranks) ? 0 : 1;
        }
    } catch (const CLI::ParseError &error) {
        // Every rank reads the same arguments; one of them says what is wrong with them.
        status = rank == 0 ? app.exit(error) : error.get_exit_code();
    }
    MPI_Finalize();
    return status;
}
