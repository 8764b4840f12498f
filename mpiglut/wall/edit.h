// A wall file that is changed in single places, while all else stays as it was written: comments, order, spaces.
#pragma once

#include "wall.h"

#include <string>
#include <string_view>
#include <utility>

namespace pixmpi {

class WallEditor {
  public:
    /// Of a text that describes no wall nothing can be changed.
    explicit WallEditor(std::string toml);

    const std::string &text() const { return text_; }
    /// What the text describes.
    const Wall &wall() const { return wall_; }
    bool in_mm() const { return in_mm_; }
    /// What the text says between two columns and two rows, and of a tile's nudge, in the file's unit.
    std::pair<double, double> bezels() const;
    std::pair<double, double> nudge_of(int rank) const;

    // Each: empty, or why the text stays as it is.
    /// Pixels between two columns and two rows, more or less than now.
    std::string widen_bezels(int across, int down);
    /// Moves the tile of this rank by so many pixels.
    std::string nudge(int rank, int x, int y);
    std::string correct(int rank, const Correction &correction);

  private:
    std::string accept(std::string text, std::string_view what);
    /// The length of a pixel in the file's unit.
    double unit_across() const;
    double unit_down() const;

    std::string text_;
    Wall wall_;
    bool in_mm_ = false;
};

/// A wall file that says the same as `CxR[@WxH[+BX[+BY]]]`; empty where that is none.
std::string file_of_spec(std::string_view spec);

} // namespace pixmpi
