// Wait, Test and their relatives: what they return, what they leave in handles and statuses.
#include "rig/traffic.h"

#include <algorithm>
#include <pixmpi_collectives.h>
#include <pixmpi_messages.h>
#include <utility>

using namespace api;

namespace {

constexpr int count = 8;
constexpr std::size_t longest = 200'000;

std::size_t bytes_of(int i) { return i % 2 ? longest - static_cast<std::size_t>(i) : 10 + static_cast<std::size_t>(i); }

/// Receives from rank 0 in all other ranks, tags 0 .. count-1, some small and some large.
struct Receives {
    Receives() {
        for (int i = 0; i < count; ++i) {
            memory[i].resize(bytes_of(i));
            CHECK_OK(pixMPI_Irecv(as_surface(memory[i]), PIXMPI_WHOLE, 0, i, world(), &requests[i]));
        }
    }
    void check(int i, const MPI_Status &status) {
        CHECK_STATUS(status, 0, i, bytes_of(i), PIXMPI_R8);
        CHECK_PIXELS(memory[i], pattern(bytes_of(i), static_cast<std::uint64_t>(i)), static_cast<int>(bytes_of(i)), 1);
        CHECK(requests[i] == PIXMPI_REQUEST_NULL);
    }
    Bytes memory[count];
    pixMPI_Request requests[count];
};

void send_to_others(int i) {
    Bytes content = pattern(bytes_of(i), static_cast<std::uint64_t>(i));
    for (int other = 1; other < size; ++other)
        CHECK_OK(pixMPI_Send(as_surface(content), PIXMPI_WHOLE, other, i, world()));
}

/// A status that a call must have written over.
MPI_Status dirty() {
    MPI_Status status;
    std::memset(&status, 0x55, sizeof status);
    return status;
}

void check_empty(const MPI_Status &status) {
    int bytes = -1, cancelled = 1;
    CHECK_EQ(status.MPI_SOURCE, MPI_ANY_SOURCE);
    CHECK_EQ(status.MPI_TAG, MPI_ANY_TAG);
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    CHECK_EQ(bytes, 0);
    MPI_Test_cancelled(&status, &cancelled);
    CHECK_EQ(cancelled, 0);
}

/// Null and inactive requests: nothing of them is to come.
void check_all_inactive(int requests_count, pixMPI_Request requests[]) {
    int flag = 0, index = 0, outcount = 0, indices[3];
    MPI_Status status = dirty(), statuses[3];
    CHECK_OK(pixMPI_Testany(requests_count, requests, &index, &flag, &status));
    CHECK_EQ(flag, 1);
    CHECK_EQ(index, MPI_UNDEFINED);
    check_empty(status);
    CHECK_OK(pixMPI_Testsome(requests_count, requests, &outcount, indices, statuses));
    CHECK_EQ(outcount, MPI_UNDEFINED);
    for (int i = 0; i < requests_count; ++i) {
        status = dirty();
        flag = 0;
        CHECK_OK(pixMPI_Request_get_status(requests[i], &flag, &status));
        CHECK_EQ(flag, 1);
        check_empty(status);
    }
}

/// A message that its receiver refuses: a small one has left already, a large one is given up by the other side.
void check_refused_send(int code, bool refused) {
    if (!refused || code != PIXMPI_ERR_PEER)
        CHECK_OK(code);
}

} // namespace

RANK_CASE(completion, null_requests, 1) {
    pixMPI_Request requests[3] = {PIXMPI_REQUEST_NULL, PIXMPI_REQUEST_NULL, PIXMPI_REQUEST_NULL};
    MPI_Status status = dirty(), statuses[3] = {dirty(), dirty(), dirty()};
    int flag = 0, index = 0, outcount = 0, indices[3];
    CHECK_OK(pixMPI_Wait(&requests[0], &status));
    check_empty(status);
    status = dirty();
    CHECK_OK(pixMPI_Test(&requests[0], &flag, &status));
    CHECK_EQ(flag, 1);
    check_empty(status);
    CHECK_OK(pixMPI_Waitall(3, requests, statuses));
    for (MPI_Status &each : statuses)
        check_empty(std::exchange(each, dirty()));
    flag = 0;
    CHECK_OK(pixMPI_Testall(3, requests, &flag, statuses));
    CHECK_EQ(flag, 1);
    for (const MPI_Status &each : statuses)
        check_empty(each);
    status = dirty();
    CHECK_OK(pixMPI_Waitany(3, requests, &index, &status));
    CHECK_EQ(index, MPI_UNDEFINED);
    check_empty(status);
    CHECK_OK(pixMPI_Waitsome(3, requests, &outcount, indices, statuses));
    CHECK_EQ(outcount, MPI_UNDEFINED);
    check_all_inactive(3, requests);
    CHECK_OK(pixMPI_Waitall(0, nullptr, nullptr));
    CHECK_OK(pixMPI_Testall(0, nullptr, &flag, nullptr));
    CHECK_EQ(flag, 1);
    CHECK_OK(pixMPI_Waitany(0, nullptr, &index, MPI_STATUS_IGNORE));
    CHECK_EQ(index, MPI_UNDEFINED);
    CHECK_OK(pixMPI_Waitsome(0, nullptr, &outcount, nullptr, nullptr));
    CHECK_EQ(outcount, MPI_UNDEFINED);
    check_all_inactive(0, nullptr);
    CHECK_OK(pixMPI_Startall(0, nullptr));
}

