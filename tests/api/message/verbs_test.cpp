// Every verb once, in a ring over all ranks, for every pair of ends; with one rank, messages to itself.
#include "rig/ends.h"

#include <algorithm>

using namespace api;

namespace {

/// A rank's two surfaces in a ring: what it sends and where it receives.
struct Ring {
    Ring(const EndKind &from, const EndKind &to, int salt_)
        : salt(salt_), format(formats_of_all()[static_cast<std::size_t>(salt_) % formats_of_all().size()]),
          out(from.make(format, 61, 47)), in(to.make(format, 53, 59)) {
        note("%s to %s, %s", from.name, to.name, pixMPI_Format_name(format));
        sent = out->fill(seed_of(1, static_cast<std::uint64_t>(rank), static_cast<std::uint64_t>(salt)));
        before = in->fill(seed_of(2, static_cast<std::uint64_t>(rank), static_cast<std::uint64_t>(salt)));
    }
    /// That the previous rank's pixels have come, nothing else has changed, and the status says so.
    void check(const MPI_Status *status, int tag) {
        const Bytes theirs = pattern(
            out->bytes(), seed_of(1, static_cast<std::uint64_t>(previous_rank()), static_cast<std::uint64_t>(salt)));
        Bytes expected = before;
        unpack(expected, in->width, in->pixel_bytes, to_shape, pack(theirs, out->width, out->pixel_bytes, from_shape));
        CHECK_PIXELS(in->read(), expected, in->width, in->pixel_bytes);
        CHECK_PIXELS(out->read(), sent, out->width, out->pixel_bytes);
        in->check_surroundings();
        if (status)
            CHECK_STATUS(*status, previous_rank(), tag, from_shape.pixels(), format);
    }
    const int salt;
    const pixMPI_Format format;
    const std::unique_ptr<End> out, in;
    const Shape from_shape = blocks({3, 2, 5, 4}, 7, 9, 8, 5); // 1260 pixels
    const Shape to_shape = columns(5, 42, 7, 30, 1);
    Bytes sent, before;
};

/// body(ring, tag) for every pair of kinds.
template <class Body> void around(Body body) {
    int salt = 0;
    for_each_pair([&](const EndKind &from, const EndKind &to) {
        Ring ring(from, to, salt++);
        body(ring, 10 + salt);
    });
}

} // namespace

RANK_CASE(verbs, send_recv, 2) {
    around([](Ring &ring, int tag) {
        MPI_Status status;
        const auto send = [&] { CHECK_OK(ring.out->send(ring.from_shape, next_rank(), tag)); };
        if (rank % 2 == 0)
            send();
        CHECK_OK(ring.in->recv(ring.to_shape, previous_rank(), tag, &status));
        if (rank % 2 == 1)
            send();
        ring.check(&status, tag);
    });
}

RANK_CASE(verbs, isend_irecv, 1) {
    around([](Ring &ring, int tag) {
        pixMPI_Request requests[2];
        MPI_Status statuses[2];
        CHECK_OK(ring.in->irecv(ring.to_shape, previous_rank(), tag, &requests[0]));
        CHECK_OK(ring.out->isend(ring.from_shape, next_rank(), tag, &requests[1]));
        NEED_OK(pixMPI_Waitall(2, requests, statuses));
        CHECK(requests[0] == PIXMPI_REQUEST_NULL && requests[1] == PIXMPI_REQUEST_NULL);
        ring.check(&statuses[0], tag);
    });
}

RANK_CASE(verbs, isend_before_recv, 1) {
    around([](Ring &ring, int tag) {
        pixMPI_Request request;
        MPI_Status status;
        CHECK_OK(ring.out->isend(ring.from_shape, next_rank(), tag, &request));
        CHECK_OK(ring.in->recv(ring.to_shape, MPI_ANY_SOURCE, MPI_ANY_TAG, &status));
        CHECK_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK(request == PIXMPI_REQUEST_NULL);
        ring.check(&status, tag);
        barrier(); // the next round's message could match the wildcards
    });
}

RANK_CASE(verbs, sendrecv, 1) {
    int salt = 0;
    for_each_pair([&](const EndKind &from, const EndKind &to) {
        if (std::string(from.api) != to.api)
            return;
        Ring ring(from, to, ++salt);
        MPI_Status status;
        CHECK_OK(
            ring.out->sendrecv(ring.from_shape, next_rank(), 5, *ring.in, ring.to_shape, previous_rank(), 5, &status));
        ring.check(&status, 5);
    });
}

