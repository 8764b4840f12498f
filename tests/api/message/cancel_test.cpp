// Cancelled receives: they end, they take no message along, and those that had matched already are received.
#include "rig/traffic.h"

using namespace api;

namespace {

int cancelled(const MPI_Status &status) {
    int flag = -1;
    MPI_Test_cancelled(&status, &flag);
    return flag;
}

int tag_two(int) { return 2; }

} // namespace

RANK_CASE(cancel, receives_without_a_partner, 1) {
    Bytes memory(1000, 3);
    for (int i = 0; i < 100; ++i) {
        pixMPI_Request request;
        MPI_Status status;
        CHECK_OK(pixMPI_Irecv(as_surface(memory), PIXMPI_WHOLE, i % 2 ? MPI_ANY_SOURCE : previous_rank(),
                              i % 3 ? MPI_ANY_TAG : 1, world(), &request));
        CHECK_OK(pixMPI_Cancel(&request));
        CHECK(request != PIXMPI_REQUEST_NULL);
        NEED_OK(pixMPI_Wait(&request, &status));
        CHECK(request == PIXMPI_REQUEST_NULL);
        CHECK_EQ(cancelled(status), 1);
    }
    CHECK_PIXELS(memory, Bytes(1000, 3), 1000, 1);
    barrier();
    Bytes out = pattern(1000, 1);
    CHECK_OK(pixMPI_Sendrecv(as_surface(out), PIXMPI_WHOLE, next_rank(), 1, as_surface(memory), PIXMPI_WHOLE,
                             previous_rank(), 1, world(), MPI_STATUS_IGNORE));
    CHECK_PIXELS(memory, out, 1000, 1);
}

RANK_CASE(cancel, let_go_of, 1) {
    Bytes memory(1000, 3), out = pattern(1000, 1);
    pixMPI_Request request;
    CHECK_OK(pixMPI_Irecv(as_surface(memory), PIXMPI_WHOLE, previous_rank(), 1, world(), &request));
    CHECK_OK(pixMPI_Cancel(&request));
    CHECK_OK(pixMPI_Request_free(&request));
    barrier();
    Bytes in(1000);
    CHECK_OK(pixMPI_Sendrecv(as_surface(out), PIXMPI_WHOLE, next_rank(), 1, as_surface(in), PIXMPI_WHOLE,
                             previous_rank(), 1, world(), MPI_STATUS_IGNORE));
    CHECK_PIXELS(in, out, 1000, 1);
    CHECK_PIXELS(memory, Bytes(1000, 3), 1000, 1);
}

