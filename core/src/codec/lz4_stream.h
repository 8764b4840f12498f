// Pixels without loss: filtered (planes.h), cut into blocks that all cores share, and each block compressed by LZ4, or
// stored where LZ4 makes it no smaller.
//
//     header | for each block: Lz4Block | the blocks, one behind the other
//
// Ranks of one job have one byte order.
#pragma once

#include "codec/codec.h"

namespace pixmpi {

struct Lz4Header {
    std::uint32_t magic;
    std::uint32_t check; ///< of all that follows up to the blocks
    std::uint64_t pixels;
    std::uint32_t block_pixels; ///< of each block; the last one has the rest
    std::uint32_t width;        ///< for the filter; 0: none
    std::uint16_t format;       ///< says how the filter divided the pixels
    std::uint8_t filter, reserved[5];
};
static_assert(sizeof(Lz4Header) == 32);

struct Lz4Block {
    std::uint32_t bytes; ///< the number of its pixels' bytes: stored
    std::uint32_t check; ///< of these bytes
};

constexpr std::uint32_t lz4_magic = 0x317a7870; // "pxz1"
/// A block's pixels have at most so many bytes: what stays in a core's cache with its copy.
constexpr std::size_t lz4_most_block = std::size_t{256} << 10;

/// For damage, not for malice.
std::uint32_t checksum(std::span<const std::byte> bytes);

std::size_t lz4_bound(pixMPI_Format format, std::uint64_t pixels);
bool is_lz4(std::span<const std::byte> stream);
/// As Codec's.
Status lz4_encode(Workers &workers, const PackedPixels &pixels, std::span<std::byte> out, std::size_t &bytes);
Status lz4_decode(Workers &workers, std::span<const std::byte> stream, pixMPI_Format format, std::uint64_t pixels,
                  std::byte *out);

} // namespace pixmpi
