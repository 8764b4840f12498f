// Messages of every size at which something changes: nothing, one byte, the eager limit, bands, the stage memory.
#include "rig/ends.h"

#include <algorithm>

using namespace api;

namespace {

constexpr std::size_t MiB = 1 << 20;

/// From each even rank to the next one; the first `pixels` of surfaces that have a few more.
void send_size(const EndKind &from, const EndKind &to, pixMPI_Format format, std::size_t pixels, int width) {
    note("%s to %s, %zu pixels of %s", from.name, to.name, pixels, pixMPI_Format_name(format));
    const int height = static_cast<int>(pixels / static_cast<std::size_t>(width)) + 1;
    const Shape shape = first_pixels(pixels, width);
    const std::uint64_t seed =
        seed_of(pixels, static_cast<std::uint64_t>(rank / 2), static_cast<std::uint64_t>(format));
    if (rank % 2 == 0 && rank + 1 < size) {
        const auto end = from.make(format, width, height);
        end->fill(seed);
        CHECK_OK(end->send(shape, rank + 1, 1));
    } else if (rank % 2 == 1) {
        const auto end = to.make(format, width, height);
        Bytes expected = end->fill(~seed);
        MPI_Status status;
        CHECK_OK(end->recv(shape, rank - 1, 1, &status));
        CHECK_STATUS(status, rank - 1, 1, pixels, format);
        const Bytes sent = pattern(end->bytes(), seed);
        std::copy_n(sent.begin(), pixels * static_cast<std::size_t>(end->pixel_bytes), expected.begin());
        CHECK_PIXELS(end->read(), expected, width, end->pixel_bytes);
        end->check_surroundings();
    }
}

const EndKind &memory() { return end_kinds()[0]; }

std::vector<std::size_t> around(std::size_t limit) { return {limit - 1, limit, limit + 1}; }

} // namespace

RANK_CASE(sizes, small, 2) {
    for (std::size_t pixels : {0, 1, 2, 3, 7, 8, 9, 63, 64, 65, 1000, 4095, 4096, 4097})
        for (pixMPI_Format format : {PIXMPI_R8, PIXMPI_RGB8, PIXMPI_RGB16F, PIXMPI_RGBA32F, PIXMPI_DEPTH32F_STENCIL8})
            send_size(memory(), memory(), format, pixels, 37);
}

RANK_CASE(sizes, around_limits, 2) {
    std::vector<std::size_t> sizes;
    for (std::size_t limit :
         {eager_setting(), setting("PIXMPI_BAND", 256 << 10), std::size_t{65536}, std::size_t{12345}, MiB})
        for (std::size_t times : {1, 2, 3})
            for (std::size_t bytes : around(times * limit))
                if (bytes <= 4 * MiB)
                    sizes.push_back(bytes);
    for (std::size_t bytes : sizes) {
        send_size(memory(), memory(), PIXMPI_R8, bytes, 1021);
        send_size(memory(), memory(), PIXMPI_RGBA8, (bytes + 3) / 4, 61);
        send_size(memory(), memory(), PIXMPI_RGB16, (bytes + 5) / 6, 511);
    }
}

RANK_CASE(sizes, pairs_of_ends, 2) {
    // Each pair has all limits, and each of these all formats in some pair.
    const std::size_t formats = formats_of_all().size();
    std::size_t pairs = 0, first = 0;
    for_each_pair([&pairs](const EndKind &, const EndKind &) { ++pairs; });
    for_each_pair([&](const EndKind &from, const EndKind &to) {
        const std::size_t last = first + (formats + pairs - 1) / pairs;
        for (std::size_t limit :
             {std::size_t{0}, std::size_t{16}, eager_setting(), eager_setting() + 16, 3 * MiB / 2}) {
            for (std::size_t i = first; i < last; ++i) {
                const pixMPI_Format format = formats_of_all()[i % formats];
                send_size(from, to, format, limit / static_cast<std::size_t>(pixMPI_Format_bytes(format)), 509);
            }
        }
        first = last;
    });
}

RANK_CASE(sizes, around_stage_memory, 2) {
    for (std::size_t bytes : around(stage_setting()))
        send_size(memory(), memory(), PIXMPI_R8, bytes, 4096);
    send_size(memory(), memory(), PIXMPI_RGB8, (2 * stage_setting() + 7) / 3, 3001);
}

RANK_CASE(sizes, two_hundred_megabytes, 2) {
    if (rank < 2)
        send_size(memory(), memory(), PIXMPI_RGBA8, 50'000'000, 8000);
}

RANK_CASE(sizes, both_ways_at_once, 2) {
    // Much more than the stage memory in all directions: a rank that holds on to memory while waiting for more stops
    // here.
    const std::size_t pixels = stage_setting() / 4 + 12'345;
    const int width = 2000, height = static_cast<int>(pixels / 2000) + 1;
    const auto out = make_memory(PIXMPI_RGBA8, width, height), in = make_memory(PIXMPI_RGBA8, width, height);
    const auto seed = [](int from) { return seed_of(3, static_cast<std::uint64_t>(from)); };
    out->fill(seed(rank));
    pixMPI_Request requests[2];
    CHECK_OK(out->isend(PIXMPI_WHOLE, next_rank(), 1, &requests[0]));
    CHECK_OK(in->irecv(PIXMPI_WHOLE, previous_rank(), 1, &requests[1]));
    NEED_OK(pixMPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    CHECK_PIXELS(in->read(), pattern(in->bytes(), seed(previous_rank())), width, 4);
}

RANK_CASE(sizes, replaced_in_a_ring, 1) {
    const std::size_t bytes = std::min(stage_setting() + stage_setting() / 4, std::size_t{100 << 20});
    const int width = 1500, height = static_cast<int>(bytes / 4 / 1500);
    const auto end = make_memory(PIXMPI_RGBA8, width, height);
    const auto seed = [](int from) { return seed_of(5, static_cast<std::uint64_t>(from)); };
    end->fill(seed(rank));
    MPI_Status status;
    for (int turn = 1; turn <= 2; ++turn) {
        note("turn %d", turn);
        CHECK_OK(end->sendrecv_replace(PIXMPI_WHOLE, next_rank(), turn, previous_rank(), turn, &status));
        const int owner = (rank + size * 2 - turn) % size;
        CHECK_PIXELS(end->read(), pattern(end->bytes(), seed(owner)), width, 4);
    }
}
