// The verbs of pixmpi_messages.h: sends that wait for their receive, probes that take the message, exchanges as one
// request.
#include "rig/traffic.h"

#include <pixmpi_messages.h>

using namespace api;

namespace {

constexpr std::size_t message_sizes[] = {0, 100, 5000, 70'000, 600'000};

/// The library moves along for a while.
void go_on() {
    for (int turn = 0; turn < 30; ++turn)
        CHECK_OK(pixMPI_Progress());
}

bool is_over(pixMPI_Request request) {
    int flag = -1;
    NEED_OK(pixMPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE));
    return flag != 0;
}

std::uint64_t seed(int of_rank, std::size_t number) { return seed_of(31, static_cast<std::uint64_t>(of_rank), number); }

} // namespace

RANK_CASE(messages, ssend_waits_for_the_receive, 1) {
    for (const std::size_t bytes : message_sizes)
        for (const bool is_persistent : {false, true}) {
            note("%zu bytes, %s", bytes, is_persistent ? "persistent" : "once");
            Bytes out = pattern(bytes, seed(rank, bytes)), in(bytes);
            pixMPI_Request sending = PIXMPI_REQUEST_NULL, receiving = PIXMPI_REQUEST_NULL;
            if (is_persistent)
                NEED_OK(pixMPI_Ssend_init(as_surface(out), PIXMPI_WHOLE, next_rank(), 3, world(), &sending));
            for (int turn = 0; turn < (is_persistent ? 2 : 1); ++turn) {
                NEED_OK(is_persistent
                            ? pixMPI_Start(&sending)
                            : pixMPI_Issend(as_surface(out), PIXMPI_WHOLE, next_rank(), 3, world(), &sending));
                go_on();
                CHECK(!is_over(sending));
                MPI_Status status;
                NEED_OK(pixMPI_Probe(previous_rank(), 3, world(), &status)); // a probe is no receive
                CHECK_STATUS(status, previous_rank(), 3, bytes, PIXMPI_R8);
                everywhere(0, true);
                go_on();
                CHECK(!is_over(sending));
                everywhere(0, true);
                NEED_OK(
                    pixMPI_Irecv(as_surface(in), PIXMPI_WHOLE, previous_rank(), 3, world(), &receiving));
                NEED_OK(pixMPI_Wait(&receiving, &status));
                NEED_OK(pixMPI_Wait(&sending, MPI_STATUS_IGNORE));
                CHECK_STATUS(status, previous_rank(), 3, bytes, PIXMPI_R8);
                CHECK(in == pattern(bytes, seed(previous_rank(), bytes)));
            }
            CHECK_EQ(sending != PIXMPI_REQUEST_NULL, is_persistent);
            if (is_persistent)
                CHECK_OK(pixMPI_Request_free(&sending));
        }
}

RANK_CASE(messages, ssend_between_ends, 1) {
    std::uint64_t salt = 0;
    for_each_pair([&](const EndKind &from, const EndKind &to) {
        note("%s to %s", from.name, to.name);
        const auto out = from.make(PIXMPI_RGBA8, 61, 47), in = to.make(PIXMPI_RGBA8, 61, 47);
        out->fill(seed(rank, ++salt));
        pixMPI_Request receiving;
        NEED_OK(pixMPI_Irecv(in->any(), PIXMPI_WHOLE, previous_rank(), 4, world(), &receiving));
        CHECK_OK(pixMPI_Ssend(out->any(), PIXMPI_WHOLE, next_rank(), 4, world()));
        NEED_OK(pixMPI_Wait(&receiving, MPI_STATUS_IGNORE));
        CHECK_PIXELS(in->read(), pattern(in->bytes(), seed(previous_rank(), salt)), 61, 4);
    });
}

