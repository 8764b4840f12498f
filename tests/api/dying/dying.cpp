// A job with a rank that dies in the middle of messages.  api_dying WHO HOW
// WHO: "receiver", "sender", "everywhere" (all exchange with all), "idle" (the others wait for its message), "shown" (as
// "sender"), "probed", "iprobed" and "mprobed" (they probe for it), "synchronous" (they wait until it receives),
// "partitioned" (they wait for its partitions): these calls end by an error, "before_host" (two messages at once to
// rank 1, which then gets others from rank 0 by way of shared memory). HOW: "kill", "exit" (without MPI_Finalize),
// "status" (the same, with an exit status), "abort". The others go on until a call fails, say which one it was, and
// end; with "before_host" they end without. The one that dies says before that it is to die.
#include "dying/dying.h"

#include <cstdio>
#include <cstdlib>
#include <pixmpi_messages.h>
#include <pixmpi_partitioned.h>
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

int both(dying::Ends &ends, bool sends, int other) {
    pixMPI_Request requests[2] = {PIXMPI_REQUEST_NULL, PIXMPI_REQUEST_NULL};
    int first = PIXMPI_SUCCESS;
    for (int turn = 0; turn < 2; ++turn) {
        const int code = sends ? ends.start_send(other, requests[turn]) : ends.start_recv(other, turn, requests[turn]);
        first = first ? first : code;
    }
    for (pixMPI_Request &request : requests) {
        const int code = pixMPI_Wait(&request, MPI_STATUS_IGNORE);
        first = first ? first : code;
    }
    return first;
}

int probe(int source, std::string_view how) {
    pixMPI_Message message = PIXMPI_MESSAGE_NULL;
    if (how == "mprobed")
        return pixMPI_Mprobe(source, 1, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    if (how == "probed")
        return pixMPI_Probe(source, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    int flag = 0, code = PIXMPI_SUCCESS;
    while (!flag && !code) {
        code = pixMPI_Iprobe(source, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        ::usleep(100);
    }
    return code;
}

/// What never matches: a small send to a rank that receives nothing, or partitions that it does not send.
int wait_for(int other, std::string_view what) {
    unsigned char pixels[100] = {};
    const pixMPI_Surface surface = pixMPI_Memory(pixels, PIXMPI_R8, 100, 1);
    if (what == "synchronous")
        return pixMPI_Ssend(surface, PIXMPI_WHOLE, other, 1, MPI_COMM_WORLD);
    pixMPI_Request request = PIXMPI_REQUEST_NULL;
    const pixMPI_Region whole = PIXMPI_WHOLE;
    int code = pixMPI_Precv_init(surface, 1, &whole, other, 1, MPI_COMM_WORLD, &request);
    if (!code)
        code = pixMPI_Start(&request);
    return code ? code : pixMPI_Wait(&request, MPI_STATUS_IGNORE);
}

/// The messages of rank 0 to rank 1 afterwards; there are no others.
void go_on(dying::Ends &ends, int rank, MPI_Comm pair) {
    constexpr int messages = 4;
    ends.comm = pair;
    for (int i = 0; i < messages; ++i)
        if (const int code = rank == 0 ? ends.send(1) : ends.recv(0)) {
            std::printf("rank %d: %s: %s\n", rank, pixMPI_Error_string(code), pixMPI_Error_text());
            return;
        }
    std::printf("rank %d goes on\n", rank);
}

} // namespace

int main(int argc, char **argv) {
    const std::string_view who = argc > 1 ? argv[1] : "", how = argc > 2 ? argv[2] : "";
    int given = 0, rank = 0, size = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    pixMPI_Set_errhandler(pixMPI_Errors_return, nullptr); // each error is printed once, below
    if (pixMPI_Comm_attach(MPI_COMM_WORLD, nullptr))
        return 2;
    const auto ends = dying::make_ends(rank);
    if (!ends)
        return 77;
    const int victim = size - 1;
    const bool before_host = who == "before_host";
    MPI_Comm pair = MPI_COMM_NULL;
    if (before_host) {
        MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, rank, &pair);
        pixMPI_Options by_host = PIXMPI_OPTIONS_INIT;
        by_host.route = "shm";
        if (pair != MPI_COMM_NULL && pixMPI_Comm_attach(pair, &by_host))
            return 2;
    }
    const bool probed = who.ends_with("probed"), waited_for = who == "synchronous" || who == "partitioned";
    const bool idle = who == "idle" || probed || waited_for;
    const int sender = who == "sender" || who == "shown" ? victim : 0;
    if (rank == victim) {
        std::printf("rank %d is to die\n", rank);
        std::fflush(stdout);
        std::thread([&] {
            ::usleep(300'000);
            die(how);
        }).detach();
    }
    if (rank == victim && idle)
        ::sleep(60);
    if (before_host) {
        while (rank != 0 && both(*ends, rank == victim, rank == victim ? 1 : victim) == PIXMPI_SUCCESS) {
        }
        go_on(*ends, rank, pair);
        std::fflush(stdout);
        ::_exit(0);
    }
    for (;;) {
        int code = PIXMPI_SUCCESS;
        if (who == "everywhere")
            code = ends->replace((rank + 1) % size, (rank + size - 1) % size);
        else if (probed)
            code = probe(victim, who);
        else if (waited_for)
            code = wait_for(victim, who);
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
