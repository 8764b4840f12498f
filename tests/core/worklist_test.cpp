// Work lists: any range of packed pixels, as pieces of rectangles in order.
#include "region/worklist.h"
#include "region/worklist_units.h"
#include "regions.h"

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

namespace {

/// What shaders/pack_image.comp does, pixel by pixel: the place of the buffer for each of the surface's pixels. Checks
/// that no place is written twice.
Pixels walked(const Region &region, std::uint64_t first, std::uint64_t count, const pixmpi::Cut &cut) {
    const pixmpi::WorkList list = pixmpi::cut_work(region, first, count, cut);
    using Pixel = Pixels::value_type;
    Pixels packed(count, Pixel{-1, -1});
    std::uint32_t units = 0;
    for (std::size_t n = 0; n < list.pieces.size(); ++n) {
        const pixmpi::WorkPiece &piece = list.pieces[n];
        EXPECT_EQ(piece.first_unit, units);
        const std::uint32_t end = n + 1 < list.pieces.size() ? list.pieces[n + 1].first_unit : list.units;
        const std::uint32_t columns = piece.shape & 0xffffff, shift = piece.shape >> 24 & 7;
        const bool right = piece.shape >> 31;
        const int wide = (right ? 8 : 1) << shift, high = 256 / wide;
        const int dx = static_cast<std::int16_t>(piece.slant & 0xffff),
                  longer = static_cast<std::int16_t>(piece.slant >> 16);
        for (; units < end; ++units) {
            if (list.kind() == 2) {
                EXPECT_EQ(list.owners.at(units), n);
            }
            const auto inside = units - piece.first_unit;
            const int left = static_cast<int>(inside % columns) * wide, top = static_cast<int>(inside / columns) * high;
            for (int row = top; row < std::min(top + high, static_cast<int>(piece.rows)); ++row) {
                const int width = static_cast<int>(piece.width) + row * longer;
                const int at =
                    static_cast<int>(piece.at) + row * static_cast<int>(piece.width) + longer * (row * (row - 1) / 2);
                const int per = static_cast<int>(cut.pixels_in_word), word = at / per + left;
                const int begin = std::max(at, word * per), stop = std::min(at + width, (word + wide) * per);
                for (int i = begin; i < stop; ++i) {
                    Pixel &place = packed.at(static_cast<std::size_t>(i));
                    EXPECT_EQ(place, (Pixel{-1, -1})) << "twice: " << i;
                    place = {static_cast<int>(piece.corner & 0xffff) + row * dx + i - at,
                             static_cast<int>(piece.corner >> 16) + row * piece.down};
                }
            }
        }
    }
    EXPECT_EQ(units, list.units);
    return packed;
}

void check_walks(const Region &region, std::uint64_t first, std::uint64_t count) {
    const Pixels expected = range(region, first, count);
    for (const pixmpi::Direction direction : {pixmpi::Direction::pack, pixmpi::Direction::unpack})
        for (const std::uint32_t bytes : {1u, 2u, 4u, 16u})
            ASSERT_EQ(walked(region, first, count, pixmpi::Cut::of(direction, bytes)), expected)
                << (direction == pixmpi::Direction::pack ? "pack" : "unpack") << ", pixels of " << bytes;
}

} // namespace

TEST(worklist, units_cover_shapes_once) {
    std::vector<pixMPI_Rect> lower, upper, diagonal, strided, disc, column{{7, 1, 1, 700}}, row{{3, 2, 700, 1}};
    for (int i = 0; i < 90; ++i) {
        lower.push_back({0, i, i + 1, 1});
        upper.push_back({i, i, 90 - i, 1});
        diagonal.push_back({i, i, 1, 1});
        strided.push_back({5, 3 * i, 70, 1});
        disc.push_back({std::abs(i - 45), i, 120 - 2 * std::abs(i - 45), 1});
    }
    for (const auto &rects :
         {lower, upper, diagonal, strided, disc, column, row, {{2, 3, 300, 200}}, {{0, 0, 17, 33}}}) {
        const Region region = committed(rects);
        check_walks(region, 0, region.pixels);
        check_walks(region, 3, region.pixels - 5);
        check_walks(region, region.pixels / 3, region.pixels / 2);
    }
}

TEST(worklist, units_cover_random_regions_once) {
    std::mt19937 random(7);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    for (int round = 0; round < 60; ++round) {
        std::vector<pixMPI_Rect> rects;
        const int thin = below(3);
        for (int i = below(40) + 1; i > 0; --i)
            rects.push_back({below(200), below(200), below(90) + 1, thin ? 1 : below(40) + 1});
        const Region region = committed(rects);
        const std::uint64_t first = random() % region.pixels;
        check_walks(region, first, random() % (region.pixels - first) + 1);
    }
}

TEST(worklist, joins_rows_and_needs_no_list_for_rectangles) {
    const pixmpi::Cut cut = pixmpi::Cut::of(pixmpi::Direction::pack, 4);
    std::vector<pixMPI_Rect> triangle;
    for (int i = 0; i < 64; ++i)
        triangle.push_back({0, i, i + 1, 1});
    EXPECT_LE(pixmpi::cut_work(committed(triangle), 0, 64 * 65 / 2, cut).pieces.size(), 5u);
    const pixmpi::WorkList band = pixmpi::cut_work(committed({{4, 5, 100, 100}}), 33, 5000, cut);
    EXPECT_EQ(band.kind(), 0u);
    EXPECT_EQ(pixmpi::cut_work(committed({{70000, 0, 1, 1}}), 0, 1, cut).units, 0u);
}
