// Regions: their pixels and the order of these; what is refused, and the words for it.
#include "region/slice.h"
#include "regions.h"

#include <climits>
#include <gtest/gtest.h>

using namespace regions;

namespace {

/// The pixels of rectangles one after another.
Pixels naive(const std::vector<pixMPI_Rect> &rects) {
    Pixels pixels;
    for (const pixMPI_Rect &r : rects)
        for (int y = 0; y < r.height; ++y)
            for (int x = 0; x < r.width; ++x)
                pixels.push_back({r.x + x, r.y + y});
    return pixels;
}

std::vector<pixMPI_Rect> rects_of(pixMPI_Region region) {
    int count = -1;
    EXPECT_EQ(pixMPI_Region_rects(region, 0, nullptr, &count), PIXMPI_SUCCESS);
    std::vector<pixMPI_Rect> rects(static_cast<std::size_t>(count));
    EXPECT_EQ(pixMPI_Region_rects(region, count, rects.data(), &count), PIXMPI_SUCCESS);
    return rects;
}

/// The pixels of a new region, after a look at everything else that it says of itself; frees it.
Pixels taken(pixMPI_Region region) {
    const Pixels pixels = naive(rects_of(region));
    int64_t count = -1;
    EXPECT_EQ(pixMPI_Region_pixels(region, &count), PIXMPI_SUCCESS);
    EXPECT_EQ(count, static_cast<int64_t>(pixels.size()));
    pixMPI_Rect bounds{-1, -1, -1, -1};
    EXPECT_EQ(pixMPI_Region_bounds(region, &bounds), PIXMPI_SUCCESS);
    EXPECT_EQ(bounds, bounds_of(pixels));
    EXPECT_EQ(pixMPI_Region_free(&region), PIXMPI_SUCCESS);
    EXPECT_EQ(region, PIXMPI_REGION_NULL);
    return pixels;
}

/// A constructor's result; the test has failed when there is none.
template <class Make, class... Arguments> pixMPI_Region made(Make make, Arguments... arguments) {
    pixMPI_Region region = PIXMPI_REGION_NULL;
    EXPECT_EQ(make(arguments..., &region), PIXMPI_SUCCESS) << pixMPI_Error_text();
    EXPECT_NE(region, PIXMPI_REGION_NULL);
    EXPECT_NE(region, PIXMPI_WHOLE);
    return region;
}

pixMPI_Region rect(int x, int y, int width, int height) { return made(pixMPI_Region_rect, x, y, width, height); }

pixMPI_Region indexed(const std::vector<pixMPI_Rect> &rects) {
    pixMPI_Region region = PIXMPI_REGION_NULL;
    EXPECT_EQ(pixMPI_Region_indexed(static_cast<int>(rects.size()), rects.data(), &region), PIXMPI_SUCCESS)
        << pixMPI_Error_text();
    return region;
}

using Rects = std::vector<pixMPI_Rect>;

} // namespace

TEST(region, rectangle) {
    EXPECT_EQ(taken(rect(3, -2, 4, 5)), naive({{3, -2, 4, 5}}));
    EXPECT_EQ(taken(rect(7, 7, 0, 5)), Pixels{});
    EXPECT_EQ(taken(rect(7, 7, 5, 0)), Pixels{});
    EXPECT_EQ(taken(rect(INT_MAX, INT_MIN, 0, 0)), Pixels{});
    const pixMPI_Region large = rect(0, 0, INT_MAX, INT_MAX);
    int64_t pixels = 0;
    EXPECT_EQ(pixMPI_Region_pixels(large, &pixels), PIXMPI_SUCCESS);
    EXPECT_EQ(pixels, int64_t{INT_MAX} * INT_MAX);
}

TEST(region, indexed_keeps_order_and_overlaps) {
    const Rects rects{{5, 5, 3, 2}, {0, 0, 1, 1}, {6, 6, 3, 2}, {0, 0, 0, 9}, {0, 0, 1, 1}};
    EXPECT_EQ(taken(indexed(rects)), naive(rects));
    EXPECT_EQ(taken(indexed({})), Pixels{});
    EXPECT_EQ(taken(made(pixMPI_Region_indexed, 0, nullptr)), Pixels{});
}

