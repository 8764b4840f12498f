// Two threads in the library at once.
#include "rig/traffic.h"

#include <atomic>
#include <thread>

using namespace api;

namespace {

/// Messages of all sizes around the ring with this tag; the number of wrong ones.
int ping(MPI_Comm comm, int tag, int count) {
    int wrong = 0;
    for (int i = 0; i < count; ++i) {
        const std::size_t bytes = i % 5 == 4 ? 600'000 : 50 + static_cast<std::size_t>(i);
        const auto seed = [&](int of) {
            return seed_of(static_cast<std::uint64_t>(of), static_cast<std::uint64_t>(tag),
                           static_cast<std::uint64_t>(i));
        };
        Bytes out = pattern(bytes, seed(rank)), in(bytes);
        MPI_Status status;
        const int code = pixMPI_Sendrecv(as_surface(out), PIXMPI_WHOLE, next_rank(), tag, as_surface(in), PIXMPI_WHOLE,
                                         previous_rank(), tag, comm, &status);
        wrong += code != PIXMPI_SUCCESS || status.MPI_TAG != tag || in != pattern(bytes, seed(previous_rank()));
    }
    return wrong;
}

void in_two_threads(MPI_Comm first, MPI_Comm second, int second_tag) {
    std::atomic<int> wrong{0};
    std::thread other([&] { wrong += ping(second, second_tag, 150); });
    wrong += ping(first, 1, 150);
    other.join();
    CHECK_EQ(wrong.load(), 0);
}

} // namespace

RANK_CASE(threads, on_one_communicator, 1) {
    NEED(threads >= MPI_THREAD_SERIALIZED);
    in_two_threads(world(), world(), 2);
}

RANK_CASE(threads, on_two_communicators, 1) {
    NEED(threads >= MPI_THREAD_SERIALIZED);
    MPI_Comm other = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    CHECK_OK(pixMPI_Comm_attach(other, nullptr));
    in_two_threads(world(), other, 1);
    MPI_Comm_free(&other);
}

RANK_CASE(threads, communicators_that_come_and_go, 1) {
    // The program frees them in a call of MPI, and the library notices it there.
    if (threads < MPI_THREAD_MULTIPLE)
        return leave_out("MPI is called by two threads at once");
    std::atomic<int> wrong{0};
    std::thread other([&] { wrong += ping(world(), 2, 100); });
    for (int turn = 0; turn < 20; ++turn) {
        MPI_Comm comm = duplicate();
        wrong += pixMPI_Comm_attach(comm, nullptr) != PIXMPI_SUCCESS;
        wrong += ping(comm, 1, 3);
        if (turn % 2)
            wrong += pixMPI_Comm_detach(comm) != PIXMPI_SUCCESS;
        MPI_Comm_free(&comm);
    }
    other.join();
    CHECK_EQ(wrong.load(), 0);
}

RANK_CASE(threads, one_waits_while_the_other_sends, 1) {
    // The receive blocks until the other thread of the same rank, or of the previous one, gets in and sends.
    NEED(threads >= MPI_THREAD_SERIALIZED);
    for (std::size_t bytes : {10, 1'000'000}) {
        Bytes out = pattern(bytes, 1), in(bytes);
        int code = -1;
        std::thread receiver(
            [&] { code = pixMPI_Recv(as_surface(in), PIXMPI_WHOLE, previous_rank(), 3, world(), MPI_STATUS_IGNORE); });
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        CHECK_OK(pixMPI_Send(as_surface(out), PIXMPI_WHOLE, next_rank(), 3, world()));
        receiver.join();
        CHECK_EQ(code, PIXMPI_SUCCESS);
        CHECK(in == out);
    }
}

RANK_CASE(threads, request_of_another_thread, 1) {
    NEED(threads >= MPI_THREAD_SERIALIZED);
    Bytes out = pattern(700'000, 1), in(700'000);
    pixMPI_Request requests[2];
    CHECK_OK(pixMPI_Irecv(as_surface(in), PIXMPI_WHOLE, previous_rank(), 3, world(), &requests[0]));
    CHECK_OK(pixMPI_Isend(as_surface(out), PIXMPI_WHOLE, next_rank(), 3, world(), &requests[1]));
    int code = -1;
    std::thread([&] { code = pixMPI_Waitall(2, requests, MPI_STATUSES_IGNORE); }).join();
    CHECK_EQ(code, PIXMPI_SUCCESS);
    CHECK(in == out);
}

RANK_CASE(threads, errors_are_each_thread_s_own, 1) {
    NEED(threads >= MPI_THREAD_SERIALIZED);
    Bytes memory(10);
    CHECK_FAILS(pixMPI_Send(as_surface(memory), PIXMPI_WHOLE, 0, -7, world()), PIXMPI_ERR_TAG, "pixMPI_Send tag");
    const std::string mine = pixMPI_Error_text();
    std::string at_first, then;
    std::thread([&] {
        at_first = pixMPI_Error_text();
        (void)pixMPI_Recv(as_surface(memory), PIXMPI_WHOLE, size, 1, world(), MPI_STATUS_IGNORE);
        then = pixMPI_Error_text();
    }).join();
    CHECK(at_first.empty());
    CHECK(then.find("pixMPI_Recv") != then.npos);
    CHECK(mine == pixMPI_Error_text());
}
