// What the kernels are told: a band of a region as pieces of memory, cut into blocks of equal work. Plain values, which
// the host fills in (src/kernel/band_work.h) and a GPU reads.
#pragma once

#include <cstdint>

namespace cudampi::kernels {

/// Rows of elements in a surface that follow each other in packed order.
struct Piece {
    std::uint64_t at;    ///< packed: its first element
    std::uint64_t begin; ///< surface: bytes behind the first pixel of all
    std::uint32_t width; ///< elements of a row
    std::uint32_t rows;
};

constexpr std::uint32_t few = 4;       ///< pieces that need no list
constexpr std::uint32_t threads = 256; ///< of a block
constexpr std::uint32_t turns = 8;     ///< elements of a thread, at most

struct Work {
    std::uint64_t surface, packed; ///< addresses
    std::uint64_t present;         ///< of what an unpack combines with, laid out as the surface is
    std::uint64_t row_bytes;       ///< of the surface
    std::uint64_t elements;        ///< of all pieces
    std::uint64_t list;            ///< address of the pieces; 0: they are in `only`
    std::uint64_t owners;          ///< address of the piece in which each block begins, and then the last piece
    std::uint32_t pieces;
    std::uint32_t turns;           ///< elements of a thread: few pixels are many blocks, too
    std::uint32_t element_bytes;   ///< 1, 2, 4, 8, 16
    std::uint32_t unpacks;         ///< 0: from the surface to packed memory; 1: the other way
    std::int32_t operation, order; ///< of an unpack: pixmpi::Operation, pixmpi::Order
    std::int32_t format;           ///< pixMPI_Format
    Piece only[few];
};

/// Names of the kernels; each takes a Work.
constexpr char move_name[] = "pixmpi_move", combine_name[] = "pixmpi_combine";

} // namespace cudampi::kernels
