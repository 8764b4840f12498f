// Work lists: any range of packed pixels, as pieces of rectangles in order.
#include "regions.h"
#include "worklist.h"

#include <gtest/gtest.h>
#include <random>

using namespace regions;
using pixmpi::for_each_piece;
using pixmpi::Piece;
using pixmpi::Region;

namespace {

Region committed(const std::vector<pixMPI_Rect> &rects) {
    Region region;
    for (const pixMPI_Rect &rect : rects)
        region.add(rect);
    region.commit();
    return region;
}

/// The pixels of a range, from its pieces; checks that those follow each other without gaps.
Pixels range(const Region &region, std::uint64_t first, std::uint64_t count, int *pieces = nullptr) {
    Pixels pixels;
    int visited = 0;
    for_each_piece(region, first, count, [&](const Piece &piece) {
        EXPECT_EQ(piece.at, pixels.size());
        EXPECT_GT(piece.rect.width, 0);
        EXPECT_GT(piece.rect.height, 0);
        for (int y = 0; y < piece.rect.height; ++y)
            for (int x = 0; x < piece.rect.width; ++x)
                pixels.push_back({piece.rect.x + x, piece.rect.y + y});
        ++visited;
    });
    if (pieces)
        *pieces = visited;
    return pixels;
}

} // namespace

TEST(worklist, every_range_of_a_small_region) {
    const std::vector<pixMPI_Rect> rects{{2, 3, 4, 3}, {0, 0, 1, 5}, {9, 9, 1, 1}, {5, 0, 6, 1}, {2, 3, 2, 2}};
    const Region region = committed(rects);
    const Pixels all = range(region, 0, region.pixels);
    EXPECT_EQ(all.size(), region.pixels);
    for (std::uint64_t first = 0; first <= region.pixels; ++first)
        for (std::uint64_t count = 0; first + count <= region.pixels; ++count) {
            const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
            ASSERT_EQ(range(region, first, count), Pixels(begin, begin + static_cast<std::ptrdiff_t>(count)));
        }
}

TEST(worklist, no_pixels_no_pieces) {
    const Region region = committed({});
    EXPECT_EQ(range(region, 0, 0), Pixels{});
}

TEST(worklist, few_pieces) {
    const Region region = committed({{0, 0, 10, 10}});
    int pieces = 0;
    range(region, 0, 100, &pieces);
    EXPECT_EQ(pieces, 1);
    range(region, 10, 30, &pieces);
    EXPECT_EQ(pieces, 1) << "whole rows";
    range(region, 13, 4, &pieces);
    EXPECT_EQ(pieces, 1) << "within a row";
    range(region, 13, 10, &pieces);
    EXPECT_EQ(pieces, 2) << "the end of a row and the beginning of the next";
    range(region, 13, 60, &pieces);
    EXPECT_EQ(pieces, 3);
}

TEST(worklist, random_regions_in_random_bands) {
    std::mt19937 random(7);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    for (int round = 0; round < 300; ++round) {
        std::vector<pixMPI_Rect> rects;
        for (int i = below(30); i >= 0; --i)
            rects.push_back({below(50), below(50), below(9), below(9)});
        const Region region = committed(rects);
        Pixels expected, banded;
        for (const pixMPI_Rect &r : rects)
            for (int y = 0; y < r.height; ++y)
                for (int x = 0; x < r.width; ++x)
                    expected.push_back({r.x + x, r.y + y});
        const std::uint64_t most = static_cast<std::uint64_t>(below(200)) + 1;
        for (std::uint64_t at = 0; at < region.pixels;) {
            const std::uint64_t count = std::min(region.pixels - at, random() % most + 1);
            const Pixels band = range(region, at, count);
            banded.insert(banded.end(), band.begin(), band.end());
            at += count;
        }
        ASSERT_EQ(banded, expected) << "round " << round;
    }
}

TEST(worklist, more_pixels_than_an_int_counts) {
    const Region region = committed({{0, 0, 100'000, 100'000}, {0, 100'000, 7, 7}});
    int pieces = 0;
    EXPECT_EQ(range(region, 9'999'999'998u, 4, &pieces),
              (Pixels{{99'998, 99'999}, {99'999, 99'999}, {0, 100'000}, {1, 100'000}}));
    EXPECT_EQ(pieces, 2);
}
