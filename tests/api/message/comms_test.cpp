// Communicators of all kinds, attached, detached and freed.
#include "rig/traffic.h"

#include <cstdlib>
#include <sys/stat.h>
#include <unistd.h>

using namespace api;

namespace {

/// A message around the ring of a communicator.
void around(MPI_Comm comm, int tag, std::uint64_t seed, std::size_t bytes = 100'000) {
    int me = 0, all = 0;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &all);
    Bytes out = pattern(bytes, seed_of(seed, static_cast<std::uint64_t>(me))), in(bytes);
    MPI_Status status;
    NEED_OK(pixMPI_Sendrecv(as_surface(out), PIXMPI_WHOLE, (me + 1) % all, tag, as_surface(in), PIXMPI_WHOLE,
                            (me + all - 1) % all, tag, comm, &status));
    CHECK_STATUS(status, (me + all - 1) % all, tag, bytes, PIXMPI_R8);
    CHECK_PIXELS(in, pattern(bytes, seed_of(seed, static_cast<std::uint64_t>((me + all - 1) % all))), 1000, 1);
}

} // namespace

RANK_CASE(comms, routes, 1) {
    // API_ROUTE: what is expected between ranks of one host. Other hosts are made of namespaces of the network.
    const char *allowed = std::getenv("API_ROUTE");
    const std::string near = allowed ? allowed : "shm";
    struct stat network {};
    NEED(::stat("/proc/self/ns/net", &network) == 0);
    const auto mine = static_cast<std::uint64_t>(network.st_ino);
    std::vector<std::uint64_t> hosts(static_cast<std::size_t>(size));
    MPI_Allgather(&mine, 8, MPI_BYTE, hosts.data(), 8, MPI_BYTE, MPI_COMM_WORLD);
    for (int other = 0; other < size; ++other) {
        pixMPI_Route route = PIXMPI_ROUTE_NONE;
        CHECK_OK(pixMPI_Comm_route(world(), other, &route));
        const std::string expected = other == rank                                    ? "self"
                                     : hosts[static_cast<std::size_t>(other)] == mine ? near
                                                                                      : "mpi";
        if (pixMPI_Route_name(route) != expected)
            failed(__FILE__, __LINE__,
                   "the route to " + std::to_string(other) + " is " + pixMPI_Route_name(route) + ", expected " +
                       expected);
    }
    // What the statistics tell is what was promised.
    pixMPI_Stats before = PIXMPI_STATS_INIT, after = PIXMPI_STATS_INIT;
    pixMPI_Route route = PIXMPI_ROUTE_NONE;
    CHECK_OK(pixMPI_Get_stats(&before));
    around(world(), 1, 1, 1'000'000);
    CHECK_OK(pixMPI_Get_stats(&after));
    CHECK_OK(pixMPI_Comm_route(world(), next_rank(), &route));
    CHECK_EQ(after.bytes_by_route[route] - before.bytes_by_route[route], 1'000'000u);
}

