// Finds columns among the pieces of a band: a region of columns, which a transpose is, comes as one piece for each, and
// copying them one by one would read every cache line as often as it has pixels.
#pragma once

#include "region/copy_rows.h"
#include "region/worklist.h"

#include <array>

namespace pixmpi {

/// Equal columns side by side, in either order, become one copy; all other pieces are copied as they come. The first
/// and the last column may have been cut by the band's ends: the first lacks rows at its bottom, the last at its top.
class Grouping {
  public:
    /// `pixels`: the surface's row 0. `packed`: where the band begins.
    Grouping(Direction direction, Rows pixels, std::size_t pixel_bytes, std::byte *packed)
        : direction_(direction), pixels_(pixels), pixel_(pixel_bytes), packed_(packed) {}

    void operator()(const Piece &piece) {
        if (columns_ > 0 && continues(piece.rect)) {
            top_of_last_ = piece.rect.y + piece.rect.height;
            ++columns_;
            return;
        }
        flush();
        first_ = piece;
        bottom_ = piece.rect.y;
        top_ = top_of_last_ = piece.rect.y + piece.rect.height;
        columns_ = 1;
    }

    /// To be called at the end.
    void flush() {
        if (columns_ == 1)
            copy_rows(direction_, rows_from(first_.rect.x, first_.rect.y), bytes(),
                      static_cast<std::size_t>(first_.rect.height), packed_ + first_.at * pixel_);
        else if (columns_ > 1)
            flush_columns();
        columns_ = 0;
    }

  private:
    static constexpr std::size_t widest = 16; ///< bytes; wider columns fill cache lines well enough

    std::size_t bytes() const { return static_cast<std::size_t>(first_.rect.width) * pixel_; }

    bool continues(const pixMPI_Rect &next) {
        if (next.width != first_.rect.width || bytes() > widest)
            return false;
        if (columns_ == 1) {
            leftwards_ = next.x < first_.rect.x;
            if (next.x != x_of(1) || next.y > bottom_ || next.y + next.height > top_)
                return false;
            bottom_ = next.y;
            return true;
        }
        return next.x == x_of(columns_) && top_of_last_ == top_ && next.y == bottom_ && next.y + next.height <= top_;
    }

    int x_of(int column) const { return first_.rect.x + (leftwards_ ? -column : column) * first_.rect.width; }

    /// Bands of rows that the same columns have.
    void flush_columns() {
        std::array<int, 4> rows{bottom_, first_.rect.y, top_of_last_, top_};
        if (rows[1] > rows[2])
            std::swap(rows[1], rows[2]);
        for (std::size_t i = 0; i < 3; ++i) {
            const int from = rows[i] >= first_.rect.y ? 0 : 1,
                      to = rows[i + 1] <= top_of_last_ ? columns_ : columns_ - 1;
            if (rows[i] < rows[i + 1] && from < to)
                copy_block(from, to, rows[i], rows[i + 1]);
        }
    }

    /// Columns [from, to), rows [low, high).
    void copy_block(int from, int to, int low, int high) {
        const auto element = static_cast<std::ptrdiff_t>(bytes()), step = (top_ - bottom_) * element;
        const int leftmost = leftwards_ ? to - 1 : from;
        // As if the first column also began at the bottom.
        std::byte *const packed = packed_ + static_cast<std::ptrdiff_t>(first_.at * pixel_) + leftmost * step +
                                  (low - first_.rect.y) * element;
        copy_columns(direction_, rows_from(x_of(leftmost), low), bytes(), static_cast<std::size_t>(to - from),
                     static_cast<std::size_t>(high - low), {packed, leftwards_ ? -step : step});
    }

    Rows rows_from(int x, int y) const {
        return {pixels_.first + y * pixels_.step + static_cast<std::ptrdiff_t>(x) * static_cast<std::ptrdiff_t>(pixel_),
                pixels_.step};
    }

    const Direction direction_;
    const Rows pixels_;
    const std::size_t pixel_;
    std::byte *const packed_;
    Piece first_{};
    int columns_ = 0, bottom_ = 0, top_ = 0, top_of_last_ = 0;
    bool leftwards_ = false;
};

} // namespace pixmpi
