// Requests that are made once and started often, and requests that are let go of.
#include "rig/ends.h"

using namespace api;

namespace {

/// A frame loop around the ring, the picture changing each time.
void frames(const EndKind &from, const EndKind &to, int count, int width, int height) {
    const auto out = from.make(PIXMPI_RGBA8, width, height), in = to.make(PIXMPI_RGBA8, width, height);
    pixMPI_Request requests[2];
    CHECK_OK(in->recv_init(PIXMPI_WHOLE, previous_rank(), 4, &requests[0]));
    CHECK_OK(out->send_init(PIXMPI_WHOLE, next_rank(), 4, &requests[1]));
    const auto seed = [](int of, int frame) {
        return seed_of(static_cast<std::uint64_t>(of), static_cast<std::uint64_t>(frame));
    };
    for (int frame = 0; frame < count; ++frame) {
        note("%s to %s, %dx%d, frame %d", from.name, to.name, width, height, frame);
        out->fill(seed(rank, frame));
        MPI_Status statuses[2];
        CHECK_OK(pixMPI_Start(&requests[frame % 2]));
        CHECK_OK(pixMPI_Start(&requests[(frame + 1) % 2]));
        NEED_OK(pixMPI_Waitall(2, requests, statuses));
        CHECK_STATUS(statuses[0], previous_rank(), 4, static_cast<std::size_t>(width * height), PIXMPI_RGBA8);
        CHECK_PIXELS(in->read(), pattern(in->bytes(), seed(previous_rank(), frame)), width, 4);
    }
    CHECK_OK(pixMPI_Request_free(&requests[0]));
    CHECK_OK(pixMPI_Request_free(&requests[1]));
}

} // namespace

RANK_CASE(persistent, thousand_small_frames, 1) { frames(end_kinds()[0], end_kinds()[0], 1000, 31, 17); }
RANK_CASE(persistent, thousand_frames, 2) { frames(end_kinds()[0], end_kinds()[0], 1000, 160, 120); }
RANK_CASE(persistent, large_frames, 1) { frames(end_kinds()[0], end_kinds()[0], 10, 1920, 1080); }
RANK_CASE(persistent, pairs_of_ends, 1) {
    for_each_pair([](const EndKind &from, const EndKind &to) { frames(from, to, 8, 173, 131); });
}

RANK_CASE(persistent, size_changes_from_start_to_start, 2) {
    // The receive is persistent, its partners are not: each message is another one, from any rank.
    const auto in = make_memory(PIXMPI_R8, 1000, 400);
    if (rank == 0) {
        pixMPI_Request request;
        CHECK_OK(in->recv_init(PIXMPI_WHOLE, MPI_ANY_SOURCE, MPI_ANY_TAG, &request));
        for (int i = 0; i < 40 * (size - 1); ++i) {
            note("message %d", i);
            const Bytes before = in->fill(99);
            CHECK_OK(pixMPI_Start(&request));
            MPI_Status status;
            NEED_OK(pixMPI_Wait(&request, &status));
            const auto pixels = static_cast<std::size_t>(status.MPI_TAG) * 9973;
            CHECK_STATUS(status, status.MPI_SOURCE, status.MPI_TAG, pixels, PIXMPI_R8);
            Bytes expected = pattern(pixels, seed_of(static_cast<std::uint64_t>(status.MPI_SOURCE),
                                                     static_cast<std::uint64_t>(status.MPI_TAG)));
            expected.insert(expected.end(), before.begin() + static_cast<std::ptrdiff_t>(pixels), before.end());
            CHECK_PIXELS(in->read(), expected, 1000, 1);
        }
        CHECK_OK(pixMPI_Request_free(&request));
        return;
    }
    for (int tag = 0; tag < 40; ++tag) {
        const Bytes sent =
            pattern(in->bytes(), seed_of(static_cast<std::uint64_t>(rank), static_cast<std::uint64_t>(tag)));
        in->write(sent);
        CHECK_OK(in->send(first_pixels(static_cast<std::size_t>(tag) * 9973, 1000), 0, tag));
    }
}

