// Where on the wall the work is: a map that is learned from how long ranks took for their rectangles.
#pragma once

#include "wall/wall.h"

#include <span>
#include <vector>

namespace pixmpi {

class Load {
  public:
    Load(int width, int height);

    /// Each rectangle took so long. What was known of how the work lies within a rectangle stays, and fades slowly.
    void learn(std::span<const Rect> rects, std::span<const double> times);
    /// How long that rectangle would take, by what is known.
    double of(const Rect &rect) const;

  private:
    /// Calls visit(cell, share of the cell that lies in the rectangle).
    template <class Visit> void each_cell(const Rect &rect, Visit visit) const;
    void learn(const Rect &rect, double time);

    int width_, height_, columns_, rows_;
    std::vector<double> cells_; ///< work in each
};

} // namespace pixmpi