RANK_CASE(verbs, sendrecv_replace, 1) {
    int salt = 0;
    for (const EndKind &kind : end_kinds())
        for (const pixMPI_Format format : formats_of_all()) {
            note("%s, %s", kind.name, pixMPI_Format_name(format));
            const auto end = kind.make(format, 64, 50);
            const auto seed = [&](int of) {
                return seed_of(7, static_cast<std::uint64_t>(of), static_cast<std::uint64_t>(salt));
            };
            const Bytes before = end->fill(seed(rank));
            const Shape shape = rows(3, 57, 2, 23, 2);
            MPI_Status status;
            CHECK_OK(end->sendrecv_replace(shape, next_rank(), 3, previous_rank(), 3, &status));
            CHECK_STATUS(status, previous_rank(), 3, shape.pixels(), format);
            Bytes expected = before;
            unpack(expected, 64, end->pixel_bytes, shape,
                   pack(pattern(end->bytes(), seed(previous_rank())), 64, end->pixel_bytes, shape));
            CHECK_PIXELS(end->read(), expected, 64, end->pixel_bytes);
            end->check_surroundings();
            ++salt;
        }
}

RANK_CASE(verbs, persistent, 1) {
    around([](Ring &ring, int tag) {
        pixMPI_Request requests[2];
        MPI_Status statuses[2];
        CHECK_OK(ring.in->recv_init(ring.to_shape, previous_rank(), tag, &requests[0]));
        CHECK_OK(ring.out->send_init(ring.from_shape, next_rank(), tag, &requests[1]));
        for (int turn = 0; turn < 3; ++turn) {
            CHECK_OK(pixMPI_Startall(2, requests));
            NEED_OK(pixMPI_Waitall(2, requests, statuses));
            CHECK(requests[0] != PIXMPI_REQUEST_NULL && requests[1] != PIXMPI_REQUEST_NULL);
            ring.check(&statuses[0], tag);
            ring.in->write(ring.before);
        }
        for (pixMPI_Request &request : requests) {
            CHECK_OK(pixMPI_Request_free(&request));
            CHECK(request == PIXMPI_REQUEST_NULL);
        }
    });
}

RANK_CASE(verbs, probe, 1) {
    around([](Ring &ring, int tag) {
        pixMPI_Request request;
        MPI_Status status;
        CHECK_OK(ring.out->isend(ring.from_shape, next_rank(), tag, &request));
        NEED_OK(pixMPI_Probe(previous_rank(), tag, world(), &status));
        CHECK_STATUS(status, previous_rank(), tag, ring.from_shape.pixels(), ring.format);
        int flag = 0;
        CHECK_OK(pixMPI_Iprobe(MPI_ANY_SOURCE, tag, world(), &flag, &status));
        CHECK_EQ(flag, 1);
        CHECK_OK(ring.in->recv(ring.to_shape, previous_rank(), tag, &status));
        CHECK_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
        ring.check(&status, tag);
        CHECK_OK(pixMPI_Iprobe(previous_rank(), tag, world(), &flag, MPI_STATUS_IGNORE));
        CHECK_EQ(flag, 0);
    });
}

RANK_CASE(verbs, test_until_done, 1) {
    around([](Ring &ring, int tag) {
        pixMPI_Request receive, send;
        MPI_Status status;
        CHECK_OK(ring.in->irecv(ring.to_shape, previous_rank(), tag, &receive));
        CHECK_OK(ring.out->isend(ring.from_shape, next_rank(), tag, &send));
        for (int sent = 0, received = 0; !sent || !received;) {
            if (!received)
                NEED_OK(pixMPI_Test(&receive, &received, &status));
            if (!sent)
                NEED_OK(pixMPI_Test(&send, &sent, MPI_STATUS_IGNORE));
        }
        CHECK(receive == PIXMPI_REQUEST_NULL && send == PIXMPI_REQUEST_NULL);
        ring.check(&status, tag);
    });
}

