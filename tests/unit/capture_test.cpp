// Captures: tiles put together, gaps black, and the PNG as another reader sees it.

#include "run/capture.h"
#include "scratch_file.h"

#include <gtest/gtest.h>
#include <png.h>

#include <array>

using mpiglut::Picture;

namespace {

using Color = std::array<unsigned char, 3>;

Picture filled(int width, int height, Color color) {
    Picture picture(width, height);
    for (std::size_t i = 0; i < picture.rgb.size(); ++i)
        picture.rgb[i] = color[i % 3];
    return picture;
}

Color at(const Picture &picture, int x, int y) {
    const unsigned char *pixel = &picture.rgb[(static_cast<std::size_t>(y) * picture.width + x) * 3];
    return {pixel[0], pixel[1], pixel[2]};
}

constexpr Color black{0, 0, 0}, red{255, 0, 0}, green{0, 255, 0};

pixmpi::Wall wall_of(std::initializer_list<pixmpi::Rect> rects) {
    pixmpi::Wall wall;
    pixmpi::Rect all;
    for (const pixmpi::Rect &rect : rects) {
        pixmpi::Tile &tile = wall.tiles.emplace_back();
        tile.rank = static_cast<int>(wall.tiles.size()) - 1;
        tile.rect = rect;
        all = unite(all, rect);
    }
    wall.width = all.right();
    wall.height = all.bottom();
    return wall;
}

} // namespace

TEST(Capture, PasteClipsOnEverySide) {
    for (int y = -4; y <= 6; ++y)
        for (int x = -4; x <= 7; ++x) {
            Picture to(7, 5);
            paste(to, filled(3, 3, red), x, y);
            for (int row = 0; row < 5; ++row)
                for (int column = 0; column < 7; ++column) {
                    const bool inside = column >= x && column < x + 3 && row >= y && row < y + 3;
                    EXPECT_EQ(at(to, column, row), inside ? red : black) << x << ' ' << y;
                }
        }
}

TEST(Capture, PasteKeepsRowsApart) {
    Picture from(2, 2), to(4, 4);
    for (std::size_t i = 0; i < from.rgb.size(); ++i)
        from.rgb[i] = static_cast<unsigned char>(i + 1);
    paste(to, from, 1, 2);
    EXPECT_EQ(at(to, 1, 2), (Color{1, 2, 3}));
    EXPECT_EQ(at(to, 2, 2), (Color{4, 5, 6}));
    EXPECT_EQ(at(to, 1, 3), (Color{7, 8, 9}));
    EXPECT_EQ(at(to, 2, 3), (Color{10, 11, 12}));
}

TEST(Capture, GapsAreBlack) {
    const Picture tiles[] = {filled(4, 3, red), filled(4, 3, green)};
    const Picture whole = assemble(wall_of({{0, 0, 4, 3}, {6, 0, 4, 3}}), tiles);
    ASSERT_EQ(whole.width, 10);
    ASSERT_EQ(whole.height, 3);
    EXPECT_EQ(at(whole, 3, 2), red);
    EXPECT_EQ(at(whole, 4, 2), black);
    EXPECT_EQ(at(whole, 5, 0), black);
    EXPECT_EQ(at(whole, 6, 0), green);
}

TEST(Capture, TheLowerRankWinsWhereTilesOverlap) {
    const Picture tiles[] = {filled(4, 4, red), filled(4, 4, green)};
    const Picture whole = assemble(wall_of({{0, 0, 4, 4}, {2, 2, 4, 4}}), tiles);
    EXPECT_EQ(at(whole, 3, 3), red);
    EXPECT_EQ(at(whole, 4, 4), green);
    EXPECT_EQ(at(whole, 5, 0), black);
}

TEST(Capture, ATileWithoutAPictureStaysBlack) {
    const Picture tiles[] = {Picture()};
    const Picture whole = assemble(wall_of({{0, 0, 4, 4}, {4, 0, 4, 4}}), tiles);
    EXPECT_EQ(at(whole, 0, 0), black);
    EXPECT_EQ(at(whole, 7, 3), black);
}

TEST(Capture, ThePngHoldsThePixels) {
    Picture picture(13, 7); // rows of an odd number of bytes
    for (std::size_t i = 0; i < picture.rgb.size(); ++i)
        picture.rgb[i] = static_cast<unsigned char>(i * 37);
    const ScratchFile file(".png");
    std::string error;
    ASSERT_TRUE(write_png(file.path(), picture, error)) << error;
    ASSERT_TRUE(write_png(file.path(), picture, error)) << "over the old one: " << error;

    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    ASSERT_TRUE(png_image_begin_read_from_file(&image, file.path().c_str())) << image.message;
    EXPECT_EQ(image.width, 13u);
    EXPECT_EQ(image.height, 7u);
    EXPECT_EQ(image.format, static_cast<png_uint_32>(PNG_FORMAT_RGB));
    std::vector<unsigned char> read(picture.rgb.size());
    ASSERT_TRUE(png_image_finish_read(&image, nullptr, read.data(), 0, nullptr)) << image.message;
    EXPECT_EQ(read, picture.rgb);
}

TEST(Capture, NumbersFilesFromTheSecond) {
    EXPECT_EQ(mpiglut::numbered("a.b/wall.png", 1), "a.b/wall.png");
    EXPECT_EQ(mpiglut::numbered("a.b/wall.png", 2), "a.b/wall.2.png");
    EXPECT_EQ(mpiglut::numbered("a.b/wall", 12), "a.b/wall.12");
}

TEST(Capture, WhatCannotBeWrittenIsNamedAndLeavesNothing) {
    std::string error;
    EXPECT_FALSE(mpiglut::write_png("/nowhere/at/all.png", filled(2, 2, red), error));
    EXPECT_NE(error.find("/nowhere/at/all.png: cannot be written"), std::string::npos) << error;
    const ScratchFile file(".png");
    EXPECT_FALSE(mpiglut::write_png(file.path(), Picture(), error));
    EXPECT_EQ(access(file.path().c_str(), F_OK), -1);
    EXPECT_FALSE(mpiglut::write_png(testing::TempDir(), filled(2, 2, red), error)); // a folder
}
