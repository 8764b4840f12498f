// Rectangles of surfaces as separate surfaces, of every API, in every kind of call.
#include "rig/ends.h"

#include <pixmpi_collectives.h>
#include <pixmpi_compositor.h>
#include <pixmpi_partitioned.h>

using namespace api;

namespace {

constexpr int edge = 64;
constexpr pixMPI_Rect from_rect{5, 7, 40, 30}, to_rect{21, 3, 40, 30};

pixMPI_Surface sub(const pixMPI_Surface &surface, const pixMPI_Rect &rect) {
    return pixMPI_Sub(surface, rect.x, rect.y, rect.width, rect.height);
}

Shape shape_of(const pixMPI_Rect &rect) { return rectangle(rect.x, rect.y, rect.width, rect.height); }

/// The same rectangles as seen from the corner of `rect`.
Shape relative(const Shape &shape, const pixMPI_Rect &rect) {
    std::vector<pixMPI_Rect> rects = shape.rects;
    for (pixMPI_Rect &one : rects)
        one = {one.x - rect.x, one.y - rect.y, one.width, one.height};
    return list_of(rects);
}

/// Two ends of 64 x 64 pixels, and what the second one ought to hold.
struct Two {
    Two(const EndKind &from, const EndKind &to, pixMPI_Format format = PIXMPI_RGBA8)
        : out(from.make(format, edge, edge)), in(to.make(format, edge, edge)) {
        out->fill(seed_of(21, static_cast<std::uint64_t>(rank)));
        expected = in->fill(22);
    }
    void take(const Shape &sent, const Shape &received, int of) {
        const Bytes theirs = pattern(out->bytes(), seed_of(21, static_cast<std::uint64_t>(of)));
        unpack(expected, edge, in->pixel_bytes, received, pack(theirs, edge, in->pixel_bytes, sent));
    }
    void check() {
        CHECK_PIXELS(in->read(), expected, edge, in->pixel_bytes);
        in->check_surroundings();
    }
    void check(const Shape &sent, const Shape &received, int of) {
        take(sent, received, of);
        check();
    }
    std::unique_ptr<End> out, in;
    Bytes expected;
};

} // namespace

RANK_CASE(regions, rectangles_of_surfaces, 1) {
    for_each_pair([](const EndKind &from, const EndKind &to) {
        note("%s to %s", from.name, to.name);
        Two two(from, to);
        const pixMPI_Surface out = two.out->any(), in = two.in->any();
        NEED_OK(pixMPI_Sendrecv(sub(out, from_rect), PIXMPI_WHOLE, next_rank(), 1, sub(in, to_rect), PIXMPI_WHOLE,
                                previous_rank(), 1, world(), MPI_STATUS_IGNORE));
        two.check(shape_of(from_rect), shape_of(to_rect), previous_rank());
        // A rectangle of a rectangle; regions count from its corner.
        const Shape sent = columns(20, 12, 10, 9, 2), received = list_of({{30, 10, 9, 5}, {31, 20, 9, 7}});
        const pixMPI_Rect inner{2, 3, 35, 26};
        NEED_OK(pixMPI_Sendrecv(sub(sub(out, from_rect), inner),
                                relative(sent, {from_rect.x + inner.x, from_rect.y + inner.y, 0, 0}), next_rank(), 1,
                                sub(in, to_rect), relative(received, to_rect), previous_rank(), 1, world(),
                                MPI_STATUS_IGNORE));
        two.check(sent, received, previous_rank());
        NEED_OK(pixMPI_Copy(sub(out, to_rect), PIXMPI_WHOLE, sub(in, from_rect), PIXMPI_WHOLE));
        two.check(shape_of(to_rect), shape_of(from_rect), rank);
        // A region for each rank, all of them in one rectangle.
        std::vector<Shape> shapes;
        std::vector<pixMPI_Region> regions;
        for (int of = 0; of < size; ++of)
            regions.push_back(shapes.emplace_back(rectangle(9 + 4 * of, 8, 4, 5)));
        NEED_OK(
            pixMPI_Allgather(sub(out, {1, 2, 4, 5}), PIXMPI_WHOLE, sub(in, {1, 1, 62, 60}), regions.data(), world()));
        for (int of = 0; of < size; ++of)
            two.take(rectangle(1, 2, 4, 5), rectangle(10 + 4 * of, 9, 4, 5), of);
        two.check();
    });
}

