// The parameters of the kernels: pieces of two memories, cut into chunks of equal work. Plain values, which the host
// fills in (src/kernel/pieces.h) and a GPU reads.
#pragma once

#include <cstdint>

namespace cudampi::kernels {

/// Rows of elements that two memories have in common. "Here" is a surface, or an array; "there" is packed memory, or
/// another surface.
struct Piece {
    std::uint64_t here, there; ///< bytes behind the addresses; of an array: the row << 32, and bytes in the row
    std::uint32_t at, end;     ///< its elements among those of all pieces
    std::uint32_t width;       ///< elements of a row
    std::uint32_t reciprocal;  ///< 2^32 / width, rounded up, where it divides rightly within the piece; 0: it does not
    std::uint32_t here_skip, there_skip; ///< bytes from the end of a row to the next one; here, of an array: in_tiles
};

/// Of an array: the elements go by tiles, which its memory has in one place, and `reciprocal` is that of the tiles in a
/// row of them.
constexpr std::uint32_t in_tiles = 1, tile_width = 4, tile_rows = 8;

/// Elements of 32 threads, in rows of one width. All that a thread needs is in one place, so that it waits for memory
/// once before it knows its pixels' addresses.
struct alignas(16) Chunk {
    std::uint64_t here, there;           ///< bytes behind the addresses
    std::uint32_t here_skip, there_skip; ///< bytes from the end of a row to the next one
    std::uint32_t reciprocal;            ///< 2^32 / width, rounded up, less 1; 0: it is one row
    std::uint32_t count;                 ///< elements
};

constexpr std::uint32_t few = 4;       ///< pieces that need no list
constexpr std::uint32_t threads = 256; ///< of a block
constexpr std::uint32_t lanes = 32;    ///< threads with a chunk of their own
/// Elements of a thread, at most. More of them hide how long a list takes to read, but take registers.
constexpr std::uint32_t turns_of(std::uint32_t element_bytes) {
    return element_bytes > 8 ? 2 : element_bytes > 4 ? 4 : 8;
}

struct Work {
    std::uint64_t here, there; ///< addresses; here, of an array: its surface object
    std::uint64_t present;     ///< of what is combined with, laid out as here
    std::uint64_t list;        ///< address of the pieces, or of Chunk; 0: they are in `only`
    std::uint64_t owners;      ///< address of the piece in which each chunk begins, and then the last piece; 0: Chunks
    std::uint32_t elements;    ///< of all pieces; of Chunks: as if all were full
    std::uint32_t pieces;      ///< or Chunks
    std::uint32_t turns;       ///< elements of a thread: few pixels are many chunks, too
    std::uint32_t element_bytes;   ///< 1, 2, 4, 8, 16
    std::uint32_t backwards;       ///< 0: from here to there; 1: the other way, as what combines always goes
    std::uint32_t layer;           ///< of an array
    std::uint32_t shape;           ///< of an array: ArrayShape
    std::int32_t operation, order; ///< pixmpi::Operation, pixmpi::Order
    std::int32_t format;           ///< pixMPI_Format
    /// NEAREST: all above is of the depths. Addresses of the colours, whose rows have as many pixels.
    std::uint64_t colors_here, colors_there, colors_present;
    std::uint32_t color_bytes, depth_bytes; ///< of a pixel; of colours a multiple of 4, or 0: there are none
    Piece only[few];
};

/// How an array's pixels are named.
enum ArrayShape : std::uint32_t { flat, layered, solid };

/// What stands for a surface object where the kernels run on the host.
struct HostArray {
    std::uint64_t address, row_bytes, layer_bytes;
};

/// Names of the kernels; each takes a Work.
constexpr char move_name[] = "pixmpi_move", chunks_name[] = "pixmpi_chunks", array_name[] = "pixmpi_array",
               combine_name[] = "pixmpi_combine";

} // namespace cudampi::kernels
