// Attaching while others are at work, and attachments that fail.
#include "rig/traffic.h"

#include <thread>

using namespace api;

namespace {

/// Even and odd ranks as the two groups.
MPI_Comm across() {
    MPI_Comm half = MPI_COMM_NULL, comm = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &comm);
    MPI_Comm_free(&half);
    return comm;
}

/// A message of each rank to another one.
void works(MPI_Comm comm) {
    int me = 0, all = 0, inter = 0;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_test_inter(comm, &inter);
    (inter ? MPI_Comm_remote_size : MPI_Comm_size)(comm, &all);
    if (inter && size % 2)
        return; // the groups differ in size
    Bytes out = pattern(100'000, 7), in(100'000);
    NEED_OK(pixMPI_Sendrecv(as_surface(out), PIXMPI_WHOLE, inter ? me : (me + 1) % all, 1, as_surface(in), PIXMPI_WHOLE,
                            inter ? me : (me + all - 1) % all, 1, comm, MPI_STATUS_IGNORE));
    CHECK_PIXELS(in, out, 1000, 1);
}

void attach_while_a_send_is_under_way(MPI_Comm comm) {
    constexpr std::size_t bytes = 8 << 20;
    Bytes memory = rank == 0 ? pattern(bytes, 3) : Bytes(bytes);
    pixMPI_Request request = PIXMPI_REQUEST_NULL;
    if (rank == 0)
        CHECK_OK(pixMPI_Isend(as_surface(memory), PIXMPI_WHOLE, 1, 1, world(), &request));
    if (rank == 1)
        NEED_OK(pixMPI_Recv(as_surface(memory), PIXMPI_WHOLE, 0, 1, world(), MPI_STATUS_IGNORE));
    NEED_OK(pixMPI_Comm_attach(comm, nullptr));
    NEED_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
    if (rank == 1)
        CHECK_PIXELS(memory, pattern(bytes, 3), 4096, 1);
    works(comm);
    MPI_Comm_free(&comm);
}

/// One rank has a wrong option, and all are told.
void fails_everywhere(MPI_Comm comm, int failing) {
    note("rank %d fails", failing);
    pixMPI_Options wrong = PIXMPI_OPTIONS_INIT;
    wrong.route = "nonsense";
    if (rank == failing)
        CHECK_FAILS(pixMPI_Comm_attach(comm, &wrong), PIXMPI_ERR_ARGUMENT, "pixMPI_Comm_attach route nonsense");
    else
        CHECK_FAILS(pixMPI_Comm_attach(comm, nullptr), PIXMPI_ERR_COMM, "Comm_attach comm rank could not attach");
    // It is as if nothing had been tried.
    pixMPI_Route route = PIXMPI_ROUTE_NONE;
    CHECK_FAILS(pixMPI_Comm_route(comm, 0, &route), PIXMPI_ERR_COMM, "comm");
}

} // namespace

RANK_CASE(attach, while_a_send_is_under_way, 2) { attach_while_a_send_is_under_way(duplicate()); }

RANK_CASE(attach, two_groups_while_a_send_is_under_way, 2) { attach_while_a_send_is_under_way(across()); }

RANK_CASE(attach, one_rank_fails, 1) {
    MPI_Comm comm = duplicate();
    for (int failing = 0; failing < size; ++failing)
        fails_everywhere(comm, failing);
    NEED_OK(pixMPI_Comm_attach(comm, nullptr));
    works(comm);
    MPI_Comm_free(&comm);
}

RANK_CASE(attach, one_rank_of_two_groups_fails, 2) {
    MPI_Comm comm = across();
    for (int failing = 0; failing < size; ++failing)
        fails_everywhere(comm, failing);
    NEED_OK(pixMPI_Comm_attach(comm, nullptr));
    works(comm);
    MPI_Comm_free(&comm);
}

RANK_CASE(threads, attach_in_any_order, 1) {
    // Each rank begins with another communicator than its neighbour.
    NEED(threads >= MPI_THREAD_SERIALIZED);
    for (int turn = 0; turn < 8; ++turn) {
        MPI_Comm comms[2] = {duplicate(), size > 1 && turn % 2 ? across() : duplicate()};
        const int first = (rank + turn / 2) % 2;
        int codes[2] = {-1, -1};
        std::thread other([&] { codes[1 - first] = pixMPI_Comm_attach(comms[1 - first], nullptr); });
        if (turn < 4)
            std::this_thread::sleep_for(std::chrono::milliseconds(2 * rank));
        codes[first] = pixMPI_Comm_attach(comms[first], nullptr);
        other.join();
        for (int i = 0; i < 2; ++i) {
            NEED(codes[i] == PIXMPI_SUCCESS);
            works(comms[i]);
            MPI_Comm_free(&comms[i]);
        }
    }
}

RANK_CASE(threads, attach_one_communicator, 1) {
    // The ranks attach it once, in any order.
    NEED(threads >= MPI_THREAD_SERIALIZED);
    MPI_Comm comm = duplicate();
    int code = -1;
    std::thread other([&] { code = pixMPI_Comm_attach(comm, nullptr); });
    CHECK_OK(pixMPI_Comm_attach(comm, nullptr));
    other.join();
    CHECK_EQ(code, PIXMPI_SUCCESS);
    works(comm);
    MPI_Comm_free(&comm);
}
