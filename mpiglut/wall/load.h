// Where on the wall the work is: a map that is learned from how long ranks took for their rectangles.
#pragma once

#include "wall/wall.h"

#include <span>
#include <vector>

namespace pixmpi {

class Load {
  public:
    Load(int width, int height);

    /// Each rectangle took so long. The knowledge of where the work lies within a rectangle fades slowly, and is
    /// dropped at once where the time says that the work has moved. Says whether it has.
    bool learn(std::span<const Rect> rects, std::span<const double> times);
    /// How long that rectangle would take, by what is known.
    double of(const Rect &rect) const;

  private:
    /// Calls visit(cell, share of the cell that lies in the rectangle).
    template <class Visit> void each_cell(const Rect &rect, Visit visit) const;
    /// How little what was known helped, 0 to 1.
    double learn(const Rect &rect, double time, double common);

    int width_, height_, columns_, rows_;
    std::vector<double> cells_; ///< work in each
};

} // namespace pixmpi
