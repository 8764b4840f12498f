// Where in a picture there is something: a grid of cells, each active or not. So few bits that every rank can have every
// other rank's, and know from them what all ranks send.
#pragma once

#include "region/region.h"

#include <array>

namespace pixmpi {

class Cells {
  public:
    static constexpr int most = 128; ///< columns, and rows
    using Bits = std::array<std::uint64_t, most * most / 64>;

    explicit Cells(Extent extent) : extent_(extent), width_(cell(extent.width)), height_(cell(extent.height)) {}
    Cells(Extent extent, const Bits &bits) : Cells(extent) { bits_ = bits; }

    int width() const { return width_; }   ///< of a cell, in pixels; less at the picture's edge
    int height() const { return height_; } ///< likewise
    int columns() const { return (extent_.width - 1) / width_ + (extent_.width > 0); }
    int rows() const { return (extent_.height - 1) / height_ + (extent_.height > 0); }
    /// Where a column of cells begins, in pixels; the picture's edge behind the last one.
    int left(int column) const { return begin(column, width_, extent_.width); }
    int top(int row) const { return begin(row, height_, extent_.height); } ///< likewise
    Extent extent() const { return extent_; }
    const Bits &bits() const { return bits_; }

    bool active(int column, int row) const { return word(column, row) >> column % 64 & 1; }
    void activate(int column, int row) { word(column, row) |= std::uint64_t{1} << column % 64; }
    /// The cells that the rectangle touches.
    void activate(const pixMPI_Rect &rect);
    void add(const Cells &other);
    void remove(const Cells &other);
    /// Only what is active in both.
    void keep(const Cells &other);
    Cells inactive() const;
    int active_in_row(int row) const;
    /// Of active cells.
    std::uint64_t pixels() const;
    /// The pixels of active cells within a rectangle of the picture, moved by (-x, -y). Committed.
    std::shared_ptr<const Region> region(const pixMPI_Rect &within, int x = 0, int y = 0) const;
    /// The same for the rows [top, bottom).
    std::shared_ptr<const Region> region(int top, int bottom, int x = 0, int y = 0) const {
        return region({0, top, extent_.width, bottom - top}, x, y);
    }

  private:
    static int cell(int pixels) {
        constexpr int least = 8; // pixels, so that copies are of whole cache lines
        return pixels > 0 ? ((pixels - 1) / (most * least) + 1) * least : least;
    }
    static int begin(int cells, int pixels, int extent) {
        return static_cast<int>(std::min<std::int64_t>(std::int64_t{cells} * pixels, extent));
    }
    std::uint64_t word(int column, int row) const { return bits_[index(column, row)]; }
    std::uint64_t &word(int column, int row) { return bits_[index(column, row)]; }
    static std::size_t index(int column, int row) { return static_cast<std::size_t>(row * (most / 64) + column / 64); }
    bool same_rows(int row, int other) const;
    int next_column(int column, int row, bool is_active) const;

    Extent extent_;
    int width_, height_;
    Bits bits_{};
};

} // namespace pixmpi
