// Rectangles sorted by the rows of their surface: what lies within a few rows is read or written by one call of an API.
// A message's strips are such boxes, and so are the slabs of glmpi. All of it is inline, for device libraries.
#pragma once

#include "region/worklist.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace pixmpi {

/// The parts of rectangles within the same few rows.
struct RowBox {
    pixMPI_Rect rect{};                 ///< around the parts
    std::size_t first = 0, count = 0;   ///< which of the parts, see RowBoxes::parts()
    std::uint64_t pixels = 0, rows = 0; ///< of all parts together
    std::uint64_t area() const { return pixels_of(rect); }
};

/// How many rows of `bounds` make a box of such rectangles, when there should be so many boxes at least. A box stays in
/// the second-level cache, together with what is gathered from it. Parts narrower than a cache line come back to each
/// line many times: for them, in the first-level cache.
inline int rows_of_box(const pixMPI_Rect &bounds, const pixMPI_Rect &typical, int pixel_bytes, int least_boxes) {
    constexpr std::size_t box_bytes = 256 << 10, narrow_box_bytes = 24 << 10, line_bytes = 64;
    const auto size = static_cast<std::size_t>(pixel_bytes), row = static_cast<std::size_t>(bounds.width) * size;
    const bool narrow = static_cast<std::size_t>(typical.width) * size < line_bytes && row < 1024;
    const auto height = static_cast<std::size_t>(bounds.height), least = std::max<std::size_t>(1, (16 << 10) / row);
    std::size_t most = std::max<std::size_t>(1, (narrow ? narrow_box_bytes : box_bytes) / row);
    most = std::min(most, std::max(least, height / static_cast<std::size_t>(least_boxes)));
    int rows = static_cast<int>(std::min(most, height));
    if (typical.height < rows) // tiles are not cut, where they lie on a grid
        rows -= rows % typical.height;
    return rows;
}

class RowBoxes {
  public:
    /// `pieces`: one at least; `bounds`: around all of them.
    RowBoxes(const std::vector<Piece> &pieces, const pixMPI_Rect &bounds, int pixel_bytes, int least_boxes)
        : pieces_(pieces), bottom_(bounds.y),
          rows_(rows_of_box(bounds, pieces[pieces.size() / 2].rect, pixel_bytes, least_boxes)),
          boxes_(static_cast<std::size_t>((bounds.height - 1) / rows_ + 1)) {
        for_each_part([&](std::size_t i, const Piece &part) {
            RowBox &box = boxes_[i];
            box.rect = around(box.rect, part.rect);
            box.pixels += pixels_of(part.rect);
            box.rows += static_cast<std::uint64_t>(part.rect.height);
            ++box.count;
        });
        std::size_t before = 0;
        for (RowBox &box : boxes_)
            box.first = std::exchange(before, before + box.count);
    }

    /// From the lowest row upwards. Some may have no parts.
    const std::vector<RowBox> &boxes() const { return boxes_; }

    /// Box after box, and in the order of the pieces within each.
    std::vector<Piece> parts() const {
        std::vector<Piece> sorted(boxes_.back().first + boxes_.back().count);
        std::vector<std::size_t> next;
        for (const RowBox &box : boxes_)
            next.push_back(box.first);
        for_each_part([&](std::size_t i, const Piece &part) { sorted[next[i]++] = part; });
        return sorted;
    }

  private:
    /// Calls visit(number of the box, part) for each box that a piece touches.
    template <class Visit> void for_each_part(Visit visit) const {
        for (const auto &[rect, at] : pieces_) {
            const std::int64_t top = std::int64_t{rect.y} + rect.height;
            for (std::int64_t y = rect.y; y < top;) {
                const std::int64_t box = (y - bottom_) / rows_, end = std::min(top, bottom_ + (box + 1) * rows_);
                visit(static_cast<std::size_t>(box),
                      Piece{{rect.x, static_cast<int>(y), rect.width, static_cast<int>(end - y)},
                            at + static_cast<std::uint64_t>(y - rect.y) * static_cast<std::uint64_t>(rect.width)});
                y = end;
            }
        }
    }

    const std::vector<Piece> &pieces_;
    const int bottom_, rows_;
    std::vector<RowBox> boxes_;
};

/// A 1 for each pixel of the box that a part covers, else a 0, row by row.
inline void find_covered(const pixMPI_Rect &box, std::span<const Piece> parts, std::vector<char> &covered) {
    const auto width = static_cast<std::size_t>(box.width);
    covered.assign(pixels_of(box), 0);
    for (const Piece &part : parts) {
        const pixMPI_Rect &r = part.rect;
        char *row = covered.data() + static_cast<std::size_t>(r.y - box.y) * width + (r.x - box.x);
        for (int y = 0; y < r.height; ++y, row += width)
            std::fill_n(row, r.width, 1);
    }
}

} // namespace pixmpi
