// A rank dies in the middle of an envelope, which the receive of another rank has begun to take: it keeps back no other
// rank's message.  api_dying_inside inside exit
// MPI has all of the envelope. What says that to the library is stood in for, and says that the rest never comes.
#include <cstdio>
#include <cstring>
#include <pixmpi.h>
#include <unistd.h>

namespace {

constexpr int receiver = 0, sender = 1, victim = 2, word = 7, bytes = 100;

bool watching = false, has_begun = false;
MPI_Request lost = MPI_REQUEST_NULL; // the first that takes an envelope of any rank

void say_to(int rank) { MPI_Send(nullptr, 0, MPI_BYTE, rank, word, MPI_COMM_WORLD); }

void hear_from(int rank) {
    for (int here = 0; !here; ::usleep(100))
        MPI_Iprobe(rank, word, MPI_COMM_WORLD, &here, MPI_STATUS_IGNORE);
    MPI_Recv(nullptr, 0, MPI_BYTE, rank, word, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/// The victim's envelope is the first that comes, and the victim has gone when the other one's follows.
bool receive(const pixMPI_Surface &surface, const unsigned char *pixels) {
    pixMPI_Request request = PIXMPI_REQUEST_NULL;
    MPI_Status status;
    int over = 0;
    watching = true;
    if (pixMPI_Irecv(surface, PIXMPI_WHOLE, sender, 1, MPI_COMM_WORLD, &request))
        return false;
    say_to(victim);
    for (; !has_begun; ::usleep(100))
        if (pixMPI_Test(&request, &over, MPI_STATUS_IGNORE) || over)
            return false;
    say_to(victim);
    say_to(sender);
    const int failed = pixMPI_Wait(&request, &status);
    say_to(sender);
    return !failed && status.MPI_SOURCE == sender && pixels[0] == sender && pixels[bytes - 1] == sender;
}

} // namespace

extern "C" {

#define STAND_IN __attribute__((visibility("default")))

STAND_IN int MPI_Irecv(void *data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                       MPI_Request *request) {
    const int code = PMPI_Irecv(data, count, type, source, tag, comm, request);
    if (watching && source == MPI_ANY_SOURCE && lost == MPI_REQUEST_NULL)
        lost = *request;
    return code;
}

STAND_IN int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
    if (lost == MPI_REQUEST_NULL || *request != lost)
        return PMPI_Test(request, flag, status);
    int here = 0, other = 0;
    PMPI_Iprobe(MPI_ANY_SOURCE, word, MPI_COMM_SELF, &other, MPI_STATUS_IGNORE); // MPI goes on, as in its own call
    const int code = PMPI_Request_get_status(lost, &here, MPI_STATUS_IGNORE);
    has_begun = has_begun || here;
    *flag = 0;
    return code;
}
}

int main(int argc, char **argv) {
    int given = 0, rank = 0;
    unsigned char pixels[bytes];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pixMPI_Set_errhandler(pixMPI_Errors_return, nullptr);
    if (pixMPI_Comm_attach(MPI_COMM_WORLD, nullptr))
        return 2;
    std::memset(pixels, rank, bytes);
    const pixMPI_Surface surface = pixMPI_Memory(pixels, PIXMPI_R8, bytes, 1);
    bool good = true;
    if (rank == receiver) {
        good = receive(surface, pixels);
    } else {
        hear_from(receiver);
        good = pixMPI_Send(surface, PIXMPI_WHOLE, receiver, 1, MPI_COMM_WORLD) == PIXMPI_SUCCESS;
    }
    if (rank != receiver)
        hear_from(receiver);
    std::printf("rank %d: %s\n", rank, rank == victim ? "is to die" : good ? "goes on" : pixMPI_Error_text());
    std::fflush(stdout);
    ::_exit(0); // of a job that has lost a rank
}