RANK_CASE(messages, ssend_is_refused_or_goes_nowhere, 1) {
    Bytes out(100), small(50, 7);
    pixMPI_Request sending, receiving;
    CHECK_OK(pixMPI_Ssend(as_surface(out), PIXMPI_WHOLE, MPI_PROC_NULL, 3, world()));
    NEED_OK(pixMPI_Irecv(as_surface(small), PIXMPI_WHOLE, previous_rank(), 3, world(), &receiving));
    NEED_OK(pixMPI_Issend(as_surface(out), PIXMPI_WHOLE, next_rank(), 3, world(), &sending));
    CHECK_FAILS(pixMPI_Cancel(&sending), PIXMPI_ERR_REQUEST, "send cancelled");
    CHECK_EQ(pixMPI_Wait(&receiving, MPI_STATUS_IGNORE), PIXMPI_ERR_TRUNCATE);
    CHECK_OK(pixMPI_Wait(&sending, MPI_STATUS_IGNORE));
    CHECK(small == Bytes(50, 7));
    CHECK_FAILS(pixMPI_Issend(as_surface(out), PIXMPI_WHOLE, size, 3, world(), &sending), PIXMPI_ERR_RANK,
                "pixMPI_Issend dest");
    CHECK_FAILS(pixMPI_Issend(as_surface(out), PIXMPI_WHOLE, 0, 3, world(), nullptr), PIXMPI_ERR_ARGUMENT, "request");
    CHECK_FAILS(pixMPI_Ssend_init(as_surface(out), PIXMPI_REGION_NULL, 0, 3, world(), &sending), PIXMPI_ERR_REGION,
                "pixMPI_Ssend_init region");
}

RANK_CASE(messages, matched_probe_takes_the_message, 1) {
    for (const std::size_t bytes : message_sizes) {
        note("%zu bytes", bytes);
        Bytes first = pattern(bytes, seed(rank, 1)), second = pattern(200, seed(rank, 2)), in(bytes), other(200);
        pixMPI_Request sends[2];
        MPI_Status status;
        NEED_OK(pixMPI_Isend(as_surface(first), PIXMPI_WHOLE, next_rank(), 5, world(), &sends[0]));
        NEED_OK(pixMPI_Isend(as_surface(second), PIXMPI_WHOLE, next_rank(), 5, world(), &sends[1]));
        pixMPI_Message message = PIXMPI_MESSAGE_NULL;
        if (bytes % 200 == 0) {
            NEED_OK(pixMPI_Mprobe(previous_rank(), MPI_ANY_TAG, world(), &message, &status));
        } else {
            for (int flag = 0; !flag;)
                NEED_OK(pixMPI_Improbe(MPI_ANY_SOURCE, 5, world(), &flag, &message, &status));
        }
        CHECK_STATUS(status, previous_rank(), 5, bytes, PIXMPI_R8);
        // The next one is found by other receives, whatever they ask for.
        NEED_OK(pixMPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, world(), &status));
        CHECK_STATUS(status, previous_rank(), 5, 200, PIXMPI_R8);
        NEED_OK(pixMPI_Recv(as_surface(other), PIXMPI_WHOLE, MPI_ANY_SOURCE, MPI_ANY_TAG, world(), &status));
        CHECK(other == pattern(200, seed(previous_rank(), 2)));
        const pixMPI_Message handle = message;
        NEED_OK(pixMPI_Mrecv(as_surface(in), PIXMPI_WHOLE, &message, &status));
        CHECK(message == PIXMPI_MESSAGE_NULL);
        CHECK_STATUS(status, previous_rank(), 5, bytes, PIXMPI_R8);
        CHECK(in == pattern(bytes, seed(previous_rank(), 1)));
        message = handle;
        CHECK_FAILS(pixMPI_Mrecv(as_surface(in), PIXMPI_WHOLE, &message, &status), PIXMPI_ERR_ARGUMENT,
                    "message foreign or freed");
        NEED_OK(pixMPI_Waitall(2, sends, MPI_STATUSES_IGNORE));
    }
}