RANK_CASE(comms, do_not_mix, 1) {
    // The same tag on three communicators, received in another order than sent.
    MPI_Comm comms[3] = {world(), duplicate(), duplicate()};
    CHECK_OK(pixMPI_Comm_attach(comms[1], nullptr));
    CHECK_OK(pixMPI_Comm_attach(comms[2], nullptr));
    for (std::size_t bytes : {50, 300'000}) {
        Bytes out[3], in[3];
        pixMPI_Request requests[3];
        for (int i = 0; i < 3; ++i) {
            out[i] = pattern(bytes, static_cast<std::uint64_t>(i));
            in[i].resize(bytes);
            CHECK_OK(pixMPI_Isend(as_surface(out[i]), PIXMPI_WHOLE, next_rank(), 1, comms[i], &requests[i]));
        }
        for (int i : {2, 0, 1}) {
            NEED_OK(
                pixMPI_Recv(as_surface(in[i]), PIXMPI_WHOLE, MPI_ANY_SOURCE, MPI_ANY_TAG, comms[i], MPI_STATUS_IGNORE));
            CHECK_PIXELS(in[i], out[i], 1000, 1);
        }
        NEED_OK(pixMPI_Waitall(3, requests, MPI_STATUSES_IGNORE));
    }
    // Nor with the program's own messages.
    int number = rank, came = -1;
    MPI_Request own[2];
    MPI_Irecv(&came, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &own[0]);
    around(world(), 7, 3);
    around(world(), 7, 4, 20);
    MPI_Isend(&number, 1, MPI_INT, next_rank(), 7, MPI_COMM_WORLD, &own[1]);
    MPI_Waitall(2, own, MPI_STATUSES_IGNORE);
    CHECK_EQ(came, previous_rank());
    CHECK_OK(pixMPI_Comm_detach(comms[1]));
    MPI_Comm_free(&comms[1]);
    MPI_Comm_free(&comms[2]);
}

RANK_CASE(comms, attached_twice_and_again, 1) {
    MPI_Comm comm = duplicate();
    Bytes memory(10);
    const auto refused = [&] {
        CHECK_FAILS(pixMPI_Send(as_surface(memory), PIXMPI_WHOLE, 0, 1, comm), PIXMPI_ERR_COMM,
                    "pixMPI_Send comm attach");
        CHECK_FAILS(pixMPI_Recv(as_surface(memory), PIXMPI_WHOLE, 0, 1, comm, MPI_STATUS_IGNORE), PIXMPI_ERR_COMM,
                    "pixMPI_Recv comm attach");
    };
    refused();
    CHECK_FAILS(pixMPI_Comm_detach(comm), PIXMPI_ERR_COMM, "pixMPI_Comm_detach comm");
    for (int turn = 0; turn < 3; ++turn) {
        note("turn %d", turn);
        CHECK_OK(pixMPI_Comm_attach(comm, nullptr));
        CHECK_OK(pixMPI_Comm_attach(comm, nullptr));
        around(comm, turn, 1);
        CHECK_OK(pixMPI_Comm_detach(comm));
        refused();
    }
    MPI_Comm_free(&comm);
}

RANK_CASE(comms, freed_while_attached, 1) {
    for (int turn = 0; turn < 40; ++turn) {
        note("turn %d", turn);
        MPI_Comm comm = duplicate();
        NEED_OK(pixMPI_Comm_attach(comm, nullptr));
        around(comm, 1, static_cast<std::uint64_t>(turn), turn % 2 ? 10 : 200'000);
        MPI_Comm_free(&comm);
    }
    pixMPI_Stats stats = PIXMPI_STATS_INIT;
    CHECK_OK(pixMPI_Get_stats(&stats));
    CHECK(stats.stage_bytes <= stage_setting());
}

// The receiver tells how fast the bands came, maybe when the sender has long freed the communicator: what would carry
// that stays until then. MPICH, from 4.2 on, ends a program that frees it with such a message on its way.
RANK_CASE(comms, freed_before_its_report_comes, 2) {
    constexpr int library_s_own = 3, report_bytes = 16, tag = 99;
    Bytes out = pattern(72'000, seed_of(15, 0)), in(out.size());
    pixMPI_Route route = PIXMPI_ROUTE_NONE;
    CHECK_OK(pixMPI_Comm_route(world(), rank == 0 ? 1 : 0, &route));
    const bool reports = route == PIXMPI_ROUTE_MPI;
    MPI_Comm comm = duplicate();
    NEED_OK(pixMPI_Comm_attach(comm, nullptr));
    const int before = freed_communicators();
    if (rank == 0) {
        const pixMPI_Surface coded = pixMPI_Coded(as_surface(out), pixMPI_Codec_of(PIXMPI_CODEC_AUTO, 0));
        NEED_OK(pixMPI_Send(coded, PIXMPI_WHOLE, 1, 1, comm));
        int receiver_is_about_to_tell = reports ? 0 : 1;
        for (int left = 50; left > 0; left -= receiver_is_about_to_tell) { // and the last band is seen to be there
            CHECK_OK(pixMPI_Progress());
            ::usleep(1000);
            if (!receiver_is_about_to_tell)
                MPI_Iprobe(1, tag, world(), &receiver_is_about_to_tell, MPI_STATUS_IGNORE);
        }
        MPI_Comm_free(&comm);
        if (reports) {
            CHECK_EQ(freed_communicators() - before, 1);
            MPI_Sendrecv(nullptr, 0, MPI_BYTE, 1, tag, nullptr, 0, MPI_BYTE, 1, tag, world(), MPI_STATUS_IGNORE);
        }
    } else if (rank == 1) {
        before_send = [](int bytes) {
            if (bytes == report_bytes)
                MPI_Sendrecv(nullptr, 0, MPI_BYTE, 0, tag, nullptr, 0, MPI_BYTE, 0, tag, world(), MPI_STATUS_IGNORE);
        };
        NEED_OK(pixMPI_Recv(as_surface(in), PIXMPI_WHOLE, 0, 1, comm, MPI_STATUS_IGNORE));
        before_send = nullptr;
        CHECK(in == out);
    }
    if (rank != 0)
        MPI_Comm_free(&comm);
    for (int i = 0; i < 5000 && freed_communicators() - before < 1 + library_s_own; ++i) {
        CHECK_OK(pixMPI_Progress());
        ::usleep(1000);
    }
    CHECK_EQ(freed_communicators() - before, 1 + library_s_own);
    everywhere(0);
}

RANK_CASE(comms, duplicates_are_not_attached, 1) {
    // MPI_Comm_dup copies attributes where it is told to; this one is not for copying.
    MPI_Comm comm = duplicate(), other = MPI_COMM_NULL;
    CHECK_OK(pixMPI_Comm_attach(comm, nullptr));
    MPI_Comm_dup(comm, &other);
    Bytes memory(10);
    CHECK_FAILS(pixMPI_Send(as_surface(memory), PIXMPI_WHOLE, 0, 1, other), PIXMPI_ERR_COMM, "comm");
    CHECK_OK(pixMPI_Comm_attach(other, nullptr));
    MPI_Comm_free(&comm);
    around(other, 1, 1);
    MPI_Comm_free(&other);
}

RANK_CASE(comms, of_one, 1) {
    CHECK_OK(pixMPI_Comm_attach(MPI_COMM_SELF, nullptr));
    around(MPI_COMM_SELF, 1, 1);
    around(MPI_COMM_SELF, 1, 2, 3'000'000);
    pixMPI_Route route = PIXMPI_ROUTE_NONE;
    CHECK_OK(pixMPI_Comm_route(MPI_COMM_SELF, 0, &route));
    CHECK_EQ(route, PIXMPI_ROUTE_SELF);
    CHECK_OK(pixMPI_Comm_detach(MPI_COMM_SELF));
}

RANK_CASE(comms, split, 2) {
    // Odd and even ranks apart, in reverse order.
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    NEED_OK(pixMPI_Comm_attach(half, nullptr));
    around(half, 1, static_cast<std::uint64_t>(rank % 2));
    around(half, 1, static_cast<std::uint64_t>(rank % 2), 2'000'000);
    CHECK_OK(pixMPI_Comm_detach(half));
    MPI_Comm_free(&half);
}

RANK_CASE(comms, between_two_groups, 2) {
    MPI_Comm half = MPI_COMM_NULL, across = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &across);
    NEED_OK(pixMPI_Comm_attach(across, nullptr));
    int remote = 0, me = 0;
    MPI_Comm_remote_size(across, &remote);
    MPI_Comm_rank(across, &me);
    for (std::size_t bytes : {40, 700'000}) {
        note("%zu bytes", bytes);
        // Everybody to everybody of the other group.
        std::vector<Bytes> in(static_cast<std::size_t>(remote), Bytes(bytes));
        std::vector<pixMPI_Request> requests;
        Bytes out = pattern(bytes, static_cast<std::uint64_t>(rank));
        for (int other = 0; other < remote; ++other) {
            requests.insert(requests.end(), 2, PIXMPI_REQUEST_NULL);
            CHECK_OK(pixMPI_Isend(as_surface(out), PIXMPI_WHOLE, other, 1, across, &requests.rbegin()[1]));
            CHECK_OK(pixMPI_Irecv(as_surface(in[static_cast<std::size_t>(other)]), PIXMPI_WHOLE, other, 1, across,
                                  &requests.rbegin()[0]));
        }
        NEED_OK(pixMPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
        for (int other = 0; other < remote; ++other)
            CHECK_PIXELS(in[static_cast<std::size_t>(other)],
                         pattern(bytes, static_cast<std::uint64_t>(2 * other + 1 - rank % 2)), 1000, 1);
    }
    pixMPI_Route route = PIXMPI_ROUTE_NONE;
    CHECK_OK(pixMPI_Comm_route(across, remote - 1, &route));
    CHECK(route == PIXMPI_ROUTE_SHM || route == PIXMPI_ROUTE_MPI);
    CHECK_FAILS(pixMPI_Comm_route(across, remote, &route), PIXMPI_ERR_RANK, "pixMPI_Comm_route rank");
    CHECK_OK(pixMPI_Comm_detach(across));
    MPI_Comm_free(&across);
    MPI_Comm_free(&half);
}

RANK_CASE(comms, options, 1) {
    // Of a communicator's own: where the environment does not say otherwise.
    MPI_Comm comm = duplicate();
    pixMPI_Options options = PIXMPI_OPTIONS_INIT;
    options.route = "mpi";
    options.band_bytes = 7777;
    options.eager_bytes = 100;
    NEED_OK(pixMPI_Comm_attach(comm, &options));
    around(comm, 1, 1);
    around(comm, 1, 2, 1'234'567);
    pixMPI_Route route = PIXMPI_ROUTE_NONE;
    CHECK_OK(pixMPI_Comm_route(comm, next_rank(), &route));
    if (!std::getenv("PIXMPI_ROUTE") && size > 1)
        CHECK_EQ(route, PIXMPI_ROUTE_MPI);
    MPI_Comm_free(&comm);
}
