// Sets of pixels as rectangles that do not overlap: what of a window is seen, and what of a screen has changed.
#pragma once

#include "wall/wall.h"

#include <cstddef>
#include <vector>

namespace mpiglut::x11 {

using Region = std::vector<pixmpi::Rect>;

/// What of it lies outside of `hole`.
inline void subtract(Region &region, const pixmpi::Rect &hole) {
    Region left;
    for (const pixmpi::Rect &one : region) {
        const pixmpi::Rect common = pixmpi::intersect(one, hole);
        if (common.empty()) {
            left.push_back(one);
            continue;
        }
        const pixmpi::Rect around[] = {
            {one.x, one.y, one.width, common.y - one.y},
            {one.x, common.bottom(), one.width, one.bottom() - common.bottom()},
            {one.x, common.y, common.x - one.x, common.height},
            {common.right(), common.y, one.right() - common.right(), common.height},
        };
        for (const pixmpi::Rect &piece : around)
            if (!piece.empty())
                left.push_back(piece);
    }
    region.swap(left);
}

/// What of it lies inside of `bounds`.
inline void cut(Region &region, const pixmpi::Rect &bounds) {
    Region left;
    for (const pixmpi::Rect &one : region)
        if (const pixmpi::Rect common = pixmpi::intersect(one, bounds); !common.empty())
            left.push_back(common);
    region.swap(left);
}

/// Gathers rectangles by cells of a grid, so that many small ones become few.
class Cells {
  public:
    Cells(int width, int height)
        : columns_((width + size - 1) / size), rows_((height + size - 1) / size), bounds_{0, 0, width, height},
          marked_(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_)) {}

    bool any() const { return any_; }
    void add(const pixmpi::Rect &rect) {
        const pixmpi::Rect in = pixmpi::intersect(rect, bounds_);
        if (in.empty())
            return;
        any_ = true;
        for (int row = in.y / size; row <= (in.bottom() - 1) / size; ++row)
            for (int column = in.x / size; column <= (in.right() - 1) / size; ++column)
                marked_[index(column, row)] = true;
    }
    /// All of it; nothing is left.
    Region pop() {
        Region region;
        for (int row = 0; row < rows_; ++row)
            for (int column = 0; column < columns_; ++column)
                if (marked_[index(column, row)])
                    region.push_back(pixmpi::intersect(pop_block(column, row), bounds_));
        any_ = false;
        return region;
    }

  private:
    static constexpr int size = 32;

    std::size_t index(int column, int row) const {
        return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(column);
    }
    bool is_row_marked(int column, int end, int row) const {
        for (; column < end; ++column)
            if (!marked_[index(column, row)])
                return false;
        return true;
    }
    /// The largest block of marked cells that begins there, first to the right and then down.
    pixmpi::Rect pop_block(int column, int row) {
        int end = column, bottom = row;
        while (end < columns_ && marked_[index(end, row)])
            ++end;
        for (; bottom < rows_ && is_row_marked(column, end, bottom); ++bottom)
            for (int i = column; i < end; ++i)
                marked_[index(i, bottom)] = false;
        return {column * size, row * size, (end - column) * size, (bottom - row) * size};
    }

    int columns_, rows_;
    pixmpi::Rect bounds_;
    std::vector<bool> marked_;
    bool any_ = false;
};

} // namespace mpiglut::x11
