// Partitioned messages: parts that become ready in any order, between ends that cut the picture differently.
#include "rig/traffic.h"

#include <algorithm>
#include <numeric>
#include <pixmpi_messages.h>
#include <pixmpi_partitioned.h>
#include <thread>

using namespace api;

namespace {

/// Partitions of a surface.
struct Parts {
    explicit Parts(std::vector<Shape> shapes_) : shapes(std::move(shapes_)), regions(shapes.begin(), shapes.end()) {}
    int count() const { return static_cast<int>(shapes.size()); }
    std::size_t pixels() const {
        return std::accumulate(shapes.begin(), shapes.end(), std::size_t{0},
                               [](std::size_t sum, const Shape &shape) { return sum + shape.pixels(); });
    }
    Bytes packed(const Bytes &image, int width, int pixel_bytes) const {
        Bytes all;
        for (const Shape &shape : shapes) {
            const Bytes part = pack(image, width, pixel_bytes, shape);
            all.insert(all.end(), part.begin(), part.end());
        }
        return all;
    }
    /// Of so many packed bytes, what stands where the partitions are.
    void put(Bytes &image, int width, int pixel_bytes, const Bytes &all) const {
        auto at = all.begin();
        for (const Shape &shape : shapes) {
            const auto bytes = static_cast<std::ptrdiff_t>(shape.pixels() * static_cast<std::size_t>(pixel_bytes));
            unpack(image, width, pixel_bytes, shape, Bytes(at, at + bytes));
            at += bytes;
        }
    }
    const std::vector<Shape> shapes;
    const std::vector<pixMPI_Region> regions;
};

/// 60 rows of 64 pixels: bands of different heights, one without pixels, and tiles.
Parts bands() {
    return Parts({rectangle(0, 0, 64, 7), rectangle(0, 7, 64, 20), rectangle(0, 0, 0, 0), rectangle(0, 27, 64, 1),
                  rectangle(0, 28, 64, 32)});
}
Parts tiles() {
    return Parts({rectangle(0, 0, 32, 15), rectangle(32, 0, 32, 15), columns(15, 45, 0, 32, 1),
                  rectangle(32, 15, 32, 45)});
}
constexpr int width = 64, height = 60;

std::uint64_t seed(int of_rank, std::uint64_t number) {
    return seed_of(51, static_cast<std::uint64_t>(of_rank), number);
}

int arrived(pixMPI_Request request, int partition) {
    int flag = -1;
    NEED_OK(pixMPI_Parrived(request, partition, &flag));
    return flag;
}

bool is_over(pixMPI_Request request) {
    int flag = -1;
    NEED_OK(pixMPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE));
    return flag != 0;
}

/// A ring of partitioned messages, with this rank's two ends of it.
struct Ring {
    Ring(std::unique_ptr<End> out_, const Parts &from_, std::unique_ptr<End> in_, const Parts &to_, int tag)
        : out(std::move(out_)), in(std::move(in_)), from(from_), to(to_) {
        NEED_OK(pixMPI_Psend_init(out->any(), from.count(), from.regions.data(), next_rank(), tag, world(), &sending));
        NEED_OK(
            pixMPI_Precv_init(in->any(), to.count(), to.regions.data(), previous_rank(), tag, world(), &receiving));
    }
    ~Ring() {
        CHECK_OK(pixMPI_Request_free(&sending));
        CHECK_OK(pixMPI_Request_free(&receiving));
    }
    Ring(const Ring &) = delete;
    void start(std::uint64_t number) {
        out->fill(seed(rank, number));
        expected = in->fill(seed(rank, number + 1000));
        to.put(expected, in->width, in->pixel_bytes,
               from.packed(pattern(out->bytes(), seed(previous_rank(), number)), out->width, out->pixel_bytes));
        NEED_OK(pixMPI_Start(&receiving));
        NEED_OK(pixMPI_Start(&sending));
    }
    void finish(int tag) {
        MPI_Status status;
        NEED_OK(pixMPI_Wait(&receiving, &status));
        CHECK_STATUS(status, previous_rank(), tag, to.pixels(), in->format);
        NEED_OK(pixMPI_Wait(&sending, MPI_STATUS_IGNORE));
        CHECK_PIXELS(in->read(), expected, in->width, in->pixel_bytes);
        in->check_surroundings();
    }
    const std::unique_ptr<End> out, in;
    const Parts from, to;
    Bytes expected;
    pixMPI_Request sending = PIXMPI_REQUEST_NULL, receiving = PIXMPI_REQUEST_NULL;
};

} // namespace

