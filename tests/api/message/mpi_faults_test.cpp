// What the library does when MPI fails, or takes its time.
#include "rig/mpi_faults.h"
#include "rig/traffic.h"

#include <pixmpi_collectives.h>

using namespace api;
using mpi_faults::Call;

namespace {

MPI_Comm across() {
    MPI_Comm half = MPI_COMM_NULL, comm = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &comm);
    MPI_Comm_free(&half);
    return comm;
}

void refused_by_all(MPI_Comm comm, const char *name) {
    for (const Call call : {Call::idup, Call::allgather, Call::alltoall})
        for (int failing = 0; failing < size; ++failing) {
            note("%s, call %d of rank %d", name, static_cast<int>(call), failing);
            if (rank == failing)
                mpi_faults::fail(call);
            if (rank == failing)
                CHECK_FAILS(pixMPI_Comm_attach(comm, nullptr), PIXMPI_ERR_MPI, "pixMPI_Comm_attach MPI_");
            else
                CHECK_FAILS(pixMPI_Comm_attach(comm, nullptr), PIXMPI_ERR_COMM, "comm could not attach");
        }
    CHECK_OK(pixMPI_Comm_attach(comm, nullptr));
    MPI_Comm_free(&comm);
}

} // namespace

RANK_CASE(mpi_faults, attach_fails_everywhere, 1) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    refused_by_all(comm, "one group");
}

RANK_CASE(mpi_faults, attach_of_two_groups_fails_everywhere, 2) { refused_by_all(across(), "two groups"); }

RANK_CASE(mpi_faults, probes_do_not_wait_for_the_rest, 2) {
    // The envelope is announced, and all of it comes later.
    Bytes word = pattern(900, 5), in(900);
    if (rank == 1) {
        CHECK_OK(pixMPI_Send(as_surface(word), PIXMPI_WHOLE, 0, 4, world()));
        CHECK_OK(pixMPI_Send(as_surface(word), PIXMPI_WHOLE, 0, 5, world()));
    }
    barrier();
    if (rank == 0) {
        int flag = 1;
        mpi_faults::hold_back(true);
        for (int i = 0; i < 2000; ++i) {
            CHECK_OK(pixMPI_Iprobe(1, MPI_ANY_TAG, world(), &flag, MPI_STATUS_IGNORE));
            CHECK_EQ(flag, 0);
        }
        pixMPI_Request request = PIXMPI_REQUEST_NULL;
        CHECK_OK(pixMPI_Irecv(as_surface(in), PIXMPI_WHOLE, 1, MPI_ANY_TAG, world(), &request));
        CHECK_OK(pixMPI_Cancel(&request)); // too late
        CHECK_OK(pixMPI_Test(&request, &flag, MPI_STATUS_IGNORE));
        CHECK_EQ(flag, 0);
        mpi_faults::hold_back(false);
        MPI_Status status;
        NEED_OK(pixMPI_Wait(&request, &status));
        CHECK_STATUS(status, 1, 4, 900, PIXMPI_R8);
        CHECK_PIXELS(in, word, 900, 1);
        NEED_OK(pixMPI_Probe(1, MPI_ANY_TAG, world(), &status));
        CHECK_STATUS(status, 1, 5, 900, PIXMPI_R8);
        NEED_OK(pixMPI_Recv(as_surface(in), PIXMPI_WHOLE, 1, 5, world(), MPI_STATUS_IGNORE));
    }
    barrier();
}

RANK_CASE(mpi_faults, sendrecv_whose_send_cannot_start, 2) {
    // The receive has matched: what it writes to is the program's again only when it is over.
    constexpr std::size_t bytes = 4 << 20;
    Bytes content = pattern(bytes, 8);
    pixMPI_Request request = PIXMPI_REQUEST_NULL;
    if (rank == 1)
        CHECK_OK(pixMPI_Isend(as_surface(content), PIXMPI_WHOLE, 0, 4, world(), &request));
    if (rank == 0) {
        Bytes in(bytes), out(10);
        NEED_OK(pixMPI_Probe(1, 4, world(), MPI_STATUS_IGNORE));
        mpi_faults::fail(Call::isend);
        CHECK_FAILS(pixMPI_Sendrecv(as_surface(out), PIXMPI_WHOLE, 1, 3, as_surface(in), PIXMPI_WHOLE, 1, 4, world(),
                                    MPI_STATUS_IGNORE),
                    PIXMPI_ERR_MPI, "pixMPI_Sendrecv MPI_Isend");
        const Bytes then = in;
        everywhere(0, true);
        CHECK(in == then);
        // Nothing has matched: it is taken back.
        mpi_faults::fail(Call::isend);
        CHECK_FAILS(pixMPI_Sendrecv(as_surface(out), PIXMPI_WHOLE, 1, 3, as_surface(in), PIXMPI_WHOLE, 1, 9, world(),
                                    MPI_STATUS_IGNORE),
                    PIXMPI_ERR_MPI, "pixMPI_Sendrecv MPI_Isend");
    } else {
        NEED_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
        everywhere(0, true);
    }
    barrier();
}