RANK_CASE(regions, rectangles_in_collectives, 1) {
    for (const EndKind &kind : end_kinds()) {
        note("%s", kind.name);
        // The root's rectangle, into another one on the others.
        const auto end = kind.make(PIXMPI_RGBA8, edge, edge);
        const bool root = rank == 0;
        const Bytes sent = pattern(end->bytes(), 31);
        Bytes expected = root ? sent : pattern(end->bytes(), 32);
        end->write(expected);
        NEED_OK(pixMPI_Bcast(sub(end->any(), root ? from_rect : to_rect), PIXMPI_WHOLE, 0, world()));
        if (!root)
            unpack(expected, edge, 4, shape_of(to_rect), pack(sent, edge, 4, shape_of(from_rect)));
        CHECK_PIXELS(end->read(), expected, edge, 4);
        // Sums, in place and not.
        Bytes ones(end->bytes(), 1), sums(end->bytes(), 1);
        end->write(ones);
        NEED_OK(pixMPI_Allreduce(pixMPI_In_place(), PIXMPI_WHOLE, sub(end->any(), to_rect), PIXMPI_WHOLE, PIXMPI_SUM,
                                 world()));
        const Shape part = shape_of(to_rect);
        unpack(sums, edge, 4, part, Bytes(4 * part.pixels(), static_cast<std::uint8_t>(size)));
        CHECK_PIXELS(end->read(), sums, edge, 4);
        const auto picture = kind.make(PIXMPI_RGBA8, edge, edge);
        Bytes composed = picture->fill(33);
        end->write(ones);
        NEED_OK(pixMPI_Allreduce(sub(end->any(), from_rect), PIXMPI_WHOLE, sub(picture->any(), to_rect), PIXMPI_WHOLE,
                                 PIXMPI_SUM, world()));
        unpack(composed, edge, 4, part, Bytes(4 * part.pixels(), static_cast<std::uint8_t>(size)));
        CHECK_PIXELS(picture->read(), composed, edge, 4);
        // The compositor takes a rectangle for the whole picture.
        pixMPI_Compositor compositor = PIXMPI_COMPOSITOR_NULL;
        NEED_OK(pixMPI_Compositor_create(PIXMPI_SUM, PIXMPI_RESULT_ALL, world(), &compositor));
        composed = picture->fill(34);
        NEED_OK(pixMPI_Composite(sub(end->any(), from_rect), PIXMPI_WHOLE, sub(picture->any(), to_rect), compositor));
        unpack(composed, edge, 4, part, Bytes(4 * part.pixels(), static_cast<std::uint8_t>(size)));
        CHECK_PIXELS(picture->read(), composed, edge, 4);
        NEED_OK(pixMPI_Compositor_free(&compositor));
    }
}

RANK_CASE(regions, rectangles_with_depth, 1) {
    // The planes' rectangles may lie elsewhere in each; a rectangle of both counts from their corners.
    const auto color = make_memory(PIXMPI_RGBA8, edge, edge), depth = make_memory(PIXMPI_DEPTH32F, edge, edge),
               packed = make_memory(PIXMPI_RGBA8, 4, 1), packed_depth = make_memory(PIXMPI_DEPTH32F, 4, 1);
    const Bytes colors = color->fill(41), depths = depth->fill(42);
    const pixMPI_Surface color_part = sub(color->any(), from_rect), depth_part = sub(depth->any(), to_rect);
    const pixMPI_Surface row = packed->any(), depth_row = packed_depth->any();
    NEED_OK(pixMPI_Sendrecv(pixMPI_Sub(pixMPI_With_depth(&color_part, &depth_part), 3, 9, 4, 1), PIXMPI_WHOLE, rank, 1,
                            pixMPI_With_depth(&row, &depth_row), PIXMPI_WHOLE, rank, 1, world(), MPI_STATUS_IGNORE));
    CHECK_PIXELS(packed->read(), pack(colors, edge, 4, rectangle(from_rect.x + 3, from_rect.y + 9, 4, 1)), 4, 4);
    CHECK_PIXELS(packed_depth->read(), pack(depths, edge, 4, rectangle(to_rect.x + 3, to_rect.y + 9, 4, 1)), 4, 4);
}