RANK_CASE(completion, inactive_requests, 1) {
    Bytes memory(100);
    pixMPI_Request requests[2];
    CHECK_OK(pixMPI_Recv_init(as_surface(memory), PIXMPI_WHOLE, previous_rank(), 1, world(), &requests[0]));
    CHECK_OK(pixMPI_Send_init(as_surface(memory), PIXMPI_WHOLE, next_rank(), 1, world(), &requests[1]));
    MPI_Status status = dirty(), statuses[2] = {dirty(), dirty()};
    int flag = 0, index = 0, outcount = 0, indices[2];
    CHECK_OK(pixMPI_Wait(&requests[0], &status));
    check_empty(status);
    CHECK_OK(pixMPI_Test(&requests[1], &flag, MPI_STATUS_IGNORE));
    CHECK_EQ(flag, 1);
    CHECK_OK(pixMPI_Waitall(2, requests, statuses));
    check_empty(statuses[0]);
    check_empty(statuses[1]);
    CHECK_OK(pixMPI_Waitany(2, requests, &index, &status));
    CHECK_EQ(index, MPI_UNDEFINED);
    CHECK_OK(pixMPI_Waitsome(2, requests, &outcount, indices, statuses));
    CHECK_EQ(outcount, MPI_UNDEFINED);
    check_all_inactive(2, requests);
    for (pixMPI_Request &request : requests) {
        CHECK(request != PIXMPI_REQUEST_NULL);
        CHECK_OK(pixMPI_Request_free(&request));
    }
}

RANK_CASE(completion, wait_any, 2) {
    if (rank == 0) {
        for (int i : {5, 2, 7, 0, 1, 6, 3, 4})
            send_to_others(i);
        return;
    }
    Receives receives;
    bool seen[count] = {};
    for (int turn = 0; turn < count; ++turn) {
        int index = -5;
        MPI_Status status;
        NEED_OK(pixMPI_Waitany(count, receives.requests, &index, &status));
        NEED(index >= 0 && index < count && !seen[index]);
        seen[index] = true;
        receives.check(index, status);
    }
    int index = 0;
    CHECK_OK(pixMPI_Waitany(count, receives.requests, &index, MPI_STATUS_IGNORE));
    CHECK_EQ(index, MPI_UNDEFINED);
}

RANK_CASE(completion, wait_any_takes_the_one_that_came, 2) {
    // Only the last request has a partner; the others come once it has been seen.
    Bytes word(1);
    if (rank == 0) {
        send_to_others(count - 1);
        for (int other = 1; other < size; ++other)
            CHECK_OK(pixMPI_Recv(as_surface(word), PIXMPI_WHOLE, other, 99, world(), MPI_STATUS_IGNORE));
        for (int i = 0; i < count - 1; ++i)
            send_to_others(i);
        return;
    }
    Receives receives;
    int index = -1, flag = 1;
    MPI_Status status, statuses[count];
    NEED_OK(pixMPI_Waitany(count, receives.requests, &index, &status));
    CHECK_EQ(index, count - 1);
    receives.check(count - 1, status);
    CHECK_OK(pixMPI_Testall(count, receives.requests, &flag, statuses));
    CHECK_EQ(flag, 0);
    for (int i = 0; i < count - 1; ++i)
        CHECK(receives.requests[i] != PIXMPI_REQUEST_NULL);
    CHECK_OK(pixMPI_Send(as_surface(word), PIXMPI_WHOLE, 0, 99, world()));
    while (!flag)
        NEED_OK(pixMPI_Testall(count, receives.requests, &flag, statuses));
    for (int i = 0; i < count - 1; ++i)
        receives.check(i, statuses[i]);
    check_empty(statuses[count - 1]);
}

