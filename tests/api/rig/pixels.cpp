#include "rig/pixels.h"

#include "rig/cases.h"

#include <algorithm>
#include <cstring>

namespace api {
namespace {

std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ (x >> 31)) * 0x7fb5d329728ea185u;
    x = (x ^ (x >> 27)) * 0x81dadef4bc2dd44du;
    return x ^ (x >> 33);
}

Shape shape(std::string name, std::vector<pixMPI_Rect> rects, int code, pixMPI_Region region) {
    NEED_OK(code);
    NEED_OK(pixMPI_Region_commit(&region));
    std::shared_ptr<pixMPI_Region_tag> handle(region, [](pixMPI_Region r) { CHECK_OK(pixMPI_Region_free(&r)); });
    return {std::move(name), std::move(rects), std::move(handle)};
}

} // namespace

Bytes pattern(std::size_t bytes, std::uint64_t seed) {
    Bytes out(bytes);
    std::uint64_t x = mixed(seed + 0x9e3779b97f4a7c15u);
    for (std::size_t i = 0; i < bytes; i += 8) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        const std::uint64_t word = x ^ (x >> 29);
        std::memcpy(out.data() + i, &word, std::min<std::size_t>(8, bytes - i));
    }
    return out;
}

std::uint64_t seed_of(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d) {
    return mixed(mixed(mixed(mixed(a + 1) + b) + c) + d);
}

std::size_t Shape::pixels() const {
    std::size_t n = 0;
    for (const pixMPI_Rect &r : rects)
        n += static_cast<std::size_t>(r.width) * static_cast<std::size_t>(r.height);
    return n;
}

Shape rectangle(int x, int y, int width, int height) {
    pixMPI_Region region = PIXMPI_REGION_NULL;
    const int code = pixMPI_Region_rect(x, y, width, height, &region);
    return shape("rectangle", {{x, y, width, height}}, code, region);
}

Shape rows(int x, int width, int y, int count, int stride) {
    std::vector<pixMPI_Rect> rects;
    for (int i = 0; i < count; ++i)
        rects.push_back({x, y + i * stride, width, 1});
    pixMPI_Region region = PIXMPI_REGION_NULL;
    const int code = pixMPI_Region_rows(x, width, y, count, stride, &region);
    return shape("rows", std::move(rects), code, region);
}

Shape columns(int y, int height, int x, int count, int stride) {
    std::vector<pixMPI_Rect> rects;
    for (int i = 0; i < count; ++i)
        rects.push_back({x + i * stride, y, 1, height});
    pixMPI_Region region = PIXMPI_REGION_NULL;
    const int code = pixMPI_Region_columns(y, height, x, count, stride, &region);
    return shape("columns", std::move(rects), code, region);
}

Shape blocks(pixMPI_Rect block, int across, int up, int stride_x, int stride_y) {
    std::vector<pixMPI_Rect> rects;
    for (int j = 0; j < up; ++j)
        for (int i = 0; i < across; ++i)
            rects.push_back({block.x + i * stride_x, block.y + j * stride_y, block.width, block.height});
    pixMPI_Region region = PIXMPI_REGION_NULL;
    const int code = pixMPI_Region_strided(block, across, up, stride_x, stride_y, &region);
    return shape("blocks", std::move(rects), code, region);
}

Shape list_of(std::vector<pixMPI_Rect> rects) {
    pixMPI_Region region = PIXMPI_REGION_NULL;
    const int code = pixMPI_Region_indexed(static_cast<int>(rects.size()), rects.data(), &region);
    return shape("list", std::move(rects), code, region);
}

Shape triangle(int uplo, int diagonal, int x, int y, int n) {
    std::vector<pixMPI_Rect> rects;
    for (int row = 0; row < n; ++row) {
        const int first = uplo == PIXMPI_LOWER ? 0 : row + !diagonal;
        const int end = uplo == PIXMPI_LOWER ? row + diagonal : n;
        if (end > first)
            rects.push_back({x + first, y + row, end - first, 1});
    }
    pixMPI_Region region = PIXMPI_REGION_NULL;
    const int code = pixMPI_Region_triangle(uplo, diagonal, x, y, n, &region);
    return shape("triangle", std::move(rects), code, region);
}

