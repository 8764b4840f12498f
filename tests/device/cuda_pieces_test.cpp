// Pieces for CUDA's kernels, compared element by element with the rectangles that they were made of.
#include "suite.h"

#include <kernel/pieces.h>

using namespace device_suite;
using namespace cudampi;
using kernels::Piece;

namespace {

using Places = std::vector<std::uint64_t>;

/// Where each element is, in packed order.
Places places_of(const Blocks &blocks, std::uint64_t bytes) {
    Places places;
    for (const Block &block : blocks)
        for (std::uint64_t y = 0; y < block.rows; ++y)
            for (std::uint64_t x = 0; x < block.width; x += bytes)
                places.push_back(block.begin + y * block.pitch + x);
    return places;
}

/// As the kernels find an element, with the reciprocal where there is one.
std::pair<std::uint64_t, std::uint64_t> place_in(const Piece &piece, std::uint64_t inside, std::uint64_t bytes,
                                                 bool array) {
    if (array && piece.here_skip == kernels::in_tiles) {
        const std::uint64_t tile = inside / 32, across = piece.width / 4;
        EXPECT_TRUE(!piece.reciprocal || tile * piece.reciprocal >> 32 == tile / across) << tile << " by " << across;
        const std::uint64_t y = tile / across * 8 + inside % 32 / 4, x = tile % across * 4 + inside % 4;
        return {piece.here + y * array_pitch + x * bytes,
                piece.there + (y * piece.width + x) * bytes + y * piece.there_skip};
    }
    const std::uint64_t row = piece.reciprocal ? inside * piece.reciprocal >> 32 : inside / piece.width;
    EXPECT_EQ(row, inside / piece.width) << inside << " in rows of " << piece.width;
    const std::uint64_t here =
        array ? row * array_pitch + (inside - row * piece.width) * bytes : inside * bytes + row * piece.here_skip;
    return {piece.here + here, piece.there + inside * bytes + row * piece.there_skip};
}

/// Rectangles of a picture with gaps between its rows, or without.
struct RandomRegion {
    std::shared_ptr<const Region> region;
    std::uint64_t row_bytes;
};

/// `pixels`: as many, or any number.
RandomRegion random_region(Random &random, std::uint64_t pixels, std::size_t pixel) {
    const int width = random.between(1, 40);
    auto region = std::make_shared<Region>();
    for (int y = 0; pixels > 0;) {
        const int w = std::min(random.one_of(std::vector{1, 2, 4, 16, width, random.between(1, width)}), width),
                  x = random.between(0, width - w);
        const auto most =
            std::max<std::uint64_t>(1, std::min<std::uint64_t>(pixels / static_cast<std::uint64_t>(w), 9));
        const int h = random.between(1, static_cast<int>(most));
        const pixMPI_Rect rect{x, y, static_cast<int>(std::min<std::uint64_t>(static_cast<std::uint64_t>(w), pixels)),
                               pixels < static_cast<std::uint64_t>(w) ? 1 : h};
        region->add(rect);
        pixels -= pixmpi::pixels_of(rect);
        y += h + random.between(0, 2);
    }
    region->commit();
    const std::uint64_t gap = random.one_of(std::vector<std::uint64_t>{0, 0, 16, 4, 3});
    return {region, static_cast<std::uint64_t>(width) * pixel + gap};
}

/// The pieces are all bytes of both, each element once.
void check(const std::vector<Piece> &pieces, std::uint64_t bytes, const Blocks &here, const Blocks &there, bool array) {
    const Places from = places_of(here, bytes), to = places_of(there, bytes);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> expected, seen;
    ASSERT_EQ(from.size(), to.size());
    for (std::size_t i = 0; i < from.size(); ++i)
        expected.emplace_back(from[i], to[i]);
    std::uint32_t at = 0;
    for (const Piece &piece : pieces) {
        ASSERT_EQ(piece.at, at);
        ASSERT_EQ((piece.end - piece.at) % piece.width, 0u);
        for (; at < piece.end; ++at) {
            seen.push_back(place_in(piece, at - piece.at, bytes, array));
            ASSERT_EQ(seen.back().first % bytes, 0u);
        }
    }
    std::sort(seen.begin(), seen.end()); // large ones are in another order
    std::sort(expected.begin(), expected.end());
    EXPECT_TRUE(seen == expected);
}

/// The same of chunks, where pieces fill them. `most`: elements of a chunk.
void check_chunks(const std::vector<Piece> &pieces, std::uint32_t bytes, std::uint32_t most, bool expected) {
    const std::vector<kernels::Chunk> chunks = make_chunks(pieces, bytes, most);
    EXPECT_TRUE(!expected || !chunks.empty());
    std::vector<std::pair<std::uint64_t, std::uint64_t>> all, seen;
    for (const Piece &piece : pieces)
        for (std::uint32_t at = piece.at; at < piece.end; ++at)
            all.push_back(place_in(piece, at - piece.at, bytes, false));
    for (const kernels::Chunk &one : chunks) {
        ASSERT_TRUE(one.count > 0 && one.count <= most);
        for (std::uint64_t i = 0; i < one.count; ++i) {
            const std::uint64_t row = (i * one.reciprocal + i) >> 32;
            seen.emplace_back(one.here + i * bytes + row * one.here_skip, one.there + i * bytes + row * one.there_skip);
        }
    }
    std::sort(all.begin(), all.end());
    std::sort(seen.begin(), seen.end());
    EXPECT_TRUE(chunks.empty() || seen == all);
}

TEST(CudaPieces, are_what_both_ends_have) {
    for (const std::uint64_t seed : seeds(400)) {
        SCOPED_TRACE(how_to_repeat(seed));
        Random random(seed);
        const std::size_t pixel = random.one_of(std::vector<std::size_t>{1, 2, 3, 4, 6, 8, 12, 16});
        const std::uint64_t pixels = 1 + random.below(1500);
        const bool array = pixel != 3 && pixel % 6 != 0 && random.below(3) == 0;
        const RandomRegion one = random_region(random, pixels, pixel), other = random_region(random, pixels, pixel);
        const Blocks here = blocks_of(*one.region, 0, pixels, pixel, array ? array_pitch : one.row_bytes),
                     there = random.below(2) ? packed_blocks(pixels * pixel)
                                             : blocks_of(*other.region, 0, pixels, pixel, other.row_bytes);
        std::vector<Piece> pieces;
        std::uint32_t bytes = 0;
        ASSERT_TRUE(make_pieces(common_rows(here, there, array), array, 16, pieces, bytes));
        ASSERT_NO_FATAL_FAILURE(check(pieces, bytes, here, there, array));
        if (!array) {
            ASSERT_NO_FATAL_FAILURE(check_chunks(pieces, bytes, 32u << random.below(4), false));
        }
    }
}

TEST(CudaPieces, that_fill_chunks_are_cut_into_them) {
    const auto chunks_of = [](std::initializer_list<pixMPI_Rect> rects, std::uint32_t most, bool expected) {
        const auto region = region_of(rects);
        std::vector<Piece> pieces;
        std::uint32_t bytes = 0;
        ASSERT_TRUE(make_pieces(
            common_rows(blocks_of(*region, 0, region->pixels, 4, 4096), packed_blocks(region->pixels * 4), false),
            false, 4, pieces, bytes));
        check_chunks(pieces, bytes, most, expected);
        EXPECT_EQ(make_chunks(pieces, bytes, most).empty(), !expected);
    };
    chunks_of({{0, 0, 1, 256}, {4, 0, 16, 16}, {40, 0, 3, 80}, {60, 0, 700, 3}}, 256, true);
    chunks_of({{0, 0, 1, 1}, {4, 0, 1, 1}, {40, 7, 3, 1}}, 256, false); // most threads would have nothing to do
    chunks_of({{0, 0, 257, 40}, {300, 0, 257, 40}}, 256, false);
}

TEST(CudaPieces, of_whole_rows_are_one) {
    const auto whole = region_of({{0, 0, 64, 48}}), half = region_of({{0, 0, 32, 48}});
    const auto pieces_of = [](const Blocks &here, const Blocks &there, std::uint32_t &bytes) {
        std::vector<Piece> pieces;
        EXPECT_TRUE(make_pieces(common_rows(here, there, false), false, 16, pieces, bytes));
        return pieces;
    };
    std::uint32_t bytes = 0;
    EXPECT_EQ(pieces_of(blocks_of(*whole, 0, 64 * 48, 4, 256), packed_blocks(64 * 48 * 4), bytes).size(), 1u);
    EXPECT_EQ(bytes, 16u);
    // Half rows to a picture that is as wide as they are, and to one that is wider.
    for (const std::uint64_t row_bytes : {128u, 512u})
        EXPECT_EQ(
            pieces_of(blocks_of(*half, 0, 32 * 48, 4, 256), blocks_of(*half, 0, 32 * 48, 4, row_bytes), bytes).size(),
            1u);
}

// More than the caches have: in the order of the rows that the tiles are in.
TEST(CudaPieces, that_are_large_are_in_order) {
    constexpr int side = 2112, tile = 32, columns = side / tile;
    std::vector<pixMPI_Rect> rects;
    for (int i = 0; i < columns * columns; ++i)
        rects.push_back({i % columns * tile, i / columns * tile, tile, tile});
    Random random(7);
    random.shuffle(rects);
    const auto region = region_of(rects);
    const Blocks here = blocks_of(*region, 0, region->pixels, 4, side * 4);
    std::vector<Piece> pieces;
    std::uint32_t bytes = 0;
    ASSERT_TRUE(make_pieces(common_rows(here, packed_blocks(region->pixels * 4), false), false, 16, pieces, bytes));
    constexpr std::uint64_t near = 64 << 10;
    std::uint64_t highest = 0;
    for (const Piece &piece : pieces) {
        EXPECT_GE(piece.here + near, highest);
        highest = std::max(highest, piece.here);
    }
    ASSERT_NO_FATAL_FAILURE(check(pieces, bytes, here, packed_blocks(region->pixels * 4), false));
}

TEST(CudaPieces, that_do_not_fit_their_numbers_are_refused) {
    std::vector<Piece> pieces;
    std::uint32_t bytes = 0;
    const std::uint64_t far = std::uint64_t{1} << 40;
    EXPECT_FALSE(make_pieces(common_rows({{0, 16, 2, far}}, packed_blocks(32), false), false, 16, pieces, bytes));
    EXPECT_FALSE(make_pieces(common_rows({{0, far, 1, far}}, packed_blocks(far), false), false, 16, pieces, bytes));
}

} // namespace
