// Contents that both ends know, and what a region is, said in another way than the library does.
#pragma once

#include <cstdint>
#include <memory>
#include <pixmpi.h>
#include <string>
#include <vector>

namespace api {

using Bytes = std::vector<std::uint8_t>;

/// Bytes that depend on the seed and look random.
Bytes pattern(std::size_t bytes, std::uint64_t seed);
/// One seed of several numbers.
std::uint64_t seed_of(std::uint64_t a, std::uint64_t b = 0, std::uint64_t c = 0, std::uint64_t d = 0);

/// A committed region, and the rectangles that it ought to have.
struct Shape {
    std::string name;
    std::vector<pixMPI_Rect> rects;
    std::shared_ptr<pixMPI_Region_tag> handle;

    operator pixMPI_Region() const { return handle.get(); }
    std::size_t pixels() const;
};

Shape rectangle(int x, int y, int width, int height);
Shape rows(int x, int width, int y, int count, int stride);
Shape columns(int y, int height, int x, int count, int stride);
Shape blocks(pixMPI_Rect block, int columns, int rows, int stride_x, int stride_y);
Shape list_of(std::vector<pixMPI_Rect> rects);
Shape triangle(int uplo, int diagonal, int x, int y, int n);
/// A rectangle next to columns within another region, moved.
Shape within_another(int x, int y);
/// The first pixels of a surface, row by row.
Shape first_pixels(std::size_t pixels, int width);
/// Shapes of all kinds within 64 x 64 pixels, most of them with 1728.
std::vector<Shape> all_shapes();

/// The region's pixels out of an image of `width` pixels a row.
Bytes pack(const Bytes &image, int width, int pixel_bytes, const Shape &shape);
/// Puts all packed pixels in their places.
void unpack(Bytes &image, int width, int pixel_bytes, const Shape &shape, const Bytes &packed);

/// Fails and says which is the first pixel that differs.
void check_pixels(const char *file, int line, const Bytes &seen, const Bytes &expected, int width, int pixel_bytes);
#define CHECK_PIXELS(seen, expected, width, pixel_bytes)                                                               \
    api::check_pixels(__FILE__, __LINE__, seen, expected, width, pixel_bytes)

} // namespace api