RANK_CASE(persistent, several_between_the_same_ranks, 1) {
    // Started in another order than made: matching goes by the order of starts.
    constexpr int count = 6;
    std::unique_ptr<End> out[count], in[count];
    pixMPI_Request sends[count], receives[count];
    for (int i = 0; i < count; ++i) {
        const int height = i % 2 ? 300 : 3;
        out[i] = make_memory(PIXMPI_RGBA8, 200, height);
        in[i] = make_memory(PIXMPI_RGBA8, 200, 300);
        CHECK_OK(out[i]->send_init(PIXMPI_WHOLE, next_rank(), 1, &sends[i]));
        CHECK_OK(in[i]->recv_init(PIXMPI_WHOLE, previous_rank(), 1, &receives[i]));
    }
    for (int turn = 0; turn < 20; ++turn) {
        for (int i = 0; i < count; ++i)
            out[i]->fill(seed_of(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(turn)));
        CHECK_OK(pixMPI_Startall(count, receives));
        for (int i = 0; i < count; ++i)
            CHECK_OK(pixMPI_Start(&sends[(i + turn) % count]));
        NEED_OK(pixMPI_Waitall(count, receives, MPI_STATUSES_IGNORE));
        NEED_OK(pixMPI_Waitall(count, sends, MPI_STATUSES_IGNORE));
        for (int i = 0; i < count; ++i) {
            const int of = (i + turn) % count;
            Bytes came = in[i]->read();
            came.resize(out[of]->bytes());
            CHECK_PIXELS(
                came, pattern(came.size(), seed_of(static_cast<std::uint64_t>(of), static_cast<std::uint64_t>(turn))),
                200, 4);
        }
    }
    for (int i = 0; i < count; ++i) {
        CHECK_OK(pixMPI_Request_free(&sends[i]));
        CHECK_OK(pixMPI_Request_free(&receives[i]));
    }
}

RANK_CASE(persistent, let_go_of_while_active, 2) {
    // The messages still arrive; that they have is told by another message.
    for (int height : {2, 500}) {
        const auto out = make_memory(PIXMPI_RGBA8, 300, height), in = make_memory(PIXMPI_RGBA8, 300, height);
        const auto word = make_memory(PIXMPI_R8, 1, 1);
        note("height %d", height);
        out->fill(seed_of(5, static_cast<std::uint64_t>(rank)));
        in->fill(6);
        pixMPI_Request send, receive, persistent;
        CHECK_OK(in->irecv(PIXMPI_WHOLE, previous_rank(), 1, &receive));
        CHECK_OK(pixMPI_Request_free(&receive));
        CHECK(receive == PIXMPI_REQUEST_NULL);
        CHECK_OK(out->isend(PIXMPI_WHOLE, next_rank(), 1, &send));
        CHECK_OK(pixMPI_Request_free(&send));
        CHECK_OK(out->send_init(PIXMPI_WHOLE, next_rank(), 2, &persistent));
        CHECK_OK(pixMPI_Start(&persistent));
        CHECK_OK(pixMPI_Request_free(&persistent));
        CHECK(send == PIXMPI_REQUEST_NULL && persistent == PIXMPI_REQUEST_NULL);
        const auto second = make_memory(PIXMPI_RGBA8, 300, height);
        CHECK_OK(second->recv(PIXMPI_WHOLE, previous_rank(), 2, MPI_STATUS_IGNORE));
        CHECK_PIXELS(second->read(), pattern(in->bytes(), seed_of(5, static_cast<std::uint64_t>(previous_rank()))), 300,
                     4);
        // Nobody can wait for the first receive; progress needs calls on all ranks.
        const Bytes expected = pattern(in->bytes(), seed_of(5, static_cast<std::uint64_t>(previous_rank())));
        for (int turns = 0; everywhere(in->read() != expected, true) && turns < 20'000;)
            ++turns;
        CHECK_PIXELS(in->read(), expected, 300, 4);
    }
}
