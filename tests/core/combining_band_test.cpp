// What shaders are told of a band that they combine in buffers: their index arithmetic, done here, has to meet each
// pixel once and nothing else.
#include "region/combining_band.h"

#include <gtest/gtest.h>
#include <random>

using namespace pixmpi;

namespace {

std::shared_ptr<Region> region_of(const std::vector<pixMPI_Rect> &rects) {
    auto region = std::make_shared<Region>();
    for (const pixMPI_Rect &rect : rects)
        region->add(rect);
    region->commit();
    return region;
}

/// Calls visit(here, there, count) for each invocation with something to do, as the shaders begin.
template <class Visit> void for_each_invocation(const CombiningDispatch &told, std::uint32_t group, Visit visit) {
    const auto [all, row_size, pitch, unused] = told.sizes;
    for (std::uint32_t row = 0; row < told.down; ++row)
        for (std::uint32_t x = 0; x < told.across * 64; ++x) {
            const std::uint32_t column = x * group, at = row * row_size + column;
            if (column < row_size && at < all)
                visit(row * pitch + column, at, std::min({group, row_size - column, all - at}));
        }
}

constexpr ShaderCombination sum{1, 0, 0}, over{8, 0, 1};

} // namespace

TEST(combining_band, meets_each_byte_once) {
    std::mt19937 random(11);
    const auto between = [&](int least, int most) {
        return least + static_cast<int>(random() % static_cast<unsigned>(most - least + 1));
    };
    for (int round = 0; round < 200; ++round) {
        const int width = between(1, 90), height = between(1, 40), bytes = between(1, 16);
        const std::uint64_t pixel = static_cast<std::uint64_t>(bytes),
                            pitch = static_cast<std::uint64_t>(width) * pixel + (round % 3 ? random() % 9 : 0);
        const int x = between(0, width - 1), y = between(0, height - 1);
        const auto region = region_of({{0, 0, width, y + 1}, {x, y + 1, width - x, height - y}});
        const std::uint64_t first = random() % region->pixels, count = 1 + random() % (region->pixels - first);
        const CombiningBand band(bytes % 4 == 0 && round % 2 ? over : sum, {pixel, pitch}, *region, first, count);
        ASSERT_TRUE(band.possible(1 << 20));
        EXPECT_EQ(band.bytes(), count * pixel);
        std::vector<std::uint64_t> from(static_cast<std::size_t>((height + 1) * static_cast<int>(pitch)), 0);
        for (const Piece &piece : band) {
            const CombiningBand::Bytes place = band.pixels(piece.rect);
            const CombiningDispatch told = band.dispatch(piece, 100 + place.begin, 0, 7);
            for_each_invocation(told, 4 * band.words(), [&](auto here, auto there, auto n) {
                for (std::uint32_t i = 0; i < n; ++i) {
                    const std::uint64_t at = told.places[0] + here + i - 100;
                    ASSERT_LT(at, place.begin + place.size);
                    EXPECT_EQ(from[at], 0u) << "met twice";
                    from[at] = 1 + told.places[1] + there + i - 7; // from 1: what of the band comes here
                }
            });
        }
        std::uint64_t met = 0;
        for_each_piece(*region, first, count, [&](const Piece &piece) {
            std::uint64_t at = piece.at * pixel;
            for (int row = 0; row < piece.rect.height; ++row)
                for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(piece.rect.width) * pixel; ++i, ++at, ++met)
                    ASSERT_EQ(from[static_cast<std::uint64_t>(piece.rect.y + row) * pitch +
                                   static_cast<std::uint64_t>(piece.rect.x) * pixel + i],
                              at + 1);
        });
        EXPECT_EQ(met, band.bytes());
        EXPECT_EQ(static_cast<std::uint64_t>(std::count(from.begin(), from.end(), 0u)), from.size() - met);
    }
}

