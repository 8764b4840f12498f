// What makes packed pixels easy for LZ4, which finds bytes that repeat, and no numbers that are alike: each number of a
// pixel becomes its difference to what its neighbours say, and bytes of equal significance lie together.
#pragma once

#include "base/format.h"

#include <cstddef>
#include <cstdint>

namespace pixmpi {

/// What a number is expected to be. Neighbours are those in packed order: `up` is the pixel `width` pixels before.
enum class Filter : std::uint8_t {
    plain,   ///< the pixels as they are
    planes,  ///< nothing is expected; only the bytes are sorted
    before,  ///< the pixel before
    up,      ///< the pixel above
    gradient ///< before + up - the one before the one above: what lies in a plane, as depths do
};
constexpr int filters = 5;

/// How a pixel divides into numbers.
struct Numerals {
    int count = 0, bytes = 0; ///< numbers in a pixel, bytes of one: 1, 2 or 4
    int low_bits = 0;         ///< of a word that are another number than the rest: they change places
};
Numerals numerals_of(pixMPI_Format format);

/// `out`: the number of bytes that the pixels have. The first `width` pixels have nothing above them and take `before`;
/// where `width` is 0 all do.
void apply(Filter filter, const Numerals &numerals, const std::byte *pixels, std::size_t count, std::size_t width,
           std::byte *out);
/// The way back.
void undo(Filter filter, const Numerals &numerals, const std::byte *planes, std::size_t count, std::size_t width,
          std::byte *out);

} // namespace pixmpi