RANK_CASE(messages, matched_probe_between_ends, 1) {
    std::uint64_t salt = 0;
    for_each_pair([&](const EndKind &from, const EndKind &to) {
        note("%s to %s", from.name, to.name);
        const auto out = from.make(PIXMPI_RGBA8, 61, 47), in = to.make(PIXMPI_RGBA8, 61, 47);
        out->fill(seed(rank, ++salt));
        pixMPI_Request requests[2];
        pixMPI_Message message;
        NEED_OK(pixMPI_Isend(out->any(), PIXMPI_WHOLE, next_rank(), 6, world(), &requests[0]));
        NEED_OK(pixMPI_Mprobe(MPI_ANY_SOURCE, 6, world(), &message, MPI_STATUS_IGNORE));
        NEED_OK(pixMPI_Imrecv(in->any(), PIXMPI_WHOLE, &message, &requests[1]));
        NEED_OK(pixMPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        CHECK_PIXELS(in->read(), pattern(in->bytes(), seed(previous_rank(), salt)), 61, 4);
    });
}

/// Every rank has messages from all, and takes them in any order.
RANK_CASE(messages, many_matched_at_once, 1) {
    constexpr int count = 12;
    std::vector<Sender> senders;
    for (int other = 0; other < size; ++other)
        senders.emplace_back(other, count, 3, [](int number) { return number % 4; });
    const auto send = [&] {
        bool more = false;
        for (Sender &sender : senders)
            more |= sender.go_on();
        return more;
    };
    struct Taken {
        pixMPI_Message message = PIXMPI_MESSAGE_NULL;
        MPI_Status status;
    };
    std::vector<Taken> all;
    std::vector<int> next(static_cast<std::size_t>(size), 0);
    for (int done = 0; done < count * size;) {
        send();
        Taken one;
        int flag = 0;
        NEED_OK(pixMPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, world(), &flag, &one.message, &one.status));
        if (flag)
            all.push_back(one);
        if (flag ? all.size() < 3 : all.empty())
            continue;
        Taken chosen = all.back();
        all.pop_back();
        Bytes memory(Parcel::most);
        MPI_Status status;
        pixMPI_Request request;
        NEED_OK(pixMPI_Imrecv(as_surface(memory), PIXMPI_WHOLE, &chosen.message, &request));
        for (int over = 0; !over; send())
            NEED_OK(pixMPI_Test(&request, &over, &status));
        check_parcel(memory, status);
        CHECK_EQ(status.MPI_SOURCE, chosen.status.MPI_SOURCE);
        ++done;
    }
    while (send()) {
    }
}

RANK_CASE(messages, matched_by_nobody, 1) {
    Bytes memory(10, 9);
    MPI_Status status;
    pixMPI_Message message = reinterpret_cast<pixMPI_Message>(77);
    int flag = -1;
    NEED_OK(pixMPI_Improbe(MPI_ANY_SOURCE, 19, world(), &flag, &message, &status));
    CHECK_EQ(flag, 0);
    CHECK(message == reinterpret_cast<pixMPI_Message>(77));
    for (const bool waits : {true, false}) {
        flag = waits;
        NEED_OK(waits ? pixMPI_Mprobe(MPI_PROC_NULL, 3, world(), &message, &status)
                      : pixMPI_Improbe(MPI_PROC_NULL, 3, world(), &flag, &message, &status));
        CHECK_EQ(flag, 1);
        CHECK(message == PIXMPI_MESSAGE_NO_PROC);
        CHECK_STATUS(status, MPI_PROC_NULL, MPI_ANY_TAG, 0, PIXMPI_R8);
        pixMPI_Request request = PIXMPI_REQUEST_NULL;
        NEED_OK(waits ? pixMPI_Mrecv(as_surface(memory), PIXMPI_WHOLE, &message, &status)
                      : pixMPI_Imrecv(as_surface(memory), PIXMPI_WHOLE, &message, &request));
        CHECK(message == PIXMPI_MESSAGE_NULL);
        if (!waits)
            NEED_OK(pixMPI_Wait(&request, &status));
        CHECK_STATUS(status, MPI_PROC_NULL, MPI_ANY_TAG, 0, PIXMPI_R8);
        CHECK(memory == Bytes(10, 9));
    }
    CHECK_FAILS(pixMPI_Mrecv(as_surface(memory), PIXMPI_WHOLE, &message, &status), PIXMPI_ERR_ARGUMENT,
                "message PIXMPI_MESSAGE_NULL");
    CHECK_FAILS(pixMPI_Mrecv(as_surface(memory), PIXMPI_WHOLE, nullptr, &status), PIXMPI_ERR_ARGUMENT, "message null");
    CHECK_FAILS(pixMPI_Mprobe(0, 3, world(), nullptr, &status), PIXMPI_ERR_ARGUMENT, "message null");
    CHECK_FAILS(pixMPI_Improbe(0, 3, world(), nullptr, &message, &status), PIXMPI_ERR_ARGUMENT, "flag null");
    CHECK_FAILS(pixMPI_Mprobe(size, 3, world(), &message, &status), PIXMPI_ERR_RANK, "source");
}

