// The two ends of a message need not have the same shape.
#include "rig/ends.h"

#include <algorithm>
#include <random>
#include <string_view>

using namespace api;

namespace {

/// One message around the ring, from one shape into another.
void around(const EndKind &from, const EndKind &to, pixMPI_Format format, const Shape &out_shape, const Shape &in_shape,
            int edge = 64) {
    note("%s %s to %s %s", from.name, out_shape.name.c_str(), to.name, in_shape.name.c_str());
    const auto out = from.make(format, edge, edge), in = to.make(format, edge, edge);
    const auto seed = [](int of) { return seed_of(11, static_cast<std::uint64_t>(of)); };
    out->fill(seed(rank));
    Bytes expected = in->fill(12);
    pixMPI_Request request;
    MPI_Status status;
    CHECK_OK(in->irecv(in_shape, previous_rank(), 1, &request));
    CHECK_OK(out->send(out_shape, next_rank(), 1));
    NEED_OK(pixMPI_Wait(&request, &status));
    CHECK_STATUS(status, previous_rank(), 1, out_shape.pixels(), format);
    unpack(expected, edge, in->pixel_bytes, in_shape,
           pack(pattern(out->bytes(), seed(previous_rank())), edge, in->pixel_bytes, out_shape));
    CHECK_PIXELS(in->read(), expected, edge, in->pixel_bytes);
    in->check_surroundings();
}

/// Vulkan's validation layers watch the ends of this run: they compare each row that is copied from or to a buffer with
/// all others, so some tens of thousands take them minutes.
bool layers_watch() {
    return subject && std::string_view(subject) == "vk" && setting("PIXMPI_TEST_VALIDATION", 1) != 0;
}

} // namespace

RANK_CASE(regions, every_shape_into_every_other, 1) {
    const std::vector<Shape> shapes = all_shapes();
    std::size_t turn = 0;
    for (const Shape &from : shapes)
        for (const Shape &to : shapes) {
            if (from.pixels() > to.pixels())
                continue;
            // Each combination once, the kinds of ends taking turns.
            const std::size_t kinds = end_kinds().size(), pair = turn++ % (kinds * kinds);
            around(end_kinds()[pair / kinds], end_kinds()[pair % kinds], formats_of_all()[turn % 4], from, to);
        }
}

RANK_CASE(regions, transposed, 1) {
    const int edge = layers_watch() ? 32 : 200;
    for_each_pair([&](const EndKind &from, const EndKind &to) {
        around(from, to, PIXMPI_RGBA8, rows(0, edge, 0, edge, 1), columns(0, edge, 0, edge, 1), edge);
    });
    const auto out = make_memory(PIXMPI_R32F, 700, 700), in = make_memory(PIXMPI_R32F, 700, 700);
    const Bytes sent = out->fill(3);
    const Shape as_columns = columns(0, 700, 0, 700, 1);
    pixMPI_Request request;
    CHECK_OK(in->irecv(as_columns, rank, 1, &request));
    CHECK_OK(out->send(PIXMPI_WHOLE, rank, 1));
    NEED_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
    const Bytes came = in->read();
    for (std::size_t y = 0; y < 700; y += 9)
        for (std::size_t x = 0; x < 700; ++x)
            CHECK(std::equal(&came[4 * (700 * y + x)], &came[4 * (700 * y + x)] + 4, &sent[4 * (700 * x + y)]));
}

