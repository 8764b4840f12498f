// Where glReadPixels puts pixels in memory, and images put together from the tiles' pieces.
#include "gl/pixel/pixel_layout.h"

#include <GL/glext.h>
#include <gtest/gtest.h>

#include <vector>

using namespace mpiglut::gl;
using pixmpi::Rect;

namespace {

using Bytes = std::vector<std::byte>;

Bytes filled(std::size_t size, int value) { return Bytes(size, static_cast<std::byte>(value)); }
int at(const Bytes &bytes, std::size_t i) { return std::to_integer<int>(bytes.at(i)); }

} // namespace

TEST(PixelBits, OfEveryKind) {
    EXPECT_EQ(pixel_bits(GL_RGBA, GL_UNSIGNED_BYTE), 32);
    EXPECT_EQ(pixel_bits(GL_RGB, GL_UNSIGNED_BYTE), 24);
    EXPECT_EQ(pixel_bits(GL_BGR, GL_FLOAT), 96);
    EXPECT_EQ(pixel_bits(GL_RG, GL_HALF_FLOAT), 32);
    EXPECT_EQ(pixel_bits(GL_LUMINANCE_ALPHA, GL_SHORT), 32);
    EXPECT_EQ(pixel_bits(GL_DEPTH_COMPONENT, GL_FLOAT), 32);
    EXPECT_EQ(pixel_bits(GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT), 16);
    EXPECT_EQ(pixel_bits(GL_STENCIL_INDEX, GL_UNSIGNED_BYTE), 8);
    EXPECT_EQ(pixel_bits(GL_STENCIL_INDEX, GL_BITMAP), 1);
    EXPECT_EQ(pixel_bits(GL_DEPTH_STENCIL, GL_UNSIGNED_INT_24_8), 32);
    EXPECT_EQ(pixel_bits(GL_DEPTH_STENCIL, GL_FLOAT_32_UNSIGNED_INT_24_8_REV), 64);
    EXPECT_EQ(pixel_bits(GL_RGB, GL_UNSIGNED_BYTE_3_3_2), 8);
    EXPECT_EQ(pixel_bits(GL_RGB, GL_UNSIGNED_SHORT_5_6_5_REV), 16);
    EXPECT_EQ(pixel_bits(GL_RGB, GL_UNSIGNED_INT_10F_11F_11F_REV), 32);
    EXPECT_EQ(pixel_bits(GL_RGBA_INTEGER, GL_INT), 128);
    EXPECT_EQ(pixel_bits(GL_RGBA, GL_UNSIGNED_INT_8_8_8_8_REV), 32);
    EXPECT_EQ(pixel_bits(GL_TEXTURE_2D, GL_UNSIGNED_BYTE), 0);
    EXPECT_EQ(pixel_bits(GL_RGBA, GL_TEXTURE_2D), 0);
}

TEST(PixelLayout, RowsAreAligned) {
    EXPECT_EQ(PixelLayout(24, 3, {}).stride(), 12u); // 9 bytes, alignment 4
    EXPECT_EQ(PixelLayout(24, 3, {.alignment = 1}).stride(), 9u);
    EXPECT_EQ(PixelLayout(24, 3, {.alignment = 8}).stride(), 16u);
    EXPECT_EQ(PixelLayout(24, 3, {.alignment = 2, .row_length = 5}).stride(), 16u);
    EXPECT_EQ(PixelLayout(96, 1, {.alignment = 8}).stride(), 16u);
    EXPECT_EQ(PixelLayout(1, 9, {.alignment = 1}).stride(), 2u);
    EXPECT_EQ(PixelLayout(1, 9, {.alignment = 4}).stride(), 4u);
}

TEST(PixelLayout, ExtentEndsWithTheLastPixel) {
    EXPECT_EQ(PixelLayout(24, 3, {}).extent(2), 12u + 9u);
    EXPECT_EQ(PixelLayout(32, 2, {.row_length = 10, .skip_rows = 3, .skip_pixels = 4}).extent(2), 4 * 40u + 16 + 8);
    EXPECT_EQ(PixelLayout(1, 3, {.alignment = 1, .skip_pixels = 6}).extent(1), 2u);
    EXPECT_EQ(PixelLayout(32, 0, {}).extent(5), 0u);
    EXPECT_EQ(PixelLayout(32, 5, {}).extent(0), 0u);
}