Shape within_another(int x, int y) {
    Shape parts[] = {rectangle(0, 0, 24, 36), columns(0, 36, 30, 24, 1)};
    const pixMPI_Region handles[] = {parts[0], parts[1]};
    const int dx[] = {x, x - 1}, dy[] = {y, y + 2};
    std::vector<pixMPI_Rect> rects;
    for (int part = 0; part < 2; ++part)
        for (pixMPI_Rect r : parts[part].rects)
            rects.push_back({r.x + dx[part], r.y + dy[part], r.width, r.height});
    pixMPI_Region region = PIXMPI_REGION_NULL;
    const int code = pixMPI_Region_nested(2, dx, dy, handles, &region);
    return shape("nested", std::move(rects), code, region);
}

Shape first_pixels(std::size_t pixels, int width) {
    const int full = static_cast<int>(pixels / static_cast<std::size_t>(width));
    const int rest = static_cast<int>(pixels % static_cast<std::size_t>(width));
    return list_of({{0, 0, width, full}, {0, full, rest, rest > 0}});
}

std::vector<Shape> all_shapes() {
    std::vector<pixMPI_Rect> tiles; // 27 of 8x8, the last first
    for (int i = 27; i-- > 0;)
        tiles.push_back({(i * 5 % 7) * 9, (i / 7) * 9 + (i * 5 % 7) % 2, 8, 8});
    std::vector<Shape> shapes;
    shapes.push_back(rectangle(7, 5, 48, 36));
    shapes.push_back(rows(3, 48, 1, 36, 1));
    shapes.push_back(rows(16, 48, 63, 32, -2));
    shapes.push_back(columns(11, 48, 2, 36, 1));
    shapes.push_back(columns(0, 64, 60, 27, -2));
    shapes.push_back(blocks({1, 2, 6, 4}, 9, 8, 7, 7));
    shapes.push_back(blocks({58, 60, 6, 4}, 9, 8, -7, -8));
    shapes.push_back(list_of(std::move(tiles)));
    shapes.push_back(within_another(4, 3));
    shapes.push_back(triangle(PIXMPI_LOWER, 1, 2, 1, 58)); // 1711
    shapes.push_back(triangle(PIXMPI_UPPER, 0, 0, 3, 60)); // 1770
    shapes.push_back(rectangle(0, 0, 64, 64));
    shapes.push_back(rectangle(31, 17, 1, 1));
    return shapes;
}

Bytes pack(const Bytes &image, int width, int pixel_bytes, const Shape &shape) {
    Bytes packed(shape.pixels() * static_cast<std::size_t>(pixel_bytes));
    std::uint8_t *to = packed.data();
    for (const pixMPI_Rect &r : shape.rects)
        for (int y = r.y; y < r.y + r.height; ++y) {
            const std::size_t at =
                (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(r.x)) *
                static_cast<std::size_t>(pixel_bytes);
            const std::size_t bytes = static_cast<std::size_t>(r.width) * static_cast<std::size_t>(pixel_bytes);
            std::copy_n(image.data() + at, bytes, to);
            to += bytes;
        }
    return packed;
}

void unpack(Bytes &image, int width, int pixel_bytes, const Shape &shape, const Bytes &packed) {
    std::size_t done = 0;
    for (const pixMPI_Rect &r : shape.rects)
        for (int y = r.y; y < r.y + r.height && done < packed.size(); ++y) {
            const std::size_t at =
                (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(r.x)) *
                static_cast<std::size_t>(pixel_bytes);
            const std::size_t bytes = std::min(
                static_cast<std::size_t>(r.width) * static_cast<std::size_t>(pixel_bytes), packed.size() - done);
            std::copy_n(packed.data() + done, bytes, image.data() + at);
            done += bytes;
        }
}

void check_pixels(const char *file, int line, const Bytes &seen, const Bytes &expected, int width, int pixel_bytes) {
    if (seen == expected)
        return;
    if (seen.size() != expected.size()) {
        failed(file, line, std::to_string(seen.size()) + " bytes, expected " + std::to_string(expected.size()));
        return;
    }
    std::size_t first = 0, count = 0;
    const auto bytes = static_cast<std::size_t>(pixel_bytes), row = static_cast<std::size_t>(width);
    for (std::size_t pixel = seen.size() / bytes; pixel-- > 0;)
        if (!std::equal(&seen[pixel * bytes], &seen[pixel * bytes] + bytes, &expected[pixel * bytes])) {
            first = pixel;
            ++count;
        }
    failed(file, line,
           std::to_string(count) + " of " + std::to_string(seen.size() / bytes) + " pixels differ, the first at (" +
               std::to_string(first % row) + ", " + std::to_string(first / row) + "): byte " +
               std::to_string(seen[first * bytes]) + ", expected " + std::to_string(expected[first * bytes]));
}

} // namespace api