RANK_CASE(partitioned, arrives_part_by_part, 1) {
    std::uint64_t number = 0;
    for_each_pair([&](const EndKind &from, const EndKind &to) {
        Ring ring(from.make(PIXMPI_RGBA8, width, height), bands(), to.make(PIXMPI_RGBA8, width, height), tiles(), 3);
        for (int turn = 0; turn < 2; ++turn) {
            note("%s to %s, start %d", from.name, to.name, turn);
            CHECK_EQ(arrived(ring.receiving, 3), 1); // inactive
            ring.start(++number);
            CHECK_EQ(arrived(ring.receiving, 0), 0);
            everywhere(0, true); // no rank has sent before
            // The first tile is in the first two bands, which come in any order.
            NEED_OK(pixMPI_Pready(1, ring.sending));
            NEED_OK(pixMPI_Pready(0, ring.sending));
            while (!arrived(ring.receiving, 0)) {
            }
            const Shape &tile = ring.to.shapes.front();
            if (std::string_view(to.name) != "image") // those of Vulkan have another layout meanwhile
                CHECK(pack(ring.in->read(), width, 4, tile) == pack(ring.expected, width, 4, tile));
            everywhere(0, true); // no rank has sent more
            CHECK_EQ(arrived(ring.receiving, 3), 0);
            CHECK(!is_over(ring.receiving) && !is_over(ring.sending));
            everywhere(0, true);
            if (turn == 0) {
                NEED_OK(pixMPI_Pready_range(2, 4, ring.sending));
            } else {
                const int rest[] = {4, 2, 3};
                NEED_OK(pixMPI_Pready_list(3, rest, ring.sending));
            }
            while (!arrived(ring.receiving, 3) || !arrived(ring.receiving, 2)) {
            }
            ring.finish(3);
        }
    });
}

RANK_CASE(partitioned, large_and_small, 1) {
    std::vector<Shape> pieces, halves{rectangle(0, 0, 512, 700), rectangle(0, 700, 512, 324)};
    for (int y = 0; y < 1024; y += 64)
        pieces.push_back(rectangle(0, y, 512, 64)); // 128 KiB each
    const Parts many(pieces), few(halves), one({rectangle(0, 0, 512, 1024)});
    const auto picture = [] { return make_memory(PIXMPI_RGBA8, 512, 1024); };
    std::uint64_t number = 0;
    for (const auto &[from, to] : {std::pair(&many, &few), std::pair(&few, &many), std::pair(&one, &many)}) {
        Ring ring(picture(), *from, picture(), *to, 4);
        for (int turn = 0; turn < 2; ++turn) {
            note("%d to %d, start %d", from->count(), to->count(), turn);
            ring.start(++number);
            for (int i = from->count(); i-- > 0;)
                NEED_OK(pixMPI_Pready(i, ring.sending));
            ring.finish(4);
        }
    }
}

/// Several starts of the sender may be ahead of the receiver's.
RANK_CASE(partitioned, sender_ahead, 1) {
    if (eager_setting() < 8)
        return leave_out("sends wait for their receives");
    Bytes out(8), in(8);
    const Parts halves({rectangle(0, 0, 4, 1), rectangle(4, 0, 4, 1)}), all({rectangle(0, 0, 8, 1)});
    pixMPI_Request sending, receiving;
    NEED_OK(pixMPI_Psend_init(as_surface(out), 2, halves.regions.data(), next_rank(), 1, world(), &sending));
    NEED_OK(pixMPI_Precv_init(as_surface(in), 1, all.regions.data(), previous_rank(), 1, world(), &receiving));
    for (std::uint8_t turn = 0; turn < 5; ++turn) {
        std::fill(out.begin(), out.end(), turn);
        NEED_OK(pixMPI_Start(&sending));
        NEED_OK(pixMPI_Pready_range(0, 1, sending));
        NEED_OK(pixMPI_Wait(&sending, MPI_STATUS_IGNORE));
    }
    for (std::uint8_t turn = 0; turn < 5; ++turn) {
        NEED_OK(pixMPI_Start(&receiving));
        NEED_OK(pixMPI_Wait(&receiving, MPI_STATUS_IGNORE));
        CHECK(in == Bytes(8, turn));
    }
    CHECK_OK(pixMPI_Request_free(&sending));
    CHECK_OK(pixMPI_Request_free(&receiving));
}