TEST(combining_band, long_rows_become_several_of_workgroups) {
    const auto region = region_of({{0, 0, 1 << 14, 1 << 13}});
    const CombiningBand band(over, {4, 4 << 14}, *region, 0, region->pixels);
    ASSERT_TRUE(band.possible(std::uint64_t{1} << 30));
    const CombiningDispatch told = band.dispatch(*band.begin(), 0, 0, 0);
    EXPECT_LE(told.across, 65535u);
    EXPECT_GT(told.down, 1u);
    std::uint64_t expected = 0;
    for_each_invocation(
        told, 4, [&](auto here, auto there, auto n) { expected += here == expected && there == expected ? n : 0; });
    EXPECT_EQ(expected, band.bytes());
}

TEST(combining_band, depths_and_colours_keep_together) {
    const auto region = region_of({{2, 1, 5, 3}, {0, 4, 9, 2}});
    for (const std::uint64_t depth : {2, 4, 8}) {
        const CombiningBand band({3, 0, 0}, {12, 12 * 9, 0}, {depth, depth * 9, 12 * region->pixels}, *region, 0,
                                 region->pixels);
        ASSERT_TRUE(band.has_depths());
        EXPECT_EQ(band.bytes(), region->pixels * (12 + depth));
        std::uint64_t met = 0;
        for (const Piece &piece : band) {
            const std::uint64_t colors = band.pixels(piece.rect).begin, depths = band.depths(piece.rect).begin;
            const CombiningDispatch told = band.dispatch(piece, colors, depths, 0);
            const std::uint32_t unit = depth == 2 ? 2 : 4;
            for_each_invocation(told, 1, [&](auto here, auto there, auto) {
                const std::uint64_t y = here / 9, x = here % 9;
                EXPECT_LT(x, static_cast<std::uint64_t>(piece.rect.width));
                EXPECT_EQ(there, y * static_cast<std::uint64_t>(piece.rect.width) + x);
                ++met;
            });
            EXPECT_EQ(told.places[0] * 4, colors);
            EXPECT_EQ(told.places[1] * unit, depths);
            EXPECT_EQ(told.places[2] * 4, piece.at * 12);
            EXPECT_EQ(told.places[3] * unit, 12 * region->pixels + piece.at * depth);
        }
        EXPECT_EQ(met, region->pixels);
    }
}

namespace {

/// The same for a list, as shaders/rectangles.glsl has it.
template <class Visit> void for_each_invocation(const CombiningList &list, std::uint32_t step, Visit visit) {
    const auto [groups, none, neither, count] = list.dispatch.sizes;
    ASSERT_EQ(count, list.rectangles.size());
    ASSERT_GE(list.dispatch.across * list.dispatch.down, groups);
    for (std::uint32_t group = 0; group < groups; ++group) {
        std::size_t one = 0;
        while (one + 1 < count && list.rectangles[one + 1].sizes[3] <= group)
            ++one;
        const auto &[sizes, places] = list.rectangles[one];
        const std::uint32_t in_row = (sizes[1] + step - 1) / step;
        for (std::uint32_t lane = 0; lane < 64; ++lane) {
            const std::uint32_t all = (group - sizes[3]) * 64 + lane, row = all / in_row, column = all % in_row * step;
            const std::uint32_t at = row * sizes[1] + column;
            if (at < sizes[0])
                visit(places, row * sizes[2] + column, at, std::min({step, sizes[1] - column, sizes[0] - at}));
        }
    }
}

/// A board of rectangles; every second one is left out.
std::vector<pixMPI_Rect> board(int side, int width, int height) {
    std::vector<pixMPI_Rect> rects;
    for (int y = 0; y < side; ++y)
        for (int x = y % 2; x < side; x += 2)
            rects.push_back({x * width, y * height, width, height});
    return rects;
}

} // namespace

