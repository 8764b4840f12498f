// Messages that the receiver cannot take: too long, or of other pixels.
#include "rig/traffic.h"

using namespace api;

RANK_CASE(refused, messages, 1) {
    // Too long, and of other pixels: the receive fails, touches nothing, and the message is gone. For the sender a
    // small one has left; of a large one it may be told.
    for_each_pair([](const EndKind &from, const EndKind &to) {
        for (int edge : {8, 300})
            for (bool too_long : {true, false}) {
                note("%s to %s, %d, %s", from.name, to.name, edge, too_long ? "too long" : "other pixels");
                const auto out = from.make(PIXMPI_RGBA8, edge, edge);
                const auto in = to.make(too_long ? PIXMPI_RGBA8 : PIXMPI_R8UI, edge, edge);
                out->fill(1);
                const Bytes before = in->fill(2);
                const Shape short_one = first_pixels(static_cast<std::size_t>(edge * edge - 1), edge);
                pixMPI_Request send;
                MPI_Status status;
                CHECK_OK(out->isend(PIXMPI_WHOLE, next_rank(), 1, &send));
                if (too_long)
                    CHECK_FAILS(in->recv(short_one, previous_rank(), 1, &status), PIXMPI_ERR_TRUNCATE,
                                "MPI_Recv region expected");
                else
                    CHECK_FAILS(in->recv(PIXMPI_WHOLE, previous_rank(), 1, &status), PIXMPI_ERR_FORMAT,
                                "MPI_Recv surface expected");
                CHECK_EQ(status.MPI_SOURCE, previous_rank());
                CHECK_EQ(status.MPI_TAG, 1);
                const int code = pixMPI_Wait(&send, MPI_STATUS_IGNORE);
                CHECK(code == PIXMPI_SUCCESS || code == PIXMPI_ERR_PEER);
                CHECK(send == PIXMPI_REQUEST_NULL);
                CHECK_PIXELS(in->read(), before, edge, in->pixel_bytes);
                in->check_surroundings();
            }
    });
}

RANK_CASE(refused, in_a_persistent_request, 1) {
    // The request lives on and takes the next message.
    Bytes in(70'000, 5), wide = pattern(70'001, 2), good = pattern(70'000, 3);
    pixMPI_Request receive, send;
    CHECK_OK(pixMPI_Recv_init(as_surface(in), PIXMPI_WHOLE, previous_rank(), 1, world(), &receive));
    for (int turn = 0; turn < 5; ++turn) {
        in.assign(70'000, 5);
        CHECK_OK(pixMPI_Start(&receive));
        CHECK_OK(pixMPI_Isend(as_surface(wide), PIXMPI_WHOLE, next_rank(), 1, world(), &send));
        CHECK_FAILS(pixMPI_Wait(&receive, MPI_STATUS_IGNORE), PIXMPI_ERR_TRUNCATE, "region expected");
        CHECK(receive != PIXMPI_REQUEST_NULL);
        CHECK_PIXELS(in, Bytes(70'000, 5), 1000, 1);
        (void)pixMPI_Wait(&send, MPI_STATUS_IGNORE);
        CHECK_OK(pixMPI_Start(&receive));
        CHECK_OK(pixMPI_Send(as_surface(good), PIXMPI_WHOLE, next_rank(), 1, world()));
        NEED_OK(pixMPI_Wait(&receive, MPI_STATUS_IGNORE));
        CHECK_PIXELS(in, good, 1000, 1);
    }
    CHECK_OK(pixMPI_Request_free(&receive));
}
