// What two memories have in common, where each has the same pixels in rectangles of its own: the pieces that a kernel
// moves from one to the other. A message packs into memory without gaps, which is one long row; a copy within a GPU has
// a surface at either end.
#pragma once

#include "../../kernels/work.h"
#include "region/worklist.h"

#include <vector>

namespace cudampi {

/// Rows in packed order, all in bytes. `begin`, `pitch` of an array: a row is 2^32 bytes behind the one before.
struct Block {
    std::uint64_t begin, width, rows, pitch;
};
using Blocks = std::vector<Block>;

constexpr std::uint64_t array_pitch = std::uint64_t{1} << 32;

/// The packed pixels [first, first + count) of a region. What lies without a gap is one row.
Blocks blocks_of(const pixmpi::Region &region, std::uint64_t first, std::uint64_t count, std::size_t pixel_bytes,
                 std::uint64_t row_bytes);
/// Memory without gaps.
inline Blocks packed_blocks(std::uint64_t bytes) { return {{0, bytes, 1, bytes}}; }

/// Rows that both have, all in bytes.
struct CommonRows {
    std::uint64_t here, there, width, rows, here_skip, there_skip;
};
/// In packed order. `array`: here is one, whose rows only a block of whole ones goes down.
std::vector<CommonRows> common_rows(const Blocks &here, const Blocks &there, bool array);

/// The largest power of two that divides all of them, up to what an access may have.
class Evenness {
  public:
    void add(std::uint64_t number) { bits_ |= number; }
    std::uint32_t bytes() const {
        constexpr std::uint64_t widest = 16;
        return static_cast<std::uint32_t>(bits_ ? std::min(widest, bits_ & (~bits_ + 1)) : widest);
    }

  private:
    std::uint64_t bits_ = 0;
};

/// The same as pieces, of an array here or not, of elements that are as large as `most` and the rows let them be, and
/// that size. Large ones are in the order in which the memory here has them, which a GPU's memory likes. False where
/// numbers are too large.
bool make_pieces(const std::vector<CommonRows> &rows, bool array, std::uint32_t most,
                 std::vector<kernels::Piece> &pieces, std::uint32_t &element_bytes);

/// The pieces cut into chunks of at most `most` elements. None where they would leave many of them empty: a piece has
/// few elements, or its rows do not fill them.
std::vector<kernels::Chunk> make_chunks(const std::vector<kernels::Piece> &pieces, std::uint32_t element_bytes,
                                        std::uint32_t most);

} // namespace cudampi
