#include "strips.h"

#include <algorithm>
#include <cstring>

namespace {

constexpr std::size_t hot = 256 << 10;

/// Sizes that the compiler knows are copied without a call.
void copy_bytes(std::byte *to, const std::byte *from, std::size_t bytes) {
    switch (bytes) {
    case 4:
        std::memcpy(to, from, 4);
        break;
    case 64:
        std::memcpy(to, from, 64);
        break;
    default:
        std::memcpy(to, from, bytes);
        break;
    }
}

pixMPI_Rect around(pixMPI_Rect a, pixMPI_Rect b) {
    if (a.width == 0)
        return b;
    const int right = std::max(a.x + a.width, b.x + b.width), top = std::max(a.y + a.height, b.y + b.height);
    const int x = std::min(a.x, b.x), y = std::min(a.y, b.y);
    return {x, y, right - x, top - y};
}

} // namespace

Strips::Strips(const RegionCase &what, Object &source, Object &dest)
    : what_(what), source_(source), dest_(dest), pixel_bytes_(static_cast<std::size_t>(source.pixel_bytes)),
      row_bytes_(source.row_bytes()) {
    const int rows = static_cast<int>(std::max<std::size_t>(hot / row_bytes_, 1));
    strips_.resize(static_cast<std::size_t>((what.height + rows - 1) / rows));
    std::size_t packed = 0;
    for (const pixMPI_Rect &r : what.rects)
        for (int y = r.y; y < r.y + r.height;) {
            Strip &strip = strips_[static_cast<std::size_t>(y / rows)];
            const int height = std::min(r.y + r.height, (y / rows + 1) * rows) - y;
            const pixMPI_Rect part = {r.x, y, r.width, height};
            strip.parts.push_back({part, packed});
            strip.box = around(strip.box, part);
            strip.pixels += std::int64_t{part.width} * part.height;
            packed += bytes_of(r.width) * static_cast<std::size_t>(height);
            y += height;
        }
    std::erase_if(strips_, [](const Strip &strip) { return strip.parts.empty(); });
    strip_.assign(row_bytes_ * static_cast<std::size_t>(rows), std::byte{1});
    packed_.assign(std::max(packed, hot + row_bytes_), std::byte{1});
    image_.assign(source.bytes(), std::byte{1});
}

/// Calls copy(place in the strip, place among the packed pixels, bytes).
template <class Copy> void Strips::for_each_row(const Strip &strip, Copy copy) {
    const std::size_t stride = bytes_of(strip.box.width);
    for (const Part &part : strip.parts) {
        const std::size_t width = bytes_of(part.rect.width);
        std::byte *in_strip = strip_.data() + static_cast<std::size_t>(part.rect.y - strip.box.y) * stride +
                              bytes_of(part.rect.x - strip.box.x);
        std::byte *packed = packed_.data() + part.packed;
        for (int i = 0; i < part.rect.height; ++i, in_strip += stride, packed += width)
            copy(in_strip, packed, width);
    }
}

/// The same with the image, and packed pixels in memory that is used again and again.
template <class Copy> void Strips::for_each_row_of_image(Copy copy) {
    std::size_t at = 0;
    for (const pixMPI_Rect &r : what_.rects) {
        const std::size_t width = bytes_of(r.width);
        std::byte *image = image_.data() + static_cast<std::size_t>(r.y) * row_bytes_ + bytes_of(r.x);
        for (int i = 0; i < r.height; ++i, image += row_bytes_) {
            copy(image, packed_.data() + at, width);
            at = at + width < hot ? at + width : 0;
        }
    }
}

void Strips::read() {
    for (const Strip &strip : strips_) {
        source_.read(strip.box, strip_.data());
        for_each_row(strip, [](std::byte *in_strip, std::byte *packed, std::size_t bytes) {
            copy_bytes(packed, in_strip, bytes);
        });
    }
}

void Strips::write() {
    for (const Strip &strip : strips_) {
        if (strip.pixels < std::int64_t{strip.box.width} * strip.box.height)
            dest_.read(strip.box, strip_.data());
        for_each_row(strip, [](std::byte *in_strip, std::byte *packed, std::size_t bytes) {
            copy_bytes(in_strip, packed, bytes);
        });
        dest_.write(strip.box, strip_.data());
    }
}

void Strips::pack() {
    for_each_row_of_image(
        [](std::byte *image, std::byte *packed, std::size_t bytes) { copy_bytes(packed, image, bytes); });
}

void Strips::unpack() {
    for_each_row_of_image(
        [](std::byte *image, std::byte *packed, std::size_t bytes) { copy_bytes(image, packed, bytes); });
}