RANK_CASE(regions, rectangles_in_partitions, 1) {
    for (const EndKind &kind : end_kinds()) {
        note("%s", kind.name);
        Two two(kind, kind);
        const Shape upper = rectangle(0, 0, 40, 10), lower = rectangle(0, 10, 40, 20);
        const pixMPI_Region parts[] = {upper, lower};
        pixMPI_Request requests[2];
        NEED_OK(pixMPI_Psend_init(sub(two.out->any(), from_rect), 2, parts, next_rank(), 3, world(), &requests[0]));
        NEED_OK(pixMPI_Precv_init(sub(two.in->any(), to_rect), 2, parts, previous_rank(), 3, world(), &requests[1]));
        NEED_OK(pixMPI_Startall(2, requests));
        NEED_OK(pixMPI_Pready_range(0, 1, requests[0]));
        NEED_OK(pixMPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        for (pixMPI_Request &request : requests)
            NEED_OK(pixMPI_Request_free(&request));
        two.check(shape_of(from_rect), shape_of(to_rect), previous_rank());
    }
}

RANK_CASE(regions, rectangles_that_are_not_within, 1) {
    for (const EndKind &kind : end_kinds()) {
        note("%s", kind.name);
        const auto end = kind.make(PIXMPI_RGBA8, edge, edge);
        const Bytes before = end->fill(51);
        const pixMPI_Surface whole = end->any(), part = sub(whole, from_rect);
        const auto refused = [](const pixMPI_Surface &surface, const char *words) {
            CHECK_FAILS(pixMPI_Send(surface, PIXMPI_WHOLE, rank, 1, world()), PIXMPI_ERR_REGION, words);
            CHECK_FAILS(pixMPI_Bcast(surface, PIXMPI_WHOLE, 0, world()), PIXMPI_ERR_REGION, words);
        };
        refused(pixMPI_Sub(whole, 60, 0, 5, 1), "surface.part 5x1 (60, 0) 64x64");
        refused(pixMPI_Sub(whole, 0, -1, 5, 1), "surface.part (0, -1)");
        refused(pixMPI_Sub(whole, 0, 0, 2'000'000'000, 1), "surface.part 2000000000x1");
        refused(pixMPI_Sub(whole, 2'000'000'000, 0, 2'000'000'000, 1), "surface.part");
        refused(pixMPI_Sub(part, 1, 0, 40, 1), "surface.part"); // of a rectangle, in the surface
        refused(pixMPI_Sub(pixMPI_Sub(part, 1, 0, 40, 1), 0, 0, 1, 1), "surface.part");
        CHECK_FAILS(pixMPI_Send(part, rectangle(38, 0, 3, 1), rank, 1, world()), PIXMPI_ERR_REGION, "region 40x30");
        pixMPI_Request nothing;
        CHECK_OK(pixMPI_Isend(pixMPI_Sub(whole, 64, 64, 0, 0), PIXMPI_WHOLE, MPI_PROC_NULL, 1, world(), &nothing));
        CHECK_OK(pixMPI_Wait(&nothing, MPI_STATUS_IGNORE));
        CHECK_PIXELS(end->read(), before, edge, 4);
    }
}

RANK_CASE(regions, surfaces_have_formats_and_sizes, 1) {
    for (const EndKind &kind : end_kinds()) {
        note("%s", kind.name);
        const auto end = kind.make(PIXMPI_RGBA8, edge, edge - 1);
        pixMPI_Format format = PIXMPI_FORMAT_NONE;
        int width = 0, height = 0;
        CHECK_OK(pixMPI_Surface_get_format(end->any(), &format));
        CHECK_EQ(format, PIXMPI_RGBA8);
        CHECK_OK(pixMPI_Surface_get_size(end->any(), &width, &height));
        CHECK_EQ(width, edge);
        CHECK_EQ(height, edge - 1);
        CHECK_OK(pixMPI_Surface_get_size(sub(end->any(), from_rect), &width, nullptr));
        CHECK_EQ(width, from_rect.width);
        CHECK_FAILS(pixMPI_Surface_get_size(pixMPI_Sub(end->any(), 0, 0, 1, edge), &width, &height), PIXMPI_ERR_REGION,
                    "pixMPI_Surface_get_size surface.part 1x64");
        CHECK_EQ(width, from_rect.width);
    }
    CHECK_FAILS(pixMPI_Surface_get_format(pixMPI_In_place(), nullptr), PIXMPI_ERR_SURFACE, "in place");
}

RANK_CASE(regions, need_no_commit, 1) {
    const auto out = make_memory(PIXMPI_R8, edge, edge), in = make_memory(PIXMPI_R8, edge, edge);
    const Bytes sent = out->fill(61);
    Bytes expected = in->fill(62);
    pixMPI_Region columns_of = PIXMPI_REGION_NULL;
    CHECK_OK(pixMPI_Region_columns(3, 20, 5, 7, 3, &columns_of));
    NEED_OK(
        pixMPI_Sendrecv(out->any(), columns_of, rank, 1, in->any(), columns_of, rank, 1, world(), MPI_STATUS_IGNORE));
    const Shape same = columns(3, 20, 5, 7, 3);
    unpack(expected, edge, 1, same, pack(sent, edge, 1, same));
    CHECK_PIXELS(in->read(), expected, edge, 1);
    CHECK_OK(pixMPI_Region_free(&columns_of));
}
