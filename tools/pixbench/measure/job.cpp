#include "measure/job.h"

#include "base/wait.h"
#include "pixmpi.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <unistd.h>

namespace {

[[noreturn]] void end_all() {
    usleep(100000); // mpiexec passes on what was printed before it notices the end
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::_Exit(1);
}

} // namespace

bool all_well(bool well, const std::string &text, MPI_Comm comm) {
    int rank = 0, ranks = 0, first = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    const int mine = well ? ranks : rank;
    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm);
    if (first == rank) {
        std::string line;
        for (const char c : text) // one line, whatever the text was
            if (c != '\n' && !(c == ' ' && line.ends_with(' ')))
                line += c;
        std::fprintf(stderr, "pixbench: %s\n", line.c_str());
    }
    return first == ranks;
}

bool open_api(Job &job, const std::vector<int> &devices) {
    std::optional<int> card;
    if (!devices.empty())
        card = devices[static_cast<std::size_t>(job.all.rank) % devices.size()];
    const std::string error = job.api->open(card);
    job.all.api = job.api.get();
    return all_well(error.empty(), std::string("--api ") + job.api->name() + ": " + error, job.all.comm);
}

void give_up(const std::string &text) {
    std::fprintf(stderr, "pixbench: %s\n", text.c_str());
    end_all();
}

void check_all(bool well, const std::string &text, MPI_Comm comm) {
    if (all_well(well, text, comm))
        return;
    end_all(); // not only the team's ranks
}

void check(int code) {
    if (code != PIXMPI_SUCCESS)
        give_up(std::string(pixMPI_Error_string(code)) + ": " + pixMPI_Error_text());
}

void idle_barrier(MPI_Comm comm, int longest_sleep_us) {
    MPI_Request request;
    MPI_Ibarrier(comm, &request);
    pixmpi::Wait wait{std::chrono::microseconds(longest_sleep_us)};
    for (int done = 0;; wait.pause()) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done)
            return;
    }
}

double resident_bytes() {
    std::ifstream file("/proc/self/statm");
    double size = 0, resident = 0;
    file >> size >> resident;
    return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}