RANK_CASE(regions, tiles_scattered, 2) {
    // Rank 0 cuts a picture into tiles, each rank's tiles being one message; they are collected elsewhere in another
    // picture.
    constexpr int edge = 320, tile = 32, across = edge / tile;
    const auto tiles_of = [](int owner, int shift) {
        std::vector<pixMPI_Rect> rects;
        for (int i = 0; i < across * across; ++i)
            if (i % size == owner)
                rects.push_back({((i + shift) % across) * tile, ((i + shift) / across % across) * tile, tile, tile});
        return list_of(std::move(rects));
    };
    for_each_pair([&](const EndKind &whole, const EndKind &parts) {
        note("%s, %s", whole.name, parts.name);
        const Shape mine = tiles_of(rank, 0);
        const int count = static_cast<int>(mine.rects.size());
        const auto strip = parts.make(PIXMPI_RGBA8, tile, tile * count);
        pixMPI_Request request;
        CHECK_OK(strip->irecv(PIXMPI_WHOLE, 0, 1, &request));
        const auto picture = whole.make(PIXMPI_RGBA8, edge, edge);
        if (rank == 0) {
            std::vector<pixMPI_Request> sends(static_cast<std::size_t>(size));
            picture->fill(21);
            for (int r = 0; r < size; ++r)
                CHECK_OK(picture->isend(tiles_of(r, 0), r, 1, &sends[static_cast<std::size_t>(r)]));
            CHECK_OK(pixMPI_Waitall(size, sends.data(), MPI_STATUSES_IGNORE));
        }
        NEED_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
        const Bytes all = pattern(picture->bytes(), 21);
        CHECK_PIXELS(strip->read(), pack(all, edge, 4, mine), tile, 4);
        CHECK_OK(strip->isend(PIXMPI_WHOLE, 0, 2, &request));
        if (rank == 0) {
            Bytes expected = picture->fill(22);
            for (int r = 0; r < size; ++r) {
                const Shape there = tiles_of(r, 7);
                CHECK_OK(picture->recv(there, r, 2, MPI_STATUS_IGNORE));
                unpack(expected, edge, 4, there, pack(all, edge, 4, tiles_of(r, 0)));
            }
            CHECK_PIXELS(picture->read(), expected, edge, 4);
        }
        NEED_OK(pixMPI_Wait(&request, MPI_STATUS_IGNORE));
    });
}

namespace {

/// Tiles of a grid in an order and at places that the seed decides.
Shape tiles_in_disorder(int edge, int width, int height, std::size_t count, std::uint32_t seed) {
    std::vector<pixMPI_Rect> rects;
    for (int y = 0; y + height <= edge; y += height)
        for (int x = 0; x + width <= edge; x += width)
            rects.push_back({x, y, width, height});
    std::mt19937 random(seed);
    for (std::size_t i = rects.size(); i > 1; --i)
        std::swap(rects[i - 1], rects[random() % i]);
    rects.resize(count);
    return list_of(std::move(rects));
}

} // namespace

RANK_CASE(regions, tiles_in_disorder, 1) {
    // Large enough to be packed and unpacked by strips of the surface, at the same time.
    const bool few = layers_watch();
    const int edge = few ? 128 : 512;
    const auto of = [&](int width, int height, std::size_t count, std::uint32_t seed) {
        return tiles_in_disorder(edge, width, height, count, seed);
    };
    const Shape tiles = of(16, 16, few ? 42 : 700, 1), others = of(16, 16, few ? 42 : 700, 2);
    const Shape odd = of(13, 17, few ? 48 : 780, 3), more = of(17, 13, few ? 50 : 800, 4);
    const Shape in_rows = few ? rows(0, 112, 3, 96, 1) : rows(0, 448, 3, 400, 1);
    const std::pair<const Shape &, const Shape &> shapes[] = {
        {tiles, others}, {tiles, tiles}, {odd, more}, {tiles, in_rows}, {in_rows, others}};
    std::size_t turn = 0;
    for_each_pair([&](const EndKind &from, const EndKind &to) {
        const auto &[out, in] = shapes[turn++ % 5];
        around(from, to, PIXMPI_RGBA8, out, in, edge);
    });
}

RANK_CASE(regions, alike, 1) {
    // The same rectangles at another place: they travel by strips, the nearly full ones as boxes.
    const int part = layers_watch() ? 4 : 1, side = 480 / part, edge = side + 32;
    const auto share = [&](int count) { return static_cast<std::size_t>(count / (part * part)); };
    const auto moved = [](const Shape &shape, int x, int y) {
        std::vector<pixMPI_Rect> rects = shape.rects;
        for (pixMPI_Rect &rect : rects)
            rect = {rect.x + x, rect.y + y, rect.width, rect.height};
        return list_of(std::move(rects));
    };
    std::vector<pixMPI_Rect> full, overlapping, apart, rows_with_gaps;
    for (int y = 0; y < 400 / part; y += 8)
        for (int x = 0; x < 400 / part; x += 40)
            full.push_back({x, y, 40, 8});
    const int width = 60 / part, height = 20 / part;
    for (int i = 0; i < 150; ++i) {
        overlapping.push_back({i * 37 % (400 / part), i * 53 % (400 / part), width, height});
        apart.push_back({i % 8 * width, i / 8 * height, width, height});
    }
    for (int y = 0; y < side; ++y)
        rows_with_gaps.push_back({y % 7, y, side - y % 11, 1});
    const Shape shapes[] = {triangle(PIXMPI_LOWER, 0, 0, 0, side),
                            triangle(PIXMPI_UPPER, 1, 0, 0, side),
                            tiles_in_disorder(side, 16, 16, share(700), 5),
                            tiles_in_disorder(side, 13, 17, share(780), 6),
                            columns(0, side, 0, side / (4 * part), 4),
                            list_of(full),
                            list_of(overlapping),
                            list_of(rows_with_gaps)};
    const Shape not_overlapping = list_of(apart);
    std::size_t turn = 0;
    for_each_pair([&](const EndKind &from, const EndKind &to) {
        const std::vector<pixMPI_Format> &formats = formats_of_all();
        const Shape &shape = shapes[turn % 8];
        const pixMPI_Format format = formats[turn / 8 % formats.size()];
        const Shape &there = turn++ % 8 == 6 ? not_overlapping : shape; // as what is received must be
        around(from, to, format, moved(shape, 3, 20), moved(there, 17, 9), edge);
    });
    // What one end sends is what the other end wants, but in another order.
    for_each_pair([&](const EndKind &from, const EndKind &to) {
        std::vector<pixMPI_Rect> turned = shapes[2].rects;
        std::reverse(turned.begin(), turned.end());
        around(from, to, PIXMPI_RGBA8, shapes[2], list_of(std::move(turned)), edge);
    });
}