/// By the order of their creation, whatever the order of starts; other messages do not meet them.
RANK_CASE(partitioned, matching, 1) {
    constexpr int count = 4;
    const Parts parts({rectangle(0, 0, 10, 1), rectangle(10, 0, 6, 1)});
    Bytes out[count], in[count];
    pixMPI_Request sending[count], receiving[count];
    for (int i = 0; i < count; ++i) {
        in[i].resize(16);
        NEED_OK(pixMPI_Precv_init(as_surface(in[i]), 2, parts.regions.data(), previous_rank(), 7 + i % 2, world(),
                                  &receiving[i]));
    }
    for (int i = 0; i < count; ++i) {
        out[i] = pattern(16, seed(rank, static_cast<std::uint64_t>(i)));
        NEED_OK(pixMPI_Psend_init(as_surface(out[i]), 2, parts.regions.data(), next_rank(), 7 + i % 2, world(),
                                  &sending[i]));
    }
    for (int i = count; i-- > 0;) {
        NEED_OK(pixMPI_Start(&sending[i]));
        NEED_OK(pixMPI_Pready_range(0, 1, sending[i]));
    }
    int flag = -1;
    NEED_OK(pixMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, world(), &flag, MPI_STATUS_IGNORE));
    CHECK_EQ(flag, 0);
    everywhere(0, true);
    Bytes word = pattern(5, 1), other(5);
    NEED_OK(pixMPI_Sendrecv(as_surface(word), PIXMPI_WHOLE, next_rank(), 7, as_surface(other), PIXMPI_WHOLE,
                            MPI_ANY_SOURCE, MPI_ANY_TAG, world(), MPI_STATUS_IGNORE));
    CHECK(other == word);
    NEED_OK(pixMPI_Startall(count, receiving));
    NEED_OK(pixMPI_Waitall(count, receiving, MPI_STATUSES_IGNORE));
    NEED_OK(pixMPI_Waitall(count, sending, MPI_STATUSES_IGNORE));
    for (int i = 0; i < count; ++i) {
        CHECK(in[i] == pattern(16, seed(previous_rank(), static_cast<std::uint64_t>(i))));
        CHECK_OK(pixMPI_Request_free(&sending[i]));
        CHECK_OK(pixMPI_Request_free(&receiving[i]));
    }
}

RANK_CASE(partitioned, nobody_and_nothing, 1) {
    const Parts parts({rectangle(0, 0, 3, 1), rectangle(3, 0, 3, 1)}),
        none({rectangle(0, 0, 0, 0), rectangle(1, 0, 0, 0)});
    Bytes out(6), in(6, 9);
    pixMPI_Request sending, receiving;
    MPI_Status status;
    NEED_OK(pixMPI_Psend_init(as_surface(out), 2, parts.regions.data(), MPI_PROC_NULL, 1, world(), &sending));
    NEED_OK(pixMPI_Precv_init(as_surface(in), 2, parts.regions.data(), MPI_PROC_NULL, 1, world(), &receiving));
    for (int turn = 0; turn < 2; ++turn) {
        NEED_OK(pixMPI_Start(&sending));
        NEED_OK(pixMPI_Pready_range(0, 1, sending));
        NEED_OK(pixMPI_Wait(&sending, MPI_STATUS_IGNORE));
        NEED_OK(pixMPI_Start(&receiving));
        CHECK_EQ(arrived(receiving, 1), 1);
        NEED_OK(pixMPI_Wait(&receiving, &status));
        CHECK_STATUS(status, MPI_PROC_NULL, MPI_ANY_TAG, 0, PIXMPI_R8);
    }
    CHECK(in == Bytes(6, 9));
    CHECK_OK(pixMPI_Request_free(&sending));
    CHECK_OK(pixMPI_Request_free(&receiving));
    {
        Ring ring(make_memory(PIXMPI_R8UI, 6, 1), none, make_memory(PIXMPI_R8UI, 6, 1), none, 2);
        for (const std::uint64_t turn : {1, 2}) {
            ring.start(turn);
            NEED_OK(pixMPI_Pready_range(0, 1, ring.sending));
            ring.finish(2);
        }
    }
}

