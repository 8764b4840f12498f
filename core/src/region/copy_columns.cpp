// Columns: elements that lie side by side in the pixels' rows, and follow each other in packed order. Both sides are
// read and written in whole cache lines, block by block. Rows are often a power of two apart, and then share the same
// few places of every cache: a line that is touched twice would come from memory twice.

#include "region/copy_rows.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

namespace pixmpi {
namespace {

constexpr std::size_t cache_line = 64;

/// Where element `offset` bytes into a line is.
std::byte *at(Rows lines, std::size_t number, std::size_t offset) {
    return lines.first + static_cast<std::ptrdiff_t>(number) * lines.step + static_cast<std::ptrdiff_t>(offset);
}

/// As many words as fit into 16 bytes, squared, in registers: the first and second halves of the lines are interleaved
/// until every line is a column. (For words a, b, ..., aA: two lines become one with a from the first, A from the
/// second.)
template <class Word> struct Square {
    static constexpr std::size_t side = 16 / sizeof(Word);
    typedef Word Vector __attribute__((vector_size(16)));

    template <int... i> static Vector low(Vector a, Vector b, std::integer_sequence<int, i...>) {
        return __builtin_shufflevector(a, b, (i / 2 + i % 2 * static_cast<int>(side))...);
    }
    template <int... i> static Vector high(Vector a, Vector b, std::integer_sequence<int, i...>) {
        return __builtin_shufflevector(a, b, (i / 2 + i % 2 * static_cast<int>(side) + static_cast<int>(side) / 2)...);
    }

    static void transpose(const std::byte *from, std::size_t from_step, Rows to, std::size_t line, std::size_t offset) {
        constexpr std::make_integer_sequence<int, static_cast<int>(side)> all;
        Vector lines[side], next[side];
#pragma GCC unroll 16
        for (std::size_t i = 0; i < side; ++i)
            std::memcpy(&lines[i], from + i * from_step, 16);
#pragma GCC unroll 4
        for (std::size_t done = 1; done < side; done *= 2) {
#pragma GCC unroll 8
            for (std::size_t i = 0; i < side / 2; ++i) {
                next[2 * i] = low(lines[i], lines[i + side / 2], all);
                next[2 * i + 1] = high(lines[i], lines[i + side / 2], all);
            }
#pragma GCC unroll 16
            for (std::size_t i = 0; i < side; ++i)
                lines[i] = next[i];
        }
#pragma GCC unroll 16
        for (std::size_t i = 0; i < side; ++i)
            std::memcpy(at(to, line + i, offset), &lines[i], 16);
    }
};

/// Elements that are no words: as they come.
template <std::size_t size> struct Loose {
    static constexpr std::size_t side = 4;
    static void transpose(const std::byte *from, std::size_t from_step, Rows to, std::size_t line, std::size_t offset) {
        for (std::size_t i = 0; i < side; ++i)
            for (std::size_t j = 0; j < side; ++j)
                std::memcpy(at(to, line + i, offset + j * size), from + j * from_step + i * size, size);
    }
};

template <std::size_t size> struct SquareOf : Loose<size> {};
template <> struct SquareOf<1> : Square<std::uint8_t> {};
template <> struct SquareOf<2> : Square<std::uint16_t> {};
template <> struct SquareOf<4> : Square<std::uint32_t> {};
template <> struct SquareOf<8> : Square<std::uint64_t> {};

/// Elements of `size` bytes: element j of line i becomes element i of line j.
template <std::size_t size> struct Transpose {
    static constexpr std::size_t side = SquareOf<size>::side;
    static constexpr std::size_t block = (cache_line / size + side - 1) / side * side; ///< lines and elements at a time

    Rows from, to;
    std::size_t lines, elements; ///< of `from`

    void whole_block(std::size_t i, std::size_t j) const {
        std::byte copy[block][block * size];
        for (std::size_t l = 0; l < block; ++l)
            std::memcpy(copy[l], at(from, i + l, j * size), block * size);
        for (std::size_t e = 0; e < block; e += side)
            for (std::size_t l = 0; l < block; l += side)
                SquareOf<size>::transpose(copy[l] + e * size, block * size, to, j + e, (i + l) * size);
    }

    void partial_block(std::size_t i, std::size_t j) const {
        for (std::size_t e = j; e < std::min(j + block, elements); ++e)
            for (std::size_t l = i; l < std::min(i + block, lines); ++l)
                std::memcpy(at(to, e, l * size), at(from, l, e * size), size);
    }

    void one_block(std::size_t i, std::size_t j) const {
        if (i + block <= lines && j + block <= elements)
            whole_block(i, j);
        else
            partial_block(i, j);
    }

    /// Along the rows of pixels, which are far apart, in the inner loop.
    void from_rows() const {
        for (std::size_t i = 0; i < lines; i += block)
            for (std::size_t j = 0; j < elements; j += block)
                one_block(i, j);
    }
    void to_rows() const {
        for (std::size_t j = 0; j < elements; j += block)
            for (std::size_t i = 0; i < lines; i += block)
                one_block(i, j);
    }
};

template <std::size_t size>
void columns_of(Direction direction, Rows pixels, std::size_t columns, std::size_t rows, Rows packed) {
    if (direction == Direction::pack)
        Transpose<size>{pixels, packed, rows, columns}.from_rows();
    else
        Transpose<size>{packed, pixels, columns, rows}.to_rows();
}

} // namespace

void copy_columns(Direction direction, Rows pixels, std::size_t element, std::size_t columns, std::size_t rows,
                  Rows packed) {
    switch (element) {
#define SIZE(n)                                                                                                        \
    case n:                                                                                                            \
        return columns_of<n>(direction, pixels, columns, rows, packed);
        SIZE(1)
        SIZE(2)
        SIZE(3)
        SIZE(4)
        SIZE(6)
        SIZE(8)
        SIZE(12)
        SIZE(16)
#undef SIZE
    default: // so wide that nothing is gained by looking at several at a time
        for (std::size_t column = 0; column < columns; ++column)
            copy_rows(direction, {pixels.first + column * element, pixels.step}, element, rows, at(packed, column, 0));
    }
}

} // namespace pixmpi
