#include "image.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>

namespace icet {
namespace {

std::uint8_t level(float value) { return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0f, 1.0f) * 255)); }

std::size_t pixels(int width, int height) { return static_cast<std::size_t>(width) * static_cast<std::size_t>(height); }

/// The first pixel again and again, by copies that double.
void repeat(std::byte *first, std::size_t bytes, std::size_t count) {
    for (std::size_t done = 1; done < count; done *= 2)
        std::memcpy(first + done * bytes, first, std::min(done, count - done) * bytes);
}

void fill_plane(std::byte *plane, int width, const pixMPI_Rect &rect, const void *pixel, std::size_t bytes) {
    const auto row = [&](int y) { return plane + (pixels(width, y) + static_cast<std::size_t>(rect.x)) * bytes; };
    const auto columns = static_cast<std::size_t>(rect.width);
    std::memcpy(row(rect.y), pixel, bytes);
    repeat(row(rect.y), bytes, columns);
    for (int y = rect.y + 1; y < rect.y + rect.height; ++y)
        std::memcpy(row(y), row(rect.y), columns * bytes);
}

void copy_plane(const pixMPI_Surface &from, const pixMPI_Surface &to) {
    const auto bytes = static_cast<std::size_t>(to.width) * static_cast<std::size_t>(pixMPI_Format_bytes(to.format));
    for (std::ptrdiff_t y = 0; y < to.height; ++y)
        std::memcpy(static_cast<std::byte *>(to.data) + y * to.row_bytes,
                    static_cast<const std::byte *>(from.data) + y * from.row_bytes, bytes);
}

/// Whether one of so many pixels is nearer than the background. Sixteen at a time without a branch, so that compilers find
/// vectors.
bool any_nearer(const float *depths, int count) {
    constexpr int step = 16;
    for (; count >= step; count -= step, depths += step) {
        int any = 0;
        for (int i = 0; i < step; ++i)
            any |= depths[i] < 1;
        if (any)
            return true;
    }
    return std::any_of(depths, depths + count, [](float depth) { return depth < 1; });
}

/// No branch for each word, either.
bool any_bit(const std::byte *bytes, std::size_t count) {
    std::uint64_t any = 0, word;
    for (; count >= sizeof word; count -= sizeof word, bytes += sizeof word) {
        std::memcpy(&word, bytes, sizeof word);
        any |= word;
    }
    for (; count > 0; --count, ++bytes)
        any |= static_cast<std::uint64_t>(*bytes);
    return any != 0;
}

} // namespace

void Buffer::make_room(std::size_t bytes) {
    if (bytes <= bytes_)
        return;
    memory_.reset();
    bytes_ = 0;
    memory_.reset(static_cast<std::byte *>(std::malloc(bytes)));
    if (!memory_)
        throw std::bad_alloc();
    bytes_ = bytes;
}

int channels(IceTEnum color_format) {
    switch (color_format) {
    case ICET_IMAGE_COLOR_RGBA_UBYTE:
    case ICET_IMAGE_COLOR_RGBA_FLOAT:
        return 4;
    case ICET_IMAGE_COLOR_RGB_FLOAT:
        return 3;
    default:
        return 0;
    }
}

pixMPI_Format pixel_format(IceTEnum color_format) {
    switch (color_format) {
    case ICET_IMAGE_COLOR_RGBA_UBYTE:
        return PIXMPI_RGBA8;
    case ICET_IMAGE_COLOR_RGBA_FLOAT:
        return PIXMPI_RGBA32F;
    case ICET_IMAGE_COLOR_RGB_FLOAT:
        return PIXMPI_RGB32F;
    default:
        return PIXMPI_FORMAT_NONE;
    }
}

int color_bytes(IceTEnum color_format) { return pixMPI_Format_bytes(pixel_format(color_format)); }

void Image::shape(Formats planes, int columns, int rows) {
    formats = planes;
    width = columns;
    height = rows;
    color.make_room(pixels(columns, rows) * static_cast<std::size_t>(color_bytes(planes.color)));
    if (planes.depth == ICET_IMAGE_DEPTH_FLOAT)
        depth.make_room(pixels(columns, rows) * sizeof(float));
}

Planes Image::planes() const { return planes_of(color.get(), depth.get(), formats, width, height); }

Planes planes_of(const pixMPI_Surface &colors, const pixMPI_Surface &depths, Formats formats) {
    if (formats.depth == ICET_IMAGE_DEPTH_NONE)
        return {colors};
    if (formats.color == ICET_IMAGE_COLOR_NONE)
        return {depths};
    return {colors, depths, true};
}

Planes planes_of(const void *color, const void *depth, Formats formats, int width, int height) {
    return planes_of(pixMPI_Memory(color, pixel_format(formats.color), width, height),
                     pixMPI_Memory(depth, PIXMPI_DEPTH32F, width, height), formats);
}

