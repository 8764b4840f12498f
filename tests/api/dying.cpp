// A job one of whose ranks dies in the middle of messages.  api_dying WHO HOW
// WHO: "receiver", "sender", "everywhere" (all exchange with all), "idle" (the others wait for its message).
// HOW: "kill", "exit" (without MPI_Finalize), "status" (the same, with an exit status), "abort".
// The others go on until a call fails, say which one it was, and end.
#include "dying.h"

#include <cstdio>
#include <cstdlib>
#include <pixmpi.h>
#include <signal.h>
#include <string_view>
#include <thread>
#include <unistd.h>

namespace {

void die(std::string_view how) {
    if (how == "kill")
        ::raise(SIGKILL);
    if (how == "abort")
        ::abort();
    ::_exit(how == "exit" ? 0 : 3);
}

} // namespace

int main(int argc, char **argv) {
    const std::string_view who = argc > 1 ? argv[1] : "", how = argc > 2 ? argv[2] : "";
    int given = 0, rank = 0, size = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (pixMPI_Comm_attach(MPI_COMM_WORLD, nullptr))
        return 2;
    const auto ends = dying::make_ends(rank);
    if (!ends)
        return 77;
    const int victim = size - 1;
    const bool idle = who == "idle";
    const int sender = who == "sender" ? victim : 0;
    if (rank == victim)
        std::thread([&] {
            ::usleep(300'000);
            die(how);
        }).detach();
    if (rank == victim && idle)
        ::sleep(60);
    for (;;) {
        int code = PIXMPI_SUCCESS;
        if (who == "everywhere")
            code = ends->replace((rank + 1) % size, (rank + size - 1) % size);
        else if (idle)
            code = ends->recv(victim);
        else if (rank == sender)
            for (int other = 0; other < size && !code; ++other)
                code = other == rank ? 0 : ends->send(other);
        else
            code = ends->recv(sender);
        if (code) {
            std::printf("rank %d: %s: %s\n", rank, pixMPI_Error_string(code), pixMPI_Error_text());
            std::fflush(stdout);
            ::_exit(0);
        }
    }
}
