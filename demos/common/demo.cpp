#include "demo.h"

#include "options.h"

#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <thread>
#include <unistd.h>

namespace demo {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void pause() { std::this_thread::sleep_for(std::chrono::microseconds(50)); }

void wait(MPI_Request &request) {
    int done = 0;
    while (MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done)
        pause();
}

void meet() {
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    wait(request);
}

bool World::next_frame() {
    int go_on = ++frame_ < options.frames;
    if (!options.headless) {
        go_on = go_on && open();
        MPI_Request request;
        MPI_Ibcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
        wait(request);
    }
    return go_on;
}

void World::say(const char *format, ...) const {
    if (rank != 0)
        return;
    va_list arguments;
    va_start(arguments, format);
    std::vprintf(format, arguments);
    va_end(arguments);
    std::printf("\n");
    std::fflush(stdout);
}

int run(int argc, char **argv, const About &about, const std::function<void(const Start &)> &body) {
    MPI_Init(&argc, &argv);
    pixMPI_Set_errhandler(pixMPI_Errors_abort, nullptr); // a call that fails ends the job: no demo looks at a code
    int rank = 0, ranks = 1, status = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    try {
        std::string help;
        const Options options = read_options(argc, argv, about, help);
        if (!help.empty()) {
            if (rank == 0)
                std::fputs(help.c_str(), stdout);
        } else {
            pixMPI_Comm_attach(MPI_COMM_WORLD, nullptr);
            body({about, options, rank, ranks});
        }
    } catch (const UsageError &problem) {
        if (rank == 0)
            std::fprintf(stderr, "%s: %s\n", about.name, problem.what());
        status = 2;
    } catch (const std::exception &problem) {
        std::fprintf(stderr, "%s: rank %d: %s\n", about.name, rank, problem.what());
        usleep(100000);               // mpiexec passes on what was printed before it notices the end
        MPI_Abort(MPI_COMM_WORLD, 1); // the others may be waiting for this rank
    }
    MPI_Finalize();
    return status;
}

} // namespace demo