/// The receiver fails, and all goes on: for too many pixels, too few, and pixels of another size.
RANK_CASE(partitioned, what_does_not_fit, 1) {
    for (const int rows_of_a_part : {1, 300}) {
        const int edge = 256;
        const Parts two({rectangle(0, 0, edge, rows_of_a_part), rectangle(0, rows_of_a_part, edge, rows_of_a_part)}),
            one({rectangle(0, 0, edge, rows_of_a_part)}), none({rectangle(0, 0, 0, 0)});
        struct Wrong {
            const Parts *from, *to;
            pixMPI_Format format;
            int code;
        };
        for (const Wrong &wrong : {Wrong{&two, &one, PIXMPI_RGBA8, PIXMPI_ERR_TRUNCATE},
                                   Wrong{&one, &two, PIXMPI_RGBA8, PIXMPI_ERR_TRUNCATE},
                                   Wrong{&two, &none, PIXMPI_RGBA8, PIXMPI_ERR_TRUNCATE},
                                   Wrong{&none, &one, PIXMPI_RGBA8, PIXMPI_ERR_TRUNCATE},
                                   Wrong{&two, &two, PIXMPI_R8, PIXMPI_ERR_FORMAT}}) {
            note("%d rows, %d to %d partitions", rows_of_a_part, wrong.from->count(), wrong.to->count());
            Ring ring(make_memory(PIXMPI_RGBA8, edge, 600), *wrong.from, make_memory(wrong.format, edge, 600),
                      *wrong.to, 5);
            for (int turn = 0; turn < 2; ++turn) {
                const Bytes before = ring.in->fill(3);
                NEED_OK(pixMPI_Start(&ring.receiving));
                NEED_OK(pixMPI_Start(&ring.sending));
                NEED_OK(pixMPI_Pready_range(0, wrong.from->count() - 1, ring.sending));
                CHECK_EQ(pixMPI_Wait(&ring.receiving, MPI_STATUS_IGNORE), wrong.code);
                const int code = pixMPI_Wait(&ring.sending, MPI_STATUS_IGNORE);
                CHECK(code == PIXMPI_SUCCESS || code == PIXMPI_ERR_PEER);
                CHECK(ring.in->read() == before);
            }
        }
    }
    Ring ring(make_memory(PIXMPI_RGBA8, width, height), bands(), make_memory(PIXMPI_RGBA8, width, height), tiles(), 5);
    ring.start(1);
    NEED_OK(pixMPI_Pready_range(0, 4, ring.sending));
    ring.finish(5);
}

