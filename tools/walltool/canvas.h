// Drawing on a picture: just what a wall's preview needs. Everything is clipped.
#pragma once

#include "run/capture.h"

#include <string_view>

namespace walltool {

struct Colour {
    unsigned char r = 0, g = 0, b = 0;
};

/// Evenly spread hues, light enough for dark text.
Colour pastel(std::size_t index);

class Canvas {
  public:
    Canvas(int width, int height, Colour background);

    void fill(const pixmpi::Rect &rect, Colour colour);
    void frame(const pixmpi::Rect &rect, int thickness, Colour colour);
    /// Diagonal stripes: one pixel in `period` along each row.
    void hatch(const pixmpi::Rect &rect, int period, Colour colour);
    /// A triangle in the middle of `rect` that points up for 0 degrees, right for 90, and so on.
    void arrow(const pixmpi::Rect &rect, int rotation, Colour colour);
    /// Characters of 5 by 7 pixels, `scale` times as large; (x, y) is the top left corner.
    void text(int x, int y, int scale, std::string_view text, Colour colour);
    const mpiglut::Picture &picture() const { return picture_; }

  private:
    void put(int x, int y, Colour colour);
    mpiglut::Picture picture_;
};

constexpr int glyph_width = 5, glyph_height = 7;
/// Of a text at scale 1, one pixel between characters.
constexpr int text_width(std::size_t characters) { return static_cast<int>(characters) * (glyph_width + 1) - 1; }

/// Seven rows of five, '#' is ink, one character between rows. Characters without a picture look like a box.
const char *glyph(char c);

} // namespace walltool
