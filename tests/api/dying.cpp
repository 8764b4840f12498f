// A job one of whose ranks dies in the middle of messages.  api_dying WHO HOW
// WHO: "receiver", "sender", "everywhere" (all exchange with all), "idle" (the others wait for its message).
// HOW: "kill", "exit" (without MPI_Finalize), "status" (the same, with an exit status), "abort".
// The others go on until a call fails, say which one it was, and end.
#include <cstdio>
#include <cstdlib>
#include <pixmpi.h>
#include <signal.h>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <vector>

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
    std::vector<unsigned char> out(30'000'000), in(out.size());
    const auto surface = [](std::vector<unsigned char> &memory) {
        return pixMPI_Memory(memory.data(), PIXMPI_R8, 3000, static_cast<int>(memory.size() / 3000));
    };
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
            code = pixMPI_Sendrecv_replace(surface(out), PIXMPI_WHOLE, (rank + 1) % size, 1, (rank + size - 1) % size,
                                           1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else if (idle)
            code = pixMPI_Recv(surface(in), PIXMPI_WHOLE, victim, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else if (rank == sender)
            for (int other = 0; other < size && !code; ++other)
                code = other == rank ? 0 : pixMPI_Send(surface(out), PIXMPI_WHOLE, other, 1, MPI_COMM_WORLD);
        else
            code = pixMPI_Recv(surface(in), PIXMPI_WHOLE, sender, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (code) {
            std::printf("rank %d: %s: %s\n", rank, pixMPI_Error_string(code), pixMPI_Error_text());
            std::fflush(stdout);
            ::_exit(0);
        }
    }
}