TEST(combining_band, a_list_meets_each_byte_once) {
    std::mt19937 random(12);
    for (int round = 0; round < 60; ++round) {
        const int side = 5 + static_cast<int>(random() % 8), width = 1 + static_cast<int>(random() % 40),
                  height = 1 + static_cast<int>(random() % 9);
        const std::uint64_t pixel = 1 + random() % 16, pitch = static_cast<std::uint64_t>(side * width) * pixel + 3;
        const auto region = region_of(board(side, width, height));
        const std::uint64_t first = random() % 3, count = region->pixels - first;
        const CombiningBand band(pixel % 4 == 0 && round % 2 ? over : sum, {pixel, pitch}, *region, first, count);
        ASSERT_TRUE(band.is_many());
        ASSERT_TRUE(band.possible(1 << 24));
        const CombiningList list = band.list(100, 0, 7);
        const std::uint64_t begin = band.pixels().begin;
        std::vector<std::uint64_t> from(band.pixels().size, 0);
        for_each_invocation(list, 4 * band.words(), [&](const auto &places, auto here, auto there, auto n) {
            for (std::uint32_t i = 0; i < n; ++i) {
                const std::uint64_t at = places[0] + here + i - 100;
                ASSERT_LT(at, from.size());
                EXPECT_EQ(from[at], 0u) << "met twice";
                from[at] = 1 + places[1] + there + i - 7; // from 1: what of the band comes here
            }
        });
        std::uint64_t met = 0;
        for_each_piece(*region, first, count, [&](const Piece &piece) {
            std::uint64_t at = piece.at * pixel;
            for (int row = 0; row < piece.rect.height; ++row)
                for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(piece.rect.width) * pixel; ++i, ++at, ++met)
                    ASSERT_EQ(from[static_cast<std::uint64_t>(piece.rect.y + row) * pitch +
                                   static_cast<std::uint64_t>(piece.rect.x) * pixel + i - begin],
                              at + 1);
        });
        EXPECT_EQ(met, band.bytes());
        EXPECT_EQ(static_cast<std::uint64_t>(std::count(from.begin(), from.end(), 0u)), from.size() - met);
    }
}

TEST(combining_band, a_list_keeps_depths_and_colours_together) {
    const auto region = region_of(board(7, 5, 3));
    for (const std::uint64_t depth : {2, 4, 8}) {
        const CombiningBand band({3, 0, 0}, {12, 12 * 35, 0}, {depth, depth * 35, 12 * region->pixels}, *region, 0,
                                 region->pixels);
        ASSERT_TRUE(band.is_many());
        const CombiningList list = band.list(band.pixels().begin, band.depths().begin, 0);
        const std::uint32_t unit = depth == 2 ? 2 : 4;
        std::vector<int> met(35 * 21, 0);
        for_each_invocation(list, 1, [&](const auto &places, auto here, auto there, auto) {
            const std::uint64_t pixel = places[0] / 3 + here;
            EXPECT_EQ((places[1] + here * depth / unit) * unit, pixel * depth);
            EXPECT_EQ((places[3] + there * depth / unit) * unit, 12 * region->pixels + (places[2] / 3 + there) * depth);
            ++met[pixel];
        });
        for (std::size_t i = 0; i < met.size(); ++i)
            EXPECT_EQ(met[i], (i % 35 / 5 + i / 35 / 3) % 2 == 0 ? 1 : 0) << i;
    }
}

TEST(combining_band, what_is_too_much_is_not_taken) {
    std::vector<pixMPI_Rect> many;
    for (int i = 0; i < 9; ++i)
        many.push_back({0, 2 * i, 1, 1});
    const auto region = region_of(many);
    EXPECT_TRUE(CombiningBand(sum, {4, 400}, *region, 0, 9).possible(1 << 20));
    EXPECT_FALSE(CombiningBand(sum, {4, 400}, *region, 0, 9).possible(16 * 400)) << "what is between all of them";
    EXPECT_TRUE(CombiningBand(sum, {4, 400}, *region, 1, 8).possible(16 * 400));
    EXPECT_FALSE(CombiningBand(sum, {4, 400}, *region, 1, 8).possible(31)) << "the band's bytes";
    const auto high = region_of({{0, 0, 1, 65536}});
    EXPECT_FALSE(CombiningBand(sum, {1, 2}, *high, 0, high->pixels).possible(1 << 20)) << "a workgroup for each row";
    EXPECT_TRUE(CombiningBand(sum, {1, 1}, *high, 0, high->pixels).possible(1 << 20));
    EXPECT_FALSE(CombiningBand(sum, {1, 2}, *high, 0, 65535).possible(65536)) << "what is between the rows";
    EXPECT_FALSE(CombiningBand(sum, {1, 2}, *high, 0, 0).possible(1 << 20)) << "nothing to do";
}