TEST(region, neighbours_that_continue_each_other_are_joined) {
    const auto joined = [](const Rects &rects) {
        const pixMPI_Region region = indexed(rects);
        const Rects result = rects_of(region);
        EXPECT_EQ(taken(region), naive(rects));
        return result;
    };
    EXPECT_EQ(joined({{2, 0, 3, 1}, {2, 1, 3, 4}, {2, 5, 3, 2}}), (Rects{{2, 0, 3, 7}}));
    EXPECT_EQ(joined({{2, 0, 3, 1}, {5, 0, 2, 1}}), (Rects{{2, 0, 5, 1}}));
    EXPECT_EQ(joined({{0, 0, 4, 1}, {0, 1, 2, 1}, {2, 1, 2, 1}, {0, 2, 4, 1}}), (Rects{{0, 0, 4, 3}}));
    EXPECT_EQ(joined({{2, 0, 3, 2}, {5, 0, 2, 2}}).size(), 2u) << "side by side is another order";
    EXPECT_EQ(joined({{2, 4, 3, 2}, {2, 2, 3, 2}}).size(), 2u) << "downwards is another order";
    EXPECT_EQ(joined({{2, 0, 3, 1}, {2, 0, 3, 1}}).size(), 2u) << "twice the same";
    EXPECT_EQ(joined({{2, 0, 3, 1}, {4, 1, 0, 7}, {2, 1, 3, 1}}), (Rects{{2, 0, 3, 2}})) << "an empty one between";
}

TEST(region, joining_does_not_leave_the_range_of_int) {
    pixMPI_Region region = PIXMPI_REGION_NULL;
    const pixMPI_Rect halves[] = {{INT_MIN, 0, INT_MAX, 1}, {-1, 0, 10, 1}};
    EXPECT_EQ(pixMPI_Region_indexed(2, halves, &region), PIXMPI_ERR_ARGUMENT);
}

TEST(region, strided) {
    const auto blocks = [](pixMPI_Rect block, int columns, int rows, int stride_x, int stride_y) {
        Rects rects;
        for (int j = 0; j < rows; ++j)
            for (int i = 0; i < columns; ++i)
                rects.push_back({block.x + i * stride_x, block.y + j * stride_y, block.width, block.height});
        return naive(rects);
    };
    for (const int stride_x : {0, 1, 3, 4, 7, -3, -5})
        for (const int stride_y : {0, 1, 2, 5, -2})
            for (const pixMPI_Rect block : {pixMPI_Rect{1, 2, 3, 2}, {0, 0, 3, 1}, {4, 4, 1, 2}, {4, 4, 1, 1}})
                for (const int columns : {0, 1, 4})
                    for (const int rows : {0, 1, 3})
                        EXPECT_EQ(taken(made(pixMPI_Region_strided, block, columns, rows, stride_x, stride_y)),
                                  blocks(block, columns, rows, stride_x, stride_y))
                            << stride_x << " " << stride_y << " " << block.width << "x" << block.height;
}

TEST(region, rows_and_columns) {
    EXPECT_EQ(taken(made(pixMPI_Region_rows, 2, 5, 1, 3, 4)), naive({{2, 1, 5, 1}, {2, 5, 5, 1}, {2, 9, 5, 1}}));
    EXPECT_EQ(taken(made(pixMPI_Region_rows, 2, 5, 9, 3, -4)), naive({{2, 9, 5, 1}, {2, 5, 5, 1}, {2, 1, 5, 1}}));
    EXPECT_EQ(taken(made(pixMPI_Region_columns, 2, 5, 1, 3, 4)), naive({{1, 2, 1, 5}, {5, 2, 1, 5}, {9, 2, 1, 5}}));
    EXPECT_EQ(taken(made(pixMPI_Region_columns, 0, 4, 0, 4, 1)),
              naive({{0, 0, 1, 4}, {1, 0, 1, 4}, {2, 0, 1, 4}, {3, 0, 1, 4}}));
    const pixMPI_Region all = made(pixMPI_Region_rows, 0, 8, 0, INT_MAX, 1);
    EXPECT_EQ(rects_of(all), (Rects{{0, 0, 8, INT_MAX}})) << "two thousand million rows are one rectangle";
}

TEST(region, triangles) {
    for (const int n : {0, 1, 2, 5})
        for (const int diagonal : {0, 1})
            for (const int uplo : {PIXMPI_LOWER, PIXMPI_UPPER}) {
                Pixels expected;
                for (int row = 0; row < n; ++row)
                    for (int column = 0; column < n; ++column)
                        if ((uplo == PIXMPI_LOWER ? column < row : column > row) || (diagonal && column == row))
                            expected.push_back({10 + column, 20 + row});
                EXPECT_EQ(taken(made(pixMPI_Region_triangle, uplo, diagonal, 10, 20, n)), expected)
                    << uplo << " " << diagonal << " " << n;
            }
}