bool in_memory(const Planes &planes) { return planes.first.api == PIXMPI_API_MEMORY; }

Planes cut(const Planes &planes, const pixMPI_Rect &rect) {
    const auto cut_plane = [&](pixMPI_Surface plane) {
        plane.data = static_cast<std::byte *>(plane.data) + rect.y * plane.row_bytes +
                     static_cast<std::ptrdiff_t>(rect.x) * pixMPI_Format_bytes(plane.format);
        plane.width = rect.width;
        plane.height = rect.height;
        return plane;
    };
    Planes part{cut_plane(planes.first)};
    if (planes.with_depth)
        part = {part.first, cut_plane(planes.depths), true};
    return part;
}

bool empty_around(const Planes &planes, const pixMPI_Rect &active) {
    const pixMPI_Surface &plane = planes.with_depth ? planes.depths : planes.first;
    const auto pixel_bytes = static_cast<std::size_t>(pixMPI_Format_bytes(plane.format));
    const auto empty = [&](int x, int y, int count) {
        const std::byte *const at = static_cast<const std::byte *>(plane.data) + y * plane.row_bytes +
                                    static_cast<std::ptrdiff_t>(x) * static_cast<std::ptrdiff_t>(pixel_bytes);
        return plane.format == PIXMPI_DEPTH32F ? !any_nearer(reinterpret_cast<const float *>(at), count)
                                               : !any_bit(at, static_cast<std::size_t>(count) * pixel_bytes);
    };
    const int right = active.x + active.width, top = active.y + active.height;
    for (int y = 0; y < plane.height; ++y) {
        const bool beside = y >= active.y && y < top;
        if (beside ? !empty(0, y, active.x) || !empty(right, y, plane.width - right) : !empty(0, y, plane.width))
            return false;
    }
    return true;
}

void copy(const Planes &from, const Planes &to) {
    copy_plane(from.first, to.first);
    if (to.with_depth)
        copy_plane(from.depths, to.depths);
}

void Background::fill(Image &image, const pixMPI_Rect &rect) const {
    if (rect.width <= 0 || rect.height <= 0)
        return;
    const IceTUInt bytes = word();
    const float far = 1;
    if (image.formats.color != ICET_IMAGE_COLOR_NONE)
        fill_plane(image.color.get(), image.width, rect,
                   image.formats.color == ICET_IMAGE_COLOR_RGBA_UBYTE ? static_cast<const void *>(&bytes)
                                                                      : color.data(),
                   static_cast<std::size_t>(color_bytes(image.formats.color)));
    if (image.formats.depth != ICET_IMAGE_DEPTH_NONE)
        fill_plane(image.depth.get(), image.width, rect, &far, sizeof far);
}

void Background::fill_around(Image &image, const pixMPI_Rect &all, const pixMPI_Rect &kept) const {
    if (kept.width == 0 || kept.height == 0)
        return fill(image, all);
    const int right = kept.x + kept.width, top = kept.y + kept.height;
    fill(image, {all.x, all.y, all.width, kept.y - all.y});
    fill(image, {all.x, top, all.width, all.y + all.height - top});
    fill(image, {all.x, kept.y, kept.x - all.x, kept.height});
    fill(image, {right, kept.y, all.x + all.width - right, kept.height});
}

void Background::put_behind(Image &image, std::size_t first, std::size_t count) const {
    if (image.formats.color == ICET_IMAGE_COLOR_RGBA_FLOAT) {
        float *pixel = reinterpret_cast<float *>(image.color.get()) + 4 * first;
        for (const float *const end = pixel + 4 * count; pixel != end; pixel += 4) {
            const float through = 1 - pixel[3];
            for (int i = 0; i < 4; ++i)
                pixel[i] += color[static_cast<std::size_t>(i)] * through;
        }
    } else if (image.formats.color == ICET_IMAGE_COLOR_RGBA_UBYTE) {
        const std::array<std::uint8_t, 4> behind = levels();
        auto *pixel = reinterpret_cast<std::uint8_t *>(image.color.get()) + 4 * first;
        for (const std::uint8_t *const end = pixel + 4 * count; pixel != end; pixel += 4) {
            const int through = 255 - pixel[3];
            for (int i = 0; i < 4; ++i)
                pixel[i] = static_cast<std::uint8_t>(
                    std::min(255, pixel[i] + (behind[static_cast<std::size_t>(i)] * through + 127) / 255));
        }
    }
}

std::array<std::uint8_t, 4> Background::levels() const {
    return {level(color[0]), level(color[1]), level(color[2]), level(color[3])};
}

IceTUInt Background::word() const {
    IceTUInt word;
    std::memcpy(&word, levels().data(), sizeof word);
    return word;
}

} // namespace icet