RANK_CASE(messages, matched_and_refused, 1) {
    for (const std::size_t bytes : {std::size_t{100}, std::size_t{300'000}}) {
        Bytes out = pattern(bytes, seed(rank, bytes)), in(bytes), small(bytes - 1, 5);
        const Shape outside = rectangle(1, 0, static_cast<int>(bytes), 1);
        pixMPI_Request sending, request = PIXMPI_REQUEST_NULL;
        pixMPI_Message message;
        const auto match = [&] {
            NEED_OK(pixMPI_Isend(as_surface(out), PIXMPI_WHOLE, next_rank(), 7, world(), &sending));
            NEED_OK(pixMPI_Mprobe(previous_rank(), 7, world(), &message, MPI_STATUS_IGNORE));
        };
        match(); // wrong arguments leave the message for another call
        const pixMPI_Message handle = message;
        CHECK_FAILS(pixMPI_Mrecv(as_surface(in), outside, &message, MPI_STATUS_IGNORE), PIXMPI_ERR_REGION, "region");
        CHECK_FAILS(pixMPI_Imrecv(as_surface(in), PIXMPI_WHOLE, &message, nullptr), PIXMPI_ERR_ARGUMENT, "request");
        CHECK(message == handle);
        NEED_OK(pixMPI_Imrecv(as_surface(in), PIXMPI_WHOLE, &message, &request));
        CHECK_OK(pixMPI_Cancel(&request)); // too late
        MPI_Status status;
        int cancelled = 1;
        NEED_OK(pixMPI_Wait(&request, &status));
        MPI_Test_cancelled(&status, &cancelled);
        CHECK_EQ(cancelled, 0);
        CHECK(in == pattern(bytes, seed(previous_rank(), bytes)));
        NEED_OK(pixMPI_Wait(&sending, MPI_STATUS_IGNORE));
        match(); // one that does not fit is consumed
        NEED_OK(pixMPI_Imrecv(as_surface(small), PIXMPI_WHOLE, &message, &request));
        CHECK(message == PIXMPI_MESSAGE_NULL);
        CHECK_EQ(pixMPI_Wait(&request, &status), PIXMPI_ERR_TRUNCATE);
        CHECK(small == Bytes(bytes - 1, 5));
        const int code = pixMPI_Wait(&sending, MPI_STATUS_IGNORE);
        CHECK(code == PIXMPI_SUCCESS || code == PIXMPI_ERR_PEER);
    }
}

RANK_CASE(messages, isendrecv, 1) {
    std::uint64_t salt = 0;
    for_each_pair([&](const EndKind &from, const EndKind &to) {
        note("%s to %s", from.name, to.name);
        const auto out = from.make(PIXMPI_RGBA8, 61, 47), in = to.make(PIXMPI_RGBA8, 61, 47);
        const Bytes mine = out->fill(seed(rank, ++salt));
        pixMPI_Request request;
        MPI_Status status;
        NEED_OK(pixMPI_Isendrecv(out->any(), PIXMPI_WHOLE, next_rank(), 8, in->any(), PIXMPI_WHOLE, previous_rank(), 8,
                                 world(), &request));
        CHECK_FAILS(pixMPI_Cancel(&request), PIXMPI_ERR_REQUEST, "cancelled");
        NEED_OK(pixMPI_Wait(&request, &status));
        CHECK(request == PIXMPI_REQUEST_NULL);
        CHECK_STATUS(status, previous_rank(), 8, std::size_t{61} * 47, PIXMPI_RGBA8);
        CHECK_PIXELS(in->read(), pattern(in->bytes(), seed(previous_rank(), salt)), 61, 4);
        NEED_OK(pixMPI_Isendrecv_replace(out->any(), PIXMPI_WHOLE, next_rank(), 8, previous_rank(), 8, world(),
                                         &request));
        NEED_OK(pixMPI_Wait(&request, &status));
        CHECK_STATUS(status, previous_rank(), 8, std::size_t{61} * 47, PIXMPI_RGBA8);
        CHECK_PIXELS(out->read(), pattern(mine.size(), seed(previous_rank(), salt)), 61, 4);
    });
}

RANK_CASE(messages, isendrecv_many_at_once, 1) {
    constexpr std::size_t count = std::size(message_sizes);
    std::vector<Bytes> blocks;
    pixMPI_Request requests[count];
    for (std::size_t i = 0; i < count; ++i)
        blocks.push_back(pattern(message_sizes[i], seed(rank, i)));
    for (std::size_t i = 0; i < count; ++i)
        NEED_OK(pixMPI_Isendrecv_replace(as_surface(blocks[i]), PIXMPI_WHOLE, next_rank(), static_cast<int>(i),
                                         previous_rank(), static_cast<int>(i), world(), &requests[i]));
    NEED_OK(pixMPI_Waitall(count, requests, MPI_STATUSES_IGNORE));
    for (std::size_t i = 0; i < count; ++i)
        CHECK(blocks[i] == pattern(message_sizes[i], seed(previous_rank(), i)));
}

RANK_CASE(messages, isendrecv_with_nobody, 1) {
    Bytes out = pattern(100, seed(rank, 0)), in(100, 3);
    pixMPI_Request request;
    MPI_Status status;
    NEED_OK(pixMPI_Isendrecv(as_surface(out), PIXMPI_WHOLE, MPI_PROC_NULL, 1, as_surface(in), PIXMPI_WHOLE,
                             MPI_PROC_NULL, 1, world(), &request));
    NEED_OK(pixMPI_Wait(&request, &status));
    CHECK_STATUS(status, MPI_PROC_NULL, MPI_ANY_TAG, 0, PIXMPI_R8);
    CHECK(in == Bytes(100, 3));
    NEED_OK(pixMPI_Isendrecv_replace(as_surface(in), PIXMPI_WHOLE, rank ? MPI_PROC_NULL : size - 1, 2,
                                     rank == size - 1 ? 0 : MPI_PROC_NULL, MPI_ANY_TAG, world(), &request));
    NEED_OK(pixMPI_Wait(&request, &status));
    if (rank == size - 1)
        CHECK_STATUS(status, 0, 2, 100, PIXMPI_R8);
    CHECK(in == Bytes(100, 3));
}

RANK_CASE(messages, isendrecv_that_fails, 1) {
    Bytes out = pattern(100, seed(rank, 0)), small(50, 3);
    pixMPI_Request request = PIXMPI_REQUEST_NULL;
    NEED_OK(pixMPI_Isendrecv(as_surface(out), PIXMPI_WHOLE, next_rank(), 1, as_surface(small), PIXMPI_WHOLE,
                             previous_rank(), 1, world(), &request));
    CHECK_EQ(pixMPI_Wait(&request, MPI_STATUS_IGNORE), PIXMPI_ERR_TRUNCATE);
    CHECK(request == PIXMPI_REQUEST_NULL);
    CHECK(small == Bytes(50, 3));
    CHECK_FAILS(pixMPI_Isendrecv(as_surface(out), PIXMPI_WHOLE, 0, -3, as_surface(small), PIXMPI_WHOLE, 0, 1, world(),
                                 &request),
                PIXMPI_ERR_TAG, "pixMPI_Isendrecv tag");
    CHECK_FAILS(pixMPI_Isendrecv(as_surface(out), PIXMPI_WHOLE, 0, 1, as_surface(small), PIXMPI_WHOLE, size, 1,
                                 world(), &request),
                PIXMPI_ERR_RANK, "source");
    CHECK_FAILS(pixMPI_Isendrecv_replace(as_surface(out), PIXMPI_WHOLE, 0, 1, 0, 1, world(), nullptr),
                PIXMPI_ERR_ARGUMENT, "request");
    CHECK(request == PIXMPI_REQUEST_NULL);
}