TEST(region, nested_moves_its_parts_and_outlives_them) {
    pixMPI_Region parts[] = {rect(0, 0, 2, 2), indexed({{1, 1, 1, 1}, {9, 0, 2, 1}}), rect(0, 0, 0, 0)};
    const int dx[] = {5, -1, 3}, dy[] = {0, 7, 3};
    const pixMPI_Region once = made(pixMPI_Region_nested, 3, dx, dy, parts);
    const pixMPI_Region again[] = {once, once};
    const pixMPI_Region twice = made(pixMPI_Region_nested, 2, dx, dy, again);
    for (pixMPI_Region &part : parts)
        EXPECT_EQ(pixMPI_Region_free(&part), PIXMPI_SUCCESS);
    EXPECT_EQ(taken(once), naive({{5, 0, 2, 2}, {0, 8, 1, 1}, {8, 7, 2, 1}}));
    EXPECT_EQ(taken(twice),
              naive({{10, 0, 2, 2}, {5, 8, 1, 1}, {13, 7, 2, 1}, {4, 7, 2, 2}, {-1, 15, 1, 1}, {7, 14, 2, 1}}));
    EXPECT_EQ(taken(made(pixMPI_Region_nested, 0, nullptr, nullptr, nullptr)), Pixels{});
}

TEST(region, clipped) {
    const Rects rects{{-5, -5, 10, 10}, {2, 2, 1, 9}, {7, 7, 4, 4}, {0, 0, 1, 1}};
    const pixMPI_Region whole = indexed(rects);
    for (const pixMPI_Rect bounds : {pixMPI_Rect{0, 0, 8, 8}, {-100, -100, 300, 300}, {3, 3, 0, 5}, {2, 2, 1, 1}}) {
        Pixels expected;
        for (const auto &[x, y] : naive(rects))
            if (x >= bounds.x && x < bounds.x + bounds.width && y >= bounds.y && y < bounds.y + bounds.height)
                expected.push_back({x, y});
        EXPECT_EQ(taken(made(pixMPI_Region_clipped, whole, bounds)), expected);
    }
    EXPECT_EQ(taken(whole), naive(rects)) << "as it was";
}

TEST(region, rects_writes_no_more_than_there_is_room) {
    const pixMPI_Region region = indexed({{0, 0, 1, 1}, {5, 0, 1, 1}, {9, 9, 1, 1}});
    Rects rects(3, {7, 7, 7, 7});
    int count = 0;
    EXPECT_EQ(pixMPI_Region_rects(region, 2, rects.data(), &count), PIXMPI_SUCCESS);
    EXPECT_EQ(count, 3);
    EXPECT_EQ(rects, (Rects{{0, 0, 1, 1}, {5, 0, 1, 1}, {7, 7, 7, 7}}));
}

// What JPEG takes packed pixels for.
TEST(region, packed_rows) {
    const auto rows = [](std::initializer_list<pixMPI_Rect> rects) {
        const pixmpi::PackedRows found = pixmpi::packed_rows(*pixmpi::region_of(rects));
        return std::pair(found.width, found.apart);
    };
    const auto none = std::pair(std::uint64_t{0}, false);
    const auto near = [](std::uint64_t width) { return std::pair(width, false); };
    const auto apart = [](std::uint64_t width) { return std::pair(width, true); };
    EXPECT_EQ(rows({}), none);
    EXPECT_EQ(rows({{3, 4, 20, 10}}), near(20));
    EXPECT_EQ(rows({{3, 4, 1, 10}}), near(10)) << "a column";
    EXPECT_EQ(rows({{0, 0, 20, 3}, {0, 9, 20, 5}}), apart(20));
    EXPECT_EQ(rows({{0, 0, 20, 3}, {0, 0, 20, 3}}), apart(20)) << "the same twice";
    EXPECT_EQ(rows({{0, 0, 1, 50}, {2, 0, 1, 50}, {4, 0, 1, 50}}), apart(50)) << "columns";
    EXPECT_EQ(rows({{0, 0, 7, 3}, {0, 9, 7, 3}}), none) << "too narrow";
    EXPECT_EQ(rows({{0, 0, 20, 3}, {0, 9, 21, 3}}), none);
    EXPECT_EQ(rows({{0, 0, 24, 3}, {0, 9, 64, 3}, {0, 20, 8, 8}}), apart(8)) << "cells of a compositor";
    // Slices of a rectangle have its rows, except those that are less than a row and a bit.
    const auto whole = pixmpi::region_of({{10, 20, 30, 40}});
    for (const std::uint64_t first : {0, 1, 29, 30, 65})
        for (const std::uint64_t count : {60, 61, 90, 1000}) {
            const pixmpi::PackedRows found = pixmpi::packed_rows(*pixmpi::slice(whole, first, count));
            EXPECT_EQ(std::pair(found.width, found.apart), near(30)) << first << ' ' << count;
        }
    EXPECT_EQ(rows({{0, 0, 30, 9}, {5, 9, 11, 1}}), none) << "a row that does not begin where the others do";
    EXPECT_EQ(rows({{5, 0, 19, 1}, {0, 1, 30, 9}}), none) << "one that does not end there";
}