RANK_CASE(partitioned, wrong_arguments, 1) {
    Bytes memory(10);
    const Parts parts({rectangle(0, 0, 3, 1), rectangle(3, 0, 3, 1)}),
        outside({rectangle(0, 0, 3, 1), rectangle(9, 0, 3, 1)});
    const pixMPI_Region *const regions = parts.regions.data();
    const pixMPI_Surface any = as_surface(memory);
    pixMPI_Request request = PIXMPI_REQUEST_NULL, other = PIXMPI_REQUEST_NULL;
    CHECK_FAILS(pixMPI_Psend_init(any, 0, regions, 0, 1, world(), &request), PIXMPI_ERR_ARGUMENT, "partitions 0");
    CHECK_FAILS(pixMPI_Psend_init(any, 2, nullptr, 0, 1, world(), &request), PIXMPI_ERR_ARGUMENT, "regions null");
    CHECK_FAILS(pixMPI_Psend_init(any, 2, outside.regions.data(), 0, 1, world(), &request), PIXMPI_ERR_REGION,
                "pixMPI_Psend_init regions[1]");
    CHECK_FAILS(pixMPI_Psend_init(any, 2, regions, size, 1, world(), &request), PIXMPI_ERR_RANK, "dest");
    CHECK_FAILS(pixMPI_Psend_init(any, 2, regions, 0, 1, world(), nullptr), PIXMPI_ERR_ARGUMENT, "request");
    CHECK_FAILS(pixMPI_Precv_init(any, 2, regions, MPI_ANY_SOURCE, 1, world(), &request), PIXMPI_ERR_RANK,
                "source MPI_ANY_SOURCE");
    CHECK_FAILS(pixMPI_Precv_init(any, 2, regions, 0, MPI_ANY_TAG, world(), &request), PIXMPI_ERR_TAG,
                "tag MPI_ANY_TAG");
    CHECK(request == PIXMPI_REQUEST_NULL);
    NEED_OK(pixMPI_Psend_init(any, 2, regions, MPI_PROC_NULL, 1, world(), &request));
    NEED_OK(pixMPI_Send_init(any, PIXMPI_WHOLE, MPI_PROC_NULL, 1, world(), &other));
    int flag = 0;
    CHECK_FAILS(pixMPI_Pready(0, request), PIXMPI_ERR_REQUEST, "request inactive");
    CHECK_FAILS(pixMPI_Pready(0, other), PIXMPI_ERR_REQUEST, "request pixMPI_Psend_init");
    CHECK_FAILS(pixMPI_Pready(0, PIXMPI_REQUEST_NULL), PIXMPI_ERR_REQUEST, "request PIXMPI_REQUEST_NULL");
    CHECK_FAILS(pixMPI_Parrived(request, 0, &flag), PIXMPI_ERR_REQUEST, "request pixMPI_Precv_init");
    NEED_OK(pixMPI_Start(&request));
    CHECK_FAILS(pixMPI_Pready(2, request), PIXMPI_ERR_ARGUMENT, "partition 2 0 to 1");
    CHECK_FAILS(pixMPI_Pready_range(0, 2, request), PIXMPI_ERR_ARGUMENT, "high 2");
    CHECK_FAILS(pixMPI_Pready_range(1, 0, request), PIXMPI_ERR_ARGUMENT, "high 0");
    const int twice[] = {1, 1};
    CHECK_FAILS(pixMPI_Pready_list(2, twice, request), PIXMPI_ERR_ARGUMENT, "list 1 once");
    CHECK_FAILS(pixMPI_Pready_list(1, nullptr, request), PIXMPI_ERR_ARGUMENT, "list null");
    CHECK_OK(pixMPI_Pready(1, request)); // none of these has marked it
    CHECK_FAILS(pixMPI_Pready(1, request), PIXMPI_ERR_ARGUMENT, "partition 1 ready");
    CHECK_FAILS(pixMPI_Cancel(&request), PIXMPI_ERR_REQUEST, "cancelled");
    CHECK_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_OK(pixMPI_Request_free(&request));
    CHECK_OK(pixMPI_Request_free(&other));
}

/// Threads draw a partition each, while the first one waits for all.
RANK_CASE(partitioned_threads, mark_partitions, 1) {
    constexpr int count = 8;
    std::vector<Shape> pieces;
    for (int i = 0; i < count; ++i)
        pieces.push_back(rectangle(0, 40 * i, 128, 40)); // 20 KiB each
    const Parts parts(pieces);
    Ring ring(make_memory(PIXMPI_RGBA8, 128, 40 * count), parts, make_memory(PIXMPI_RGBA8, 128, 40 * count), parts, 6);
    for (std::uint64_t turn = 0; turn < 5; ++turn) {
        ring.start(turn);
        std::vector<std::thread> threads;
        for (int i = 0; i < count; ++i)
            threads.emplace_back([&, i] { CHECK_OK(pixMPI_Pready(i, ring.sending)); });
        ring.finish(6);
        for (std::thread &thread : threads)
            thread.join();
    }
}
