// What of a band lies in one piece, in memory whose rows have no gaps between them.
#pragma once

#include "region/worklist.h"

#include <array>
#include <cstddef>

namespace pixmpi {

struct Run {
    std::uint64_t pixel; ///< of the surface, row by row
    std::uint64_t at;    ///< packed index, counted from the beginning of the band
    std::uint64_t count;
};

/// A few of them; none where a band has more.
class Runs {
  public:
    Runs(const Region &region, Extent extent, std::uint64_t first, std::uint64_t pixels) {
        for_each_piece(region, first, pixels, [&](const Piece &piece) {
            const auto width = static_cast<std::uint64_t>(piece.rect.width);
            const bool one = piece.rect.width == extent.width || piece.rect.height == 1;
            if (!one || count_ == runs_.size()) {
                too_many_ = true;
                return;
            }
            runs_[count_++] = {static_cast<std::uint64_t>(piece.rect.y) * static_cast<std::uint64_t>(extent.width) +
                                   static_cast<std::uint64_t>(piece.rect.x),
                               piece.at, width * static_cast<std::uint64_t>(piece.rect.height)};
        });
        if (too_many_)
            count_ = 0;
    }
    const Run *begin() const { return runs_.data(); }
    const Run *end() const { return runs_.data() + count_; }
    bool empty() const { return count_ == 0; }

  private:
    std::array<Run, 8> runs_{};
    std::size_t count_ = 0;
    bool too_many_ = false;
};

} // namespace pixmpi