RANK_CASE(cancel, persistent_receives, 1) {
    Bytes memory(70'000, 3), out = pattern(70'000, 1);
    pixMPI_Request request;
    CHECK_OK(pixMPI_Recv_init(as_surface(memory), PIXMPI_WHOLE, previous_rank(), 1, world(), &request));
    for (int turn = 0; turn < 10; ++turn) {
        MPI_Status status;
        CHECK_OK(pixMPI_Start(&request));
        CHECK_OK(pixMPI_Cancel(&request));
        NEED_OK(pixMPI_Wait(&request, &status));
        CHECK_EQ(cancelled(status), 1);
        barrier();
        CHECK_OK(pixMPI_Start(&request));
        CHECK_OK(pixMPI_Send(as_surface(out), PIXMPI_WHOLE, next_rank(), 1, world()));
        NEED_OK(pixMPI_Wait(&request, &status));
        CHECK_STATUS(status, previous_rank(), 1, 70'000u, PIXMPI_R8);
        CHECK_PIXELS(memory, out, 70'000, 1);
        memory.assign(70'000, 3);
        barrier();
    }
    CHECK_OK(pixMPI_Request_free(&request));
}

RANK_CASE(cancel, matched_receives_go_on, 2) {
    // A receive that says that it was cancelled has left the message for another receive.
    for (std::size_t bytes : {100, 500'000})
        for (int turn = 0; turn < 30; ++turn) {
            note("%zu bytes, turn %d", bytes, turn);
            Bytes in(bytes, 9), out = pattern(bytes, static_cast<std::uint64_t>(turn));
            pixMPI_Request receive, send;
            MPI_Status status;
            CHECK_OK(pixMPI_Irecv(as_surface(in), PIXMPI_WHOLE, previous_rank(), 1, world(), &receive));
            barrier();
            CHECK_OK(pixMPI_Isend(as_surface(out), PIXMPI_WHOLE, next_rank(), 1, world(), &send));
            int flag = 0;
            for (int i = 0; i < turn; ++i) // let it come a little way
                CHECK_OK(pixMPI_Iprobe(MPI_ANY_SOURCE, 88, world(), &flag, MPI_STATUS_IGNORE));
            CHECK_OK(pixMPI_Cancel(&receive));
            NEED_OK(pixMPI_Wait(&receive, &status));
            if (cancelled(status)) {
                CHECK_PIXELS(in, Bytes(bytes, 9), static_cast<int>(bytes), 1);
                NEED_OK(pixMPI_Recv(as_surface(in), PIXMPI_WHOLE, previous_rank(), 1, world(), &status));
            }
            CHECK_STATUS(status, previous_rank(), 1, bytes, PIXMPI_R8);
            CHECK_PIXELS(in, out, static_cast<int>(bytes), 1);
            NEED_OK(pixMPI_Wait(&send, MPI_STATUS_IGNORE));
            barrier();
        }
}

RANK_CASE(cancel, under_load, 1) {
    // While parcels of tag 2 pass, receives of tag 1 (which no rank sends) and of tag 2 are posted and cancelled; no
    // parcel may get lost or be received twice.
    constexpr int count = 300;
    Sender sender(next_rank(), count, 5, tag_two);
    Bytes memory(Parcel::most), other(Parcel::most), nothing(1000);
    int next = 0, withdrawn = 0;
    bool sending = true;
    for (int turn = 0; next < count || sending; ++turn) {
        note("%d received, %d withdrawn", next, withdrawn);
        sending = sender.go_on();
        pixMPI_Request idle, first = PIXMPI_REQUEST_NULL;
        MPI_Status status;
        CHECK_OK(pixMPI_Irecv(as_surface(nothing), PIXMPI_WHOLE, MPI_ANY_SOURCE, 1, world(), &idle));
        if (next < count) {
            CHECK_OK(pixMPI_Irecv(as_surface(memory), PIXMPI_WHOLE, MPI_ANY_SOURCE, 2, world(), &first));
            if (turn % 3 != 0) {
                CHECK_OK(pixMPI_Cancel(&first));
                NEED_OK(pixMPI_Wait(&first, &status));
                if (cancelled(status))
                    ++withdrawn;
                else
                    CHECK_EQ(check_parcel(memory, status).number, next++);
            } else {
                for (int over = 0; !over;) {
                    NEED_OK(pixMPI_Test(&first, &over, &status));
                    if (!over)
                        sending = sender.go_on();
                }
                CHECK_EQ(check_parcel(memory, status).number, next++);
            }
        }
        CHECK_OK(pixMPI_Cancel(&idle));
        NEED_OK(pixMPI_Wait(&idle, &status));
        CHECK_EQ(cancelled(status), 1);
    }
}

RANK_CASE(cancel, not_for_sends, 1) {
    Bytes out = pattern(300'000, 1), in(300'000);
    pixMPI_Request send, null = PIXMPI_REQUEST_NULL;
    CHECK_OK(pixMPI_Isend(as_surface(out), PIXMPI_WHOLE, next_rank(), 1, world(), &send));
    CHECK_FAILS(pixMPI_Cancel(&send), PIXMPI_ERR_REQUEST, "pixMPI_Cancel request");
    CHECK_FAILS(pixMPI_Cancel(&null), PIXMPI_ERR_REQUEST, "pixMPI_Cancel request");
    NEED_OK(pixMPI_Recv(as_surface(in), PIXMPI_WHOLE, previous_rank(), 1, world(), MPI_STATUS_IGNORE));
    NEED_OK(pixMPI_Wait(&send, MPI_STATUS_IGNORE));
    CHECK_PIXELS(in, out, 300'000, 1);
}