/// As in MPI, what is under way goes on to its end: more bands than slots.
RANK_CASE(verbs, communicator_freed_meanwhile, 1) {
    MPI_Comm comm = duplicate();
    NEED_OK(pixMPI_Comm_attach(comm, nullptr));
    constexpr int bytes = 40 << 20;
    Bytes out = pattern(bytes, static_cast<unsigned>(rank)), in(bytes);
    pixMPI_Request requests[2];
    NEED_OK(pixMPI_Irecv(pixMPI_Memory(in.data(), PIXMPI_R8, bytes, 1), PIXMPI_WHOLE, previous_rank(), 1, comm, &requests[0]));
    NEED_OK(pixMPI_Isend(pixMPI_Memory(out.data(), PIXMPI_R8, bytes, 1), PIXMPI_WHOLE, next_rank(), 1, comm, &requests[1]));
    MPI_Comm_free(&comm);
    NEED_OK(pixMPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    CHECK(in == pattern(bytes, static_cast<unsigned>(previous_rank())));
}

RANK_CASE(verbs, no_partner, 1) {
    for (const EndKind &kind : end_kinds()) {
        note("%s", kind.name);
        const auto end = kind.make(PIXMPI_RGBA8, 20, 10), other = kind.make(PIXMPI_RGBA8, 20, 10);
        const Bytes before = end->fill(4);
        MPI_Status status;
        const auto nothing = [&](int code) {
            CHECK_OK(code);
            CHECK_STATUS(status, MPI_PROC_NULL, MPI_ANY_TAG, 0, PIXMPI_RGBA8);
        };
        CHECK_OK(end->send(PIXMPI_WHOLE, MPI_PROC_NULL, 1));
        nothing(end->recv(PIXMPI_WHOLE, MPI_PROC_NULL, 1, &status));
        nothing(end->sendrecv(PIXMPI_WHOLE, MPI_PROC_NULL, 1, *other, PIXMPI_WHOLE, MPI_PROC_NULL, 1, &status));
        nothing(end->sendrecv_replace(PIXMPI_WHOLE, MPI_PROC_NULL, 1, MPI_PROC_NULL, 1, &status));
        nothing(pixMPI_Probe(MPI_PROC_NULL, 1, world(), &status));
        int flag = 0;
        nothing(pixMPI_Iprobe(MPI_PROC_NULL, 1, world(), &flag, &status));
        CHECK_EQ(flag, 1);
        pixMPI_Request requests[4];
        CHECK_OK(end->isend(PIXMPI_WHOLE, MPI_PROC_NULL, 1, &requests[0]));
        CHECK_OK(end->irecv(PIXMPI_WHOLE, MPI_PROC_NULL, 1, &requests[1]));
        CHECK_OK(end->send_init(PIXMPI_WHOLE, MPI_PROC_NULL, 1, &requests[2]));
        CHECK_OK(end->recv_init(PIXMPI_WHOLE, MPI_PROC_NULL, 1, &requests[3]));
        CHECK_OK(pixMPI_Wait(&requests[0], MPI_STATUS_IGNORE));
        nothing(pixMPI_Wait(&requests[1], &status));
        for (int turn = 0; turn < 2; ++turn) {
            CHECK_OK(pixMPI_Startall(2, requests + 2));
            CHECK_OK(pixMPI_Wait(&requests[2], MPI_STATUS_IGNORE));
            nothing(pixMPI_Wait(&requests[3], &status));
        }
        CHECK_OK(pixMPI_Request_free(&requests[2]));
        CHECK_OK(pixMPI_Request_free(&requests[3]));
        CHECK_PIXELS(end->read(), before, 20, 4);
    }
}

RANK_CASE(verbs, sendrecv_with_one_partner, 2) {
    // A line instead of a ring: the first receives from no rank, the last sends to no rank.
    const auto out = make_memory(PIXMPI_RGBA8, 300, 200), in = make_memory(PIXMPI_RGBA8, 300, 200);
    out->fill(seed_of(1, static_cast<std::uint64_t>(rank)));
    const Bytes before = in->fill(2);
    const int up = rank + 1 < size ? rank + 1 : MPI_PROC_NULL, down = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    MPI_Status status;
    CHECK_OK(out->sendrecv(PIXMPI_WHOLE, up, 1, *in, PIXMPI_WHOLE, down, 1, &status));
    CHECK_STATUS(status, down, rank > 0 ? 1 : MPI_ANY_TAG, rank > 0 ? 60000u : 0u, PIXMPI_RGBA8);
    CHECK_PIXELS(in->read(),
                 rank > 0 ? pattern(out->bytes(), seed_of(1, static_cast<std::uint64_t>(rank - 1))) : before, 300, 4);
}

// Memory of one colour may be kept compressed by a GPU, and others who read it must not get it so. Noise is not.
RANK_CASE(verbs, flat_pictures, 1) {
    constexpr int width = 256, height = 300;
    const auto picture = [](int of_rank, int turn) {
        Bytes pixels(std::size_t{width} * height * 4, static_cast<std::uint8_t>(17 * (of_rank + 1) + 5 * turn));
        const Bytes noise = pattern(pixels.size() / 3, seed_of(3, static_cast<std::uint64_t>(of_rank)));
        std::copy(noise.begin(), noise.end(), pixels.begin() + static_cast<std::ptrdiff_t>(noise.size()));
        return pixels;
    };
    for_each_pair([&](const EndKind &from, const EndKind &to) {
        note("%s to %s", from.name, to.name);
        const auto out = from.make(PIXMPI_RGBA8, width, height), in = to.make(PIXMPI_RGBA8, width, height);
        in->fill(4);
        for (int turn = 0; turn < 3; ++turn) {
            out->write(picture(rank, turn));
            pixMPI_Request requests[2];
            CHECK_OK(in->irecv(PIXMPI_WHOLE, previous_rank(), turn, &requests[0]));
            CHECK_OK(out->isend(PIXMPI_WHOLE, next_rank(), turn, &requests[1]));
            NEED_OK(pixMPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
            CHECK_PIXELS(in->read(), picture(previous_rank(), turn), width, 4);
        }
    });
}
