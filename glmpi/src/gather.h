// Copying rows by CPU, made for many that are short.
#pragma once

#include <cstddef>
#include <cstring>

namespace glmpi {

namespace detail {

template <std::size_t bytes>
inline void copy_fixed(std::byte *to, std::size_t to_stride, const std::byte *from, std::size_t from_stride, int rows) {
    for (int i = 0; i < rows; ++i, to += to_stride, from += from_stride)
        std::memcpy(to, from, bytes);
}

// 16 to 512 bytes: in steps of 16, the last of which overlaps the one before it.
inline void copy_short(std::byte *to, std::size_t to_stride, const std::byte *from, std::size_t from_stride,
                       std::size_t bytes, int rows) {
    for (int i = 0; i < rows; ++i, to += to_stride, from += from_stride) {
        std::size_t at = 0;
        for (; at + 16 <= bytes; at += 16)
            std::memcpy(to + at, from + at, 16);
        std::memcpy(to + bytes - 16, from + bytes - 16, 16);
    }
}

} // namespace detail

inline void copy_rows(std::byte *to, std::size_t to_stride, const std::byte *from, std::size_t from_stride,
                      std::size_t bytes, int rows) {
    using namespace detail;
    if (to_stride == bytes && from_stride == bytes) {
        std::memcpy(to, from, bytes * static_cast<std::size_t>(rows));
        return;
    }
    switch (bytes) {
    case 1:
        return copy_fixed<1>(to, to_stride, from, from_stride, rows);
    case 2:
        return copy_fixed<2>(to, to_stride, from, from_stride, rows);
    case 4:
        return copy_fixed<4>(to, to_stride, from, from_stride, rows);
    case 8:
        return copy_fixed<8>(to, to_stride, from, from_stride, rows);
    case 16:
        return copy_fixed<16>(to, to_stride, from, from_stride, rows);
    case 32:
        return copy_fixed<32>(to, to_stride, from, from_stride, rows);
    case 64:
        return copy_fixed<64>(to, to_stride, from, from_stride, rows);
    default:
        break;
    }
    if (bytes > 16 && bytes <= 512)
        return copy_short(to, to_stride, from, from_stride, bytes, rows);
    for (int i = 0; i < rows; ++i, to += to_stride, from += from_stride)
        std::memcpy(to, from, bytes);
}

} // namespace glmpi