RANK_CASE(completion, wait_some, 2) {
    if (rank == 0) {
        for (int i : {1, 0, 3, 2, 5, 4, 7, 6})
            send_to_others(i);
        return;
    }
    Receives receives;
    bool seen[count] = {};
    for (int done = 0; done < count;) {
        int outcount = -5, indices[count];
        MPI_Status statuses[count];
        NEED_OK(pixMPI_Waitsome(count, receives.requests, &outcount, indices, statuses));
        NEED(outcount >= 1 && outcount <= count - done);
        for (int i = 0; i < outcount; ++i) {
            NEED(indices[i] >= 0 && indices[i] < count && !seen[indices[i]]);
            seen[indices[i]] = true;
            receives.check(indices[i], statuses[i]);
        }
        done += outcount;
    }
}

RANK_CASE(completion, test_any_and_some, 2) {
    if (rank == 0) {
        barrier();
        for (int i : {1, 0, 3, 2, 5, 4, 7, 6})
            send_to_others(i);
        return;
    }
    Receives receives;
    int flag = -5, index = -5, outcount = -5, indices[count];
    MPI_Status status, statuses[count];
    NEED_OK(pixMPI_Testany(count, receives.requests, &index, &flag, &status));
    CHECK_EQ(flag, 0);
    CHECK_EQ(index, MPI_UNDEFINED);
    NEED_OK(pixMPI_Testsome(count, receives.requests, &outcount, indices, statuses));
    CHECK_EQ(outcount, 0);
    NEED_OK(pixMPI_Request_get_status(receives.requests[0], &flag, &status));
    CHECK_EQ(flag, 0);
    barrier();
    bool seen[count] = {};
    for (int done = 0; done < count;) {
        note("%d are over", done);
        NEED_OK(pixMPI_Testany(count, receives.requests, &index, &flag, &status));
        if (flag) {
            NEED(index >= 0 && index < count && !std::exchange(seen[index], true));
            receives.check(index, status);
            ++done;
        }
        NEED_OK(pixMPI_Testsome(count, receives.requests, &outcount, indices, statuses));
        CHECK_EQ(outcount == MPI_UNDEFINED, done == count);
        for (int i = 0; i < outcount; ++i, ++done) {
            NEED(indices[i] >= 0 && indices[i] < count && !std::exchange(seen[indices[i]], true));
            receives.check(indices[i], statuses[i]);
        }
    }
}

/// It tells what there is to tell, as often as it is asked, and leaves the request to be completed.
RANK_CASE(completion, get_status, 1) {
    Bytes out = pattern(300, 4), in(300), small(200);
    for (const bool fits : {true, false}) {
        pixMPI_Request receiving, sending;
        NEED_OK(pixMPI_Recv_init(as_surface(fits ? in : small), PIXMPI_WHOLE, previous_rank(), 4, world(), &receiving));
        NEED_OK(pixMPI_Start(&receiving));
        NEED_OK(pixMPI_Isend(as_surface(out), PIXMPI_WHOLE, next_rank(), 4, world(), &sending));
        const int expected = fits ? PIXMPI_SUCCESS : PIXMPI_ERR_TRUNCATE;
        MPI_Status status;
        for (int turn = 0; turn < 2; ++turn) {
            int flag = 0, code = PIXMPI_SUCCESS;
            while (!flag && !code)
                code = pixMPI_Request_get_status(receiving, &flag, &status);
            CHECK_EQ(flag, 1);
            CHECK_EQ(code, expected);
            if (fits)
                CHECK_STATUS(status, previous_rank(), 4, 300, PIXMPI_R8);
        }
        CHECK_FAILS(pixMPI_Start(&receiving), PIXMPI_ERR_REQUEST, "active"); // it is to be completed first
        CHECK_EQ(pixMPI_Wait(&receiving, &status), expected);
        NEED_OK(pixMPI_Wait(&sending, MPI_STATUS_IGNORE));
        CHECK_OK(pixMPI_Request_free(&receiving));
    }
    int flag = 0;
    CHECK_FAILS(pixMPI_Request_get_status(PIXMPI_REQUEST_NULL, nullptr, MPI_STATUS_IGNORE), PIXMPI_ERR_ARGUMENT,
                "flag");
    CHECK_FAILS(pixMPI_Request_get_status(reinterpret_cast<pixMPI_Request>(4711), &flag, MPI_STATUS_IGNORE),
                PIXMPI_ERR_REQUEST, "request foreign");
}

