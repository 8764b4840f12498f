// Much at once, and much one after another: no deadlock, no growth.
#include "rig/traffic.h"

#include <cstdio>

using namespace api;

namespace {

std::size_t resident_bytes() {
    long pages = 0, resident = 0;
    if (std::FILE *file = std::fopen("/proc/self/statm", "r")) {
        NEED(std::fscanf(file, "%ld %ld", &pages, &resident) == 2);
        std::fclose(file);
    }
    return static_cast<std::size_t>(resident) * 4096;
}

pixMPI_Stats stats() {
    pixMPI_Stats s = PIXMPI_STATS_INIT;
    CHECK_OK(pixMPI_Get_stats(&s));
    return s;
}

/// Rank 0 starts `count` sends of windows into a tall picture to each other rank, which takes the last one first.
void in_reverse(int count, int width, int height) {
    const auto picture = make_memory(PIXMPI_RGBA8, width, height + count);
    const auto seed = seed_of(static_cast<std::uint64_t>(count));
    if (rank == 0) {
        std::vector<pixMPI_Request> requests;
        picture->fill(seed);
        for (int i = 0; i < count; ++i)
            for (int other = 1; other < size; ++other) {
                requests.emplace_back();
                CHECK_OK(picture->isend(rectangle(0, i, width, height), other, i, &requests.back()));
            }
        NEED_OK(pixMPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
        return;
    }
    const Bytes all = pattern(picture->bytes(), seed);
    const auto window = make_memory(PIXMPI_RGBA8, width, height);
    for (int i = count; i-- > 0;) {
        note("message %d", i);
        MPI_Status status;
        NEED_OK(window->recv(PIXMPI_WHOLE, 0, i, &status));
        CHECK_STATUS(status, 0, i, static_cast<std::size_t>(width * height), PIXMPI_RGBA8);
        if (i % 10 == 0)
            CHECK_PIXELS(window->read(), pack(all, width, 4, rectangle(0, i, width, height)), width, 4);
    }
}

} // namespace

// To all others together: more than a gigabyte, far beyond the stage memory.
RANK_CASE(load, large_messages_in_reverse, 2) { in_reverse((sanitized ? 60 : 300) / (size - 1), 1024, 1024); }
RANK_CASE(load, small_messages_in_reverse, 2) { in_reverse(2000, 16, 16); }

RANK_CASE(load, all_to_all, 1) {
    // Every rank sends to every other one and receives from it, all started before any is waited for.
    constexpr int width = 700, height = 400, rounds = 3;
    const auto out = make_memory(PIXMPI_RGBA8, width, height);
    out->fill(seed_of(1, static_cast<std::uint64_t>(rank)));
    std::vector<std::unique_ptr<End>> in;
    for (int i = 0; i < size * rounds; ++i)
        in.push_back(make_memory(PIXMPI_RGBA8, width, height));
    std::vector<pixMPI_Request> requests(2 * in.size());
    for (std::size_t i = 0; i < in.size(); ++i) {
        const int other = static_cast<int>(i) % size, round = static_cast<int>(i) / size;
        CHECK_OK(out->isend(PIXMPI_WHOLE, other, round, &requests[2 * i]));
        CHECK_OK(in[i]->irecv(PIXMPI_WHOLE, other, round, &requests[2 * i + 1]));
    }
    NEED_OK(pixMPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
    for (std::size_t i = 0; i < in.size(); ++i)
        CHECK_PIXELS(in[i]->read(), pattern(out->bytes(), seed_of(1, i % static_cast<std::size_t>(size))), width, 4);
}

RANK_CASE(load, pairs_of_ends_at_once, 1) {
    // Ends of all kinds under way between the same ranks at the same time.
    std::vector<std::unique_ptr<End>> out, in;
    std::vector<pixMPI_Request> requests;
    for_each_pair([&](const EndKind &from, const EndKind &to) {
        out.push_back(from.make(PIXMPI_RGBA8, 301, 203));
        in.push_back(to.make(PIXMPI_RGBA8, 301, 203));
    });
    const auto seed = [](int of, std::size_t i) { return seed_of(static_cast<std::uint64_t>(of), i); };
    requests.resize(2 * out.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i]->fill(seed(rank, i));
        CHECK_OK(out[i]->isend(PIXMPI_WHOLE, next_rank(), static_cast<int>(i), &requests[2 * i]));
    }
    for (std::size_t i = in.size(); i-- > 0;)
        CHECK_OK(in[i]->irecv(PIXMPI_WHOLE, previous_rank(), static_cast<int>(i), &requests[2 * i + 1]));
    NEED_OK(pixMPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
    for (std::size_t i = 0; i < in.size(); ++i) {
        note("%zu", i);
        CHECK_PIXELS(in[i]->read(), pattern(in[i]->bytes(), seed(previous_rank(), i)), 301, 4);
    }
}

RANK_CASE(load, counted, 2) {
    const pixMPI_Stats before = stats();
    const auto out = make_memory(PIXMPI_RGBA8, 500, 300), in = make_memory(PIXMPI_RGBA8, 500, 300);
    for (int i = 0; i < 10; ++i)
        CHECK_OK(out->sendrecv(i % 2 ? PIXMPI_WHOLE : rectangle(0, 0, 5, 5), next_rank(), 1, *in, PIXMPI_WHOLE,
                               previous_rank(), 1, MPI_STATUS_IGNORE));
    const pixMPI_Stats after = stats();
    const std::uint64_t bytes = 5 * (500 * 300 * 4) + 5 * (5 * 5 * 4);
    CHECK_EQ(after.messages_sent - before.messages_sent, 10u);
    CHECK_EQ(after.messages_received - before.messages_received, 10u);
    CHECK_EQ(after.bytes_sent - before.bytes_sent, bytes);
    CHECK_EQ(after.bytes_received - before.bytes_received, bytes);
    std::uint64_t routed = 0;
    for (int route = 0; route <= PIXMPI_ROUTE_MPI; ++route)
        routed += after.bytes_by_route[route] - before.bytes_by_route[route];
    CHECK_EQ(routed, bytes);
}

RANK_CASE(load, many_messages, 1) {
    // So many of all ranks together: what grows shows with two ranks, other numbers need fewer messages. Now and then a
    // large one, one with a list as its region, a persistent one.
    const int total = (size == 2 && !sanitized ? 100'000 : 20'000) / size, warm = total / 5;
    const auto out = make_memory(PIXMPI_RGBA8, 256, 256), in = make_memory(PIXMPI_RGBA8, 256, 256);
    const Shape small = rectangle(3, 4, 8, 2), middle = blocks({0, 0, 4, 4}, 30, 30, 8, 8);
    std::size_t resident = 0;
    std::uint64_t stage = 0;
    for (int i = 0; i < total; ++i) {
        const pixMPI_Region region = i % 100 == 0  ? PIXMPI_WHOLE
                                     : i % 10 == 0 ? pixMPI_Region(middle)
                                                   : pixMPI_Region(small);
        pixMPI_Request requests[2];
        if (i % 1000 == 0)
            note("message %d", i);
        if (i % 50 == 1) {
            CHECK_OK(in->recv_init(region, previous_rank(), 1, &requests[0]));
            CHECK_OK(out->send_init(region, next_rank(), 1, &requests[1]));
            CHECK_OK(pixMPI_Startall(2, requests));
            NEED_OK(pixMPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
            CHECK_OK(pixMPI_Request_free(&requests[0]));
            CHECK_OK(pixMPI_Request_free(&requests[1]));
        } else {
            CHECK_OK(in->irecv(region, previous_rank(), 1, &requests[0]));
            CHECK_OK(out->isend(region, next_rank(), 1, &requests[1]));
            NEED_OK(pixMPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        }
        if (i == warm) {
            resident = resident_bytes();
            stage = stats().stage_bytes_max;
        }
    }
    CHECK_EQ(stats().stage_bytes_max, stage);
    CHECK(stage <= stage_setting());
    const std::size_t grown = resident_bytes() > resident ? resident_bytes() - resident : 0;
    if (!sanitized && grown > 4 << 20) // a sanitizer keeps what was freed for a while
        failed(__FILE__, __LINE__,
               "the process has grown by " + std::to_string(grown) + " bytes, expected none to speak of");
}

RANK_CASE(load, stage_memory_for_all_sizes, 2) {
    // Sizes from a byte to several times the stage memory, several at once.
    for (std::size_t bytes = 1; bytes <= 2 * stage_setting(); bytes = bytes * 7 + 3) {
        note("%zu bytes", bytes);
        const int width = static_cast<int>(std::min<std::size_t>(bytes, 8192));
        const auto out = make_memory(PIXMPI_R8, width, static_cast<int>(bytes / static_cast<std::size_t>(width)));
        std::unique_ptr<End> in[3];
        pixMPI_Request requests[6];
        for (int i = 0; i < 3; ++i) {
            in[i] = make_memory(PIXMPI_R8, out->width, out->height);
            CHECK_OK(out->isend(PIXMPI_WHOLE, next_rank(), i, &requests[i]));
            CHECK_OK(in[i]->irecv(PIXMPI_WHOLE, previous_rank(), i, &requests[3 + i]));
        }
        NEED_OK(pixMPI_Waitall(6, requests, MPI_STATUSES_IGNORE));
        const pixMPI_Stats s = stats();
        CHECK(s.stage_bytes <= s.stage_bytes_max);
        CHECK(s.stage_bytes_max <= stage_setting());
    }
}
