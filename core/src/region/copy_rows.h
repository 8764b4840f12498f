// Copies between pixels in rows that are apart from each other, and the same pixels one behind the other.
#pragma once

#include "region/region.h"

#include <cstddef>

namespace pixmpi {

/// Rows of pixels in memory.
struct Rows {
    std::byte *first;
    std::ptrdiff_t step; ///< bytes from one row to the next; may be negative
};

/// `count` rows of `bytes` each; `packed` holds them without gaps.
void copy_rows(Direction direction, Rows pixels, std::size_t bytes, std::size_t count, std::byte *packed);

/// `columns` of elements that lie side by side, `count` rows of them; `packed` holds each column without gaps, the
/// leftmost one first, and says where the next ones are.
void copy_columns(Direction direction, Rows pixels, std::size_t element, std::size_t columns, std::size_t count,
                  Rows packed);

} // namespace pixmpi