RANK_CASE(mpi_faults, collectives_outnumber_tags, 2) {
    // A persistent broadcast is as alive as the one that comes when many others have been made in between. Ranks start
    // them in different orders.
    constexpr std::size_t bytes = 900;
    constexpr int others = 511; // the numbers that tags up to the bound would have
    MPI_Comm comm = duplicate();
    mpi_faults::bound_tags(32767); // the least that the standard allows
    NEED_OK(pixMPI_Comm_attach(comm, nullptr));
    mpi_faults::bound_tags(0);
    Bytes early = pattern(bytes, rank == 0 ? 1 : 3), late = pattern(bytes, rank == 0 ? 2 : 4);
    pixMPI_Request first = PIXMPI_REQUEST_NULL, second = PIXMPI_REQUEST_NULL;
    NEED_OK(pixMPI_Bcast_init(as_surface(early), PIXMPI_WHOLE, 0, comm, &first));
    for (int i = 1; i < others; ++i)
        NEED_OK(pixMPI_Barrier(comm));
    const auto start_late = [&] { NEED_OK(pixMPI_Ibcast(as_surface(late), PIXMPI_WHOLE, 0, comm, &second)); };
    if (rank == 0)
        start_late();
    NEED_OK(pixMPI_Start(&first));
    if (rank != 0)
        start_late();
    NEED_OK(pixMPI_Wait(&second, MPI_STATUS_IGNORE));
    NEED_OK(pixMPI_Wait(&first, MPI_STATUS_IGNORE));
    CHECK(early == pattern(bytes, 1));
    CHECK(late == pattern(bytes, 2));
    NEED_OK(pixMPI_Request_free(&first));
    MPI_Comm_free(&comm);
}

namespace {

/// A duplicate on the mpi route, with so few tags that numbers of messages come again soon.
MPI_Comm with_few_tags(int most) {
    MPI_Comm comm = duplicate();
    const Setting route("PIXMPI_ROUTE=mpi");
    mpi_faults::bound_tags(most);
    NEED_OK(pixMPI_Comm_attach(comm, nullptr));
    mpi_faults::bound_tags(0);
    return comm;
}

} // namespace

RANK_CASE(mpi_faults, messages_outnumber_tags, 2) {
    // Messages that are complete at their sender, and that no rank has received yet, among many others.
    constexpr std::size_t bytes = 20'000; // as bands, and eager
    constexpr int numbers = 32, tags = 2 * numbers - 1;
    MPI_Comm comm = with_few_tags(tags);
    const auto send = [&](unsigned seed, int tag) {
        Bytes out = pattern(bytes, seed);
        return pixMPI_Send(as_surface(out), PIXMPI_WHOLE, 0, tag, comm);
    };
    const auto receive = [&](unsigned seed, int tag) {
        Bytes in(bytes);
        NEED_OK(pixMPI_Recv(as_surface(in), PIXMPI_WHOLE, 1, tag, comm, MPI_STATUS_IGNORE));
        CHECK(in == pattern(bytes, seed));
    };
    if (rank == 1) {
        CHECK_OK(send(1, 1));
        for (unsigned i = 1; i < numbers; ++i)
            CHECK_OK(send(100 + i, 3));
        everywhere(0, true);
        CHECK_OK(send(2, 2));
        everywhere(0, true);
        for (unsigned i = 0; i < numbers; ++i)
            CHECK_OK(send(200 + i, 4));
        CHECK_FAILS(send(3, 5), PIXMPI_ERR_MPI, "pixMPI_Send dest MPI_TAG_UB");
        everywhere(0, true);
        everywhere(0, true);
        CHECK_OK(send(4, 6));
    } else if (rank == 0) {
        for (unsigned i = 1; i < numbers; ++i)
            receive(100 + i, 3);
        everywhere(0, true);
        receive(2, 2);
        receive(1, 1);
        everywhere(0, true);
        everywhere(0, true);
        for (unsigned i = 0; i < numbers; ++i)
            receive(200 + i, 4);
        everywhere(0, true);
        receive(4, 6);
    } else {
        for (int i = 0; i < 4; ++i)
            everywhere(0, true);
    }
    MPI_Comm_free(&comm);
}

RANK_CASE(mpi_faults, receives_end_when_mpi_has_done, 2) {
    // The sender fails in the middle, when the receiver has memory for several bands in MPI's hands.
    MPI_Comm comm = with_few_tags(32767);
    Bytes picture = pattern(8 << 20, 8);
    if (rank == 1) {
        pixMPI_Request request = PIXMPI_REQUEST_NULL;
        CHECK_OK(pixMPI_Isend(as_surface(picture), PIXMPI_WHOLE, 0, 4, comm, &request));
        mpi_faults::fail(Call::isend);
        CHECK_FAILS(pixMPI_Wait(&request, MPI_STATUS_IGNORE), PIXMPI_ERR_MPI, "MPI_Is");
    } else if (rank == 0) {
        CHECK_FAILS(pixMPI_Recv(as_surface(picture), PIXMPI_WHOLE, 1, 4, comm, MPI_STATUS_IGNORE), PIXMPI_ERR_PEER,
                    "the sender gave the message up");
        CHECK_EQ(mpi_faults::receives_let_go(), 0);
    }
    everywhere(0, true);
    MPI_Comm_free(&comm);
}

RANK_CASE(mpi_faults, receivers_hear_of_a_last_band_that_fails, 2) {
    MPI_Comm comm = with_few_tags(32767);
    Bytes picture = pattern(20'000, 9); // one band
    if (rank == 1) {
        mpi_faults::fail(Call::isend, 1); // behind the envelope
        CHECK_FAILS(pixMPI_Send(as_surface(picture), PIXMPI_WHOLE, 0, 4, comm), PIXMPI_ERR_MPI, "pixMPI_Send MPI_Is");
    } else if (rank == 0) {
        CHECK_FAILS(pixMPI_Recv(as_surface(picture), PIXMPI_WHOLE, 1, 4, comm, MPI_STATUS_IGNORE), PIXMPI_ERR_PEER,
                    "the sender gave the message up");
    }
    everywhere(0, true);
    MPI_Comm_free(&comm);
}
