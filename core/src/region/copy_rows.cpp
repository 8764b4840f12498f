#include "region/copy_rows.h"

#include <cstring>

namespace pixmpi {
namespace {

template <Direction way> void move(std::byte *pixels, std::byte *packed, std::size_t bytes) {
    if constexpr (way == Direction::pack)
        std::memcpy(packed, pixels, bytes);
    else
        std::memcpy(pixels, packed, bytes);
}

/// Rows whose size the compiler knows: no call for each.
template <Direction way, std::size_t bytes> void fixed_rows(Rows pixels, std::size_t count, std::byte *packed) {
    for (std::size_t row = 0; row < count; ++row)
        move<way>(pixels.first + static_cast<std::ptrdiff_t>(row) * pixels.step, packed + row * bytes, bytes);
}

/// Rows of `chunk` bytes or more, in pieces of that size. The last one lies over the one before where it has to:
/// cheaper than a call of memcpy for each row, up to a few cache lines.
template <Direction way, std::size_t chunk>
void short_rows(Rows pixels, std::size_t bytes, std::size_t count, std::byte *packed) {
    for (std::size_t row = 0; row < count; ++row) {
        std::byte *from = pixels.first + static_cast<std::ptrdiff_t>(row) * pixels.step, *to = packed + row * bytes;
        for (std::size_t at = 0; at + chunk < bytes; at += chunk)
            move<way>(from + at, to + at, chunk);
        move<way>(from + bytes - chunk, to + bytes - chunk, chunk);
    }
}

template <Direction way> void long_rows(Rows pixels, std::size_t bytes, std::size_t count, std::byte *packed) {
    for (std::size_t row = 0; row < count; ++row)
        move<way>(pixels.first + static_cast<std::ptrdiff_t>(row) * pixels.step, packed + row * bytes, bytes);
}

template <Direction way> void rows(Rows pixels, std::size_t bytes, std::size_t count, std::byte *packed) {
    if (pixels.step == static_cast<std::ptrdiff_t>(bytes)) // no gaps between the rows
        return move<way>(pixels.first, packed, bytes * count);
    switch (bytes) {
#define FIXED(n)                                                                                                       \
    case n:                                                                                                            \
        return fixed_rows<way, n>(pixels, count, packed);
        FIXED(1)
        FIXED(2)
        FIXED(3)
        FIXED(4)
        FIXED(8)
        FIXED(12)
        FIXED(16)
        FIXED(32)
        FIXED(64)
        FIXED(128)
        FIXED(256)
#undef FIXED
    default:
        if (bytes < 8)
            return short_rows<way, 4>(pixels, bytes, count, packed);
        if (bytes < 16)
            return short_rows<way, 8>(pixels, bytes, count, packed);
        if (bytes <= 128)
            return short_rows<way, 16>(pixels, bytes, count, packed);
        long_rows<way>(pixels, bytes, count, packed);
    }
}

} // namespace

void copy_rows(Direction direction, Rows pixels, std::size_t bytes, std::size_t count, std::byte *packed) {
    if (direction == Direction::pack)
        rows<Direction::pack>(pixels, bytes, count, packed);
    else
        rows<Direction::unpack>(pixels, bytes, count, packed);
}

} // namespace pixmpi