TEST(PixelLayout, PlacesPartOfAPiece) {
    const PixelLayout layout(16, 4, {.alignment = 1, .row_length = 5, .skip_rows = 1, .skip_pixels = 1});
    Bytes memory = filled(layout.extent(2), 0xEE);
    Bytes piece; // 3 x 2 pixels, each byte its own number
    for (int i = 0; i < 12; ++i)
        piece.push_back(static_cast<std::byte>(i));
    layout.place(memory.data(), {2, 1, 2, 1}, piece.data(), 3, 1, 1); // the piece's upper right 2 pixels
    const std::size_t first = 2 * 10 + 3 * 2;
    for (std::size_t i = 0; i < memory.size(); ++i)
        EXPECT_EQ(at(memory, i), i >= first && i < first + 4 ? static_cast<int>(8 + i - first) : 0xEE) << i;
}

TEST(PixelLayout, BitsInBothOrders) {
    for (const bool lsb : {false, true}) {
        const PixelLayout layout(1, 12, {.lsb_first = lsb, .alignment = 1, .skip_pixels = 3});
        Bytes memory = filled(layout.extent(1), 0xFF);
        layout.clear(memory.data(), {0, 0, 12, 1});
        EXPECT_EQ(at(memory, 0), lsb ? 0x07 : 0xE0);
        EXPECT_EQ(at(memory, 1), lsb ? 0x80 : 0x01);
        const Bytes piece{lsb ? std::byte{0x05} : std::byte{0xA0}}; // 1 0 1
        layout.place(memory.data(), {4, 0, 3, 1}, piece.data(), 3, 0, 0);
        EXPECT_EQ(at(memory, 0), lsb ? 0x87 : 0xE1);
        EXPECT_EQ(at(memory, 1), lsb ? 0x82 : 0x41);
    }
}

TEST(Compose, TilesMakeTheWindowWithGapsBlackAndOutsideUntouched) {
    // A window of 10 x 4: tiles at x 0..3 and 6..9, asked for x 2..12.
    const Rect window{0, 0, 10, 4}, asked{2, 1, 11, 2};
    const PixelLayout layout(8, asked.width, {});
    Bytes memory = filled(layout.extent(asked.height), 0xEE);
    const Bytes left = filled(2 * 2, 1), right = filled(4 * 2, 2);
    const std::vector<Piece> pieces{{{2, 1, 2, 2}, left}, {{6, 1, 4, 2}, right}};
    compose(layout, memory.data(), asked, window, pieces);
    const int expected[] = {1, 1, 0, 0, 2, 2, 2, 2, 0xEE, 0xEE, 0xEE, 0xEE};
    for (int y = 0; y < 2; ++y)
        for (int x = 0; x < 11; ++x)
            EXPECT_EQ(at(memory, y * 12 + x), expected[x]) << x << ' ' << y;
}

TEST(Compose, TheFirstPieceWinsWhereTheyOverlap) {
    const Rect window{0, 0, 6, 1};
    const PixelLayout layout(8, 6, {.alignment = 1});
    Bytes memory(6);
    const Bytes a = filled(4, 1), b = filled(4, 2);
    compose(layout, memory.data(), window, window, std::vector<Piece>{{{0, 0, 4, 1}, a}, {{2, 0, 4, 1}, b}});
    EXPECT_EQ(memory, (Bytes{std::byte{1}, std::byte{1}, std::byte{1}, std::byte{1}, std::byte{2}, std::byte{2}}));
}

TEST(Compose, NegativeCornersAndMissingPieces) {
    const Rect window{0, 0, 3, 1}, asked{-2, -1, 4, 2};
    const PixelLayout layout(8, 4, {.alignment = 1});
    Bytes memory = filled(layout.extent(2), 0xEE);
    const Bytes mine = filled(1, 7), torn; // the second rank's bytes never came
    compose(layout, memory.data(), asked, window, std::vector<Piece>{{{0, 0, 1, 1}, mine}, {{1, 0, 2, 1}, torn}});
    EXPECT_EQ(memory, (Bytes{std::byte{0xEE}, std::byte{0xEE}, std::byte{0xEE}, std::byte{0xEE}, std::byte{0xEE},
                             std::byte{0xEE}, std::byte{7}, std::byte{0}}));
}