RANK_CASE(regions, empty, 1) {
    const auto out = make_memory(PIXMPI_RGBA8, 16, 16), in = make_memory(PIXMPI_RGBA8, 16, 16);
    const Bytes before = in->fill(1);
    out->fill(2);
    for (const Shape &nothing : {rectangle(3, 3, 0, 5), list_of({}), rows(0, 16, 0, 0, 1), rectangle(16, 16, 0, 0)})
        for (int receiver_is_empty : {0, 1}) {
            pixMPI_Request request;
            MPI_Status status;
            CHECK_OK(in->irecv(receiver_is_empty ? nothing : PIXMPI_WHOLE, previous_rank(), 1, &request));
            CHECK_OK(out->send(nothing, next_rank(), 1));
            NEED_OK(pixMPI_Wait(&request, &status));
            CHECK_STATUS(status, previous_rank(), 1, 0u, PIXMPI_RGBA8);
        }
    CHECK_PIXELS(in->read(), before, 16, 4);
}

RANK_CASE(regions, freed_while_under_way, 1) {
    const auto out = make_memory(PIXMPI_RGBA8, 1000, 700), in = make_memory(PIXMPI_RGBA8, 1000, 700);
    out->fill(seed_of(1, static_cast<std::uint64_t>(rank)));
    pixMPI_Request requests[2];
    {
        const Shape from = columns(0, 700, 0, 1000, 1), to = columns(0, 700, 999, 1000, -1);
        CHECK_OK(in->irecv(to, previous_rank(), 1, &requests[0]));
        CHECK_OK(out->isend(from, next_rank(), 1, &requests[1]));
    }
    NEED_OK(pixMPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    Bytes expected(in->bytes());
    unpack(expected, 1000, 4, columns(0, 700, 999, 1000, -1),
           pack(pattern(out->bytes(), seed_of(1, static_cast<std::uint64_t>(previous_rank()))), 1000, 4,
                columns(0, 700, 0, 1000, 1)));
    CHECK_PIXELS(in->read(), expected, 1000, 4);
}

RANK_CASE(regions, thousands_of_rectangles, 2) {
    // 10,000 random rectangles, which overlap in what is sent; received as a picture, and as many small tiles.
    std::vector<pixMPI_Rect> rects;
    std::uint64_t random = 77;
    for (int i = 0; i < 10'000; ++i) {
        random = seed_of(random);
        rects.push_back({static_cast<int>(random % 1000), static_cast<int>((random >> 20) % 1000), 16, 16});
    }
    const Shape scattered = list_of(rects);
    const auto end = make_memory(PIXMPI_RGBA8, 1024, 1024);
    if (rank == 0) {
        end->fill(31);
        for (int other = 1; other < size; ++other)
            CHECK_OK(end->send(scattered, other, 1));
    } else {
        const auto tiles = make_memory(PIXMPI_RGBA8, 1600, 1600);
        const Shape in_tiles = blocks({0, 0, 16, 16}, 100, 100, 16, 16);
        Bytes expected(tiles->bytes());
        CHECK_OK(tiles->recv(in_tiles, 0, 1, MPI_STATUS_IGNORE));
        unpack(expected, 1600, 4, in_tiles, pack(pattern(end->bytes(), 31), 1024, 4, scattered));
        CHECK_PIXELS(tiles->read(), expected, 1600, 4);
    }
}
