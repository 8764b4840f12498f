// Copies of rows by the CPU, made for many that are short: between pixels that lie apart and the same pixels without
// gaps, in the core and in device libraries.
#pragma once

#include "region/region.h"

#include <cstddef>
#include <cstring>

namespace pixmpi {

/// Rows of pixels in memory.
struct Rows {
    std::byte *first;
    std::ptrdiff_t step; ///< bytes from one row to the next; may be negative
};

namespace detail {

/// Rows of a size that the compiler knows: no call for each.
template <std::size_t bytes>
void copy_fixed_rows(std::byte *to, std::ptrdiff_t to_step, const std::byte *from, std::ptrdiff_t from_step,
                     std::size_t count) {
    for (; count > 0; --count, to += to_step, from += from_step)
        std::memcpy(to, from, bytes);
}

/// Rows of `chunk` bytes or more, in pieces of that size. The last one lies over the one before where it has to:
/// cheaper than a call of memcpy for each row, up to a few cache lines.
template <std::size_t chunk>
void copy_short_rows(std::byte *to, std::ptrdiff_t to_step, const std::byte *from, std::ptrdiff_t from_step,
                     std::size_t bytes, std::size_t count) {
    for (; count > 0; --count, to += to_step, from += from_step) {
        for (std::size_t at = 0; at + chunk < bytes; at += chunk)
            std::memcpy(to + at, from + at, chunk);
        std::memcpy(to + bytes - chunk, from + bytes - chunk, chunk);
    }
}

} // namespace detail

/// `count` rows of `bytes` each, from one place to another.
inline void copy_rows(std::byte *to, std::ptrdiff_t to_step, const std::byte *from, std::ptrdiff_t from_step,
                      std::size_t bytes, std::size_t count) {
    using namespace detail;
    const auto step = static_cast<std::ptrdiff_t>(bytes);
    if (to_step == step && from_step == step) { // no gaps between the rows
        std::memcpy(to, from, bytes * count);
        return;
    }
    switch (bytes) {
#define FIXED(n)                                                                                                       \
    case n:                                                                                                            \
        return copy_fixed_rows<n>(to, to_step, from, from_step, count);
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
            return copy_short_rows<4>(to, to_step, from, from_step, bytes, count);
        if (bytes < 16)
            return copy_short_rows<8>(to, to_step, from, from_step, bytes, count);
        if (bytes <= 384)
            return copy_short_rows<16>(to, to_step, from, from_step, bytes, count);
        for (; count > 0; --count, to += to_step, from += from_step)
            std::memcpy(to, from, bytes);
    }
}

/// The same from pixels to `packed`, which holds them without gaps, or from there.
inline void copy_rows(Direction direction, Rows pixels, std::size_t bytes, std::size_t count, std::byte *packed) {
    const auto step = static_cast<std::ptrdiff_t>(bytes);
    if (direction == Direction::pack)
        copy_rows(packed, step, pixels.first, pixels.step, bytes, count);
    else
        copy_rows(pixels.first, pixels.step, packed, step, bytes, count);
}

/// `columns` of elements that lie side by side, `count` rows of them; `packed` holds each column without gaps, the
/// leftmost one first, and says where the next ones are.
void copy_columns(Direction direction, Rows pixels, std::size_t element, std::size_t columns, std::size_t count,
                  Rows packed);

} // namespace pixmpi