/// Messages, collectives and copies in one list.
RANK_CASE(completion, all_kinds_by_tests, 1) {
    Bytes from = pattern(70'000, 5), to(70'000), in(70'000);
    pixMPI_Request requests[4];
    NEED_OK(pixMPI_Ibarrier(world(), &requests[0]));
    NEED_OK(pixMPI_Icopy(as_surface(from), PIXMPI_WHOLE, as_surface(to), PIXMPI_WHOLE, &requests[1]));
    NEED_OK(pixMPI_Irecv(as_surface(in), PIXMPI_WHOLE, previous_rank(), 6, world(), &requests[2]));
    NEED_OK(pixMPI_Isend(as_surface(from), PIXMPI_WHOLE, next_rank(), 6, world(), &requests[3]));
    for (pixMPI_Request request : requests)
        for (int flag = 0; !flag;)
            NEED_OK(pixMPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE));
    int index = -1, flag = 0, outcount = 0, indices[4];
    NEED_OK(pixMPI_Testany(4, requests, &index, &flag, MPI_STATUS_IGNORE));
    CHECK_EQ(flag, 1);
    CHECK_EQ(index, 0);
    NEED_OK(pixMPI_Testsome(4, requests, &outcount, indices, MPI_STATUSES_IGNORE));
    CHECK_EQ(outcount, 3);
    CHECK(std::all_of(requests, requests + 4, [](auto one) { return one == PIXMPI_REQUEST_NULL; }));
    CHECK(to == from && in == from);
}

RANK_CASE(completion, test_all_or_none, 2) {
    if (rank == 0) {
        for (int i = count; i-- > 0;)
            send_to_others(i);
        return;
    }
    Receives receives;
    MPI_Status statuses[count];
    for (int flag = 0; !flag;) {
        NEED_OK(pixMPI_Testall(count, receives.requests, &flag, statuses));
        if (!flag)
            CHECK(std::all_of(receives.requests, receives.requests + count,
                              [](auto r) { return r != PIXMPI_REQUEST_NULL; }));
    }
    for (int i = 0; i < count; ++i)
        receives.check(i, statuses[i]);
}

RANK_CASE(completion, statuses_ignored, 2) {
    if (rank == 0) {
        for (int i = 0; i < count; ++i)
            send_to_others(i);
        return;
    }
    Receives receives;
    NEED_OK(pixMPI_Waitall(count, receives.requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < count; ++i) {
        CHECK(receives.requests[i] == PIXMPI_REQUEST_NULL);
        CHECK_PIXELS(receives.memory[i], pattern(bytes_of(i), static_cast<std::uint64_t>(i)),
                     static_cast<int>(bytes_of(i)), 1);
    }
}

RANK_CASE(completion, one_error_in_a_list, 2) {
    // The receive in the middle is too short: it alone fails, whatever it is waited for with.
    for (int way = 0; way < 3; ++way)
        for (std::size_t bytes : {64, 300'000}) {
            note("way %d, %zu bytes", way, bytes);
            Bytes in[3] = {Bytes(bytes), Bytes(bytes - 1, 7), Bytes(bytes)};
            if (rank == 0) {
                Bytes out = pattern(bytes, 8);
                for (int other = 1; other < size; ++other)
                    for (int tag = 0; tag < 3; ++tag)
                        check_refused_send(pixMPI_Send(as_surface(out), PIXMPI_WHOLE, other, tag, world()), tag == 1);
                continue;
            }
            pixMPI_Request requests[3];
            for (int tag = 0; tag < 3; ++tag)
                CHECK_OK(pixMPI_Irecv(as_surface(in[tag]), PIXMPI_WHOLE, 0, tag, world(), &requests[tag]));
            MPI_Status statuses[3];
            int codes[3] = {-1, -1, -1};
            if (way == 0) {
                CHECK_FAILS(pixMPI_Waitall(3, requests, statuses), PIXMPI_ERR_STATUS, "region");
                for (int i = 0; i < 3; ++i)
                    codes[i] = pixMPI_Status_error(&statuses[i]);
            }
            for (int flag = 0; way == 1 && !flag;) {
                const int code = pixMPI_Testall(3, requests, &flag, statuses);
                if (flag || code)
                    CHECK_FAILS(code, PIXMPI_ERR_STATUS, "region");
                for (int i = 0; flag && i < 3; ++i)
                    codes[i] = pixMPI_Status_error(&statuses[i]);
            }
            for (int turn = 0; way == 2 && turn < 3; ++turn) {
                int index = -1;
                const int code = pixMPI_Waitany(3, requests, &index, &statuses[0]);
                NEED(index >= 0 && index < 3);
                codes[index] = code;
            }
            for (int i = 0; i < 3; ++i)
                if (codes[i] == PIXMPI_ERR_PENDING)
                    codes[i] = pixMPI_Wait(&requests[i], MPI_STATUS_IGNORE);
            CHECK_EQ(codes[0], PIXMPI_SUCCESS);
            CHECK_EQ(codes[1], PIXMPI_ERR_TRUNCATE);
            CHECK_EQ(codes[2], PIXMPI_SUCCESS);
            CHECK_PIXELS(in[0], pattern(bytes, 8), static_cast<int>(bytes), 1);
            CHECK_PIXELS(in[1], Bytes(bytes - 1, 7), static_cast<int>(bytes - 1), 1);
            for (pixMPI_Request request : requests)
                CHECK(request == PIXMPI_REQUEST_NULL);
        }
}
