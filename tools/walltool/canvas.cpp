#include "canvas.h"

#include <algorithm>
#include <cmath>

namespace walltool {

using pixmpi::Rect;

Colour pastel(std::size_t index) {
    const double hue =
        std::fmod(0.58 + 0.618034 * static_cast<double>(index), 1.0) * 6; // the golden ratio spreads them
    const auto channel = [hue](double shift) {
        const double distance = std::abs(std::fmod(hue + shift, 6) - 3) - 1;
        return static_cast<unsigned char>(140 + 100 * std::clamp(distance, 0.0, 1.0));
    };
    return {channel(0), channel(4), channel(2)};
}

Canvas::Canvas(int width, int height, Colour background) : picture_(width, height) {
    fill({0, 0, width, height}, background);
}

void Canvas::put(int x, int y, Colour colour) {
    if (x < 0 || y < 0 || x >= picture_.width || y >= picture_.height)
        return;
    unsigned char *pixel = &picture_.rgb[(static_cast<std::size_t>(y) * picture_.width + x) * 3];
    pixel[0] = colour.r;
    pixel[1] = colour.g;
    pixel[2] = colour.b;
}

void Canvas::fill(const Rect &rect, Colour colour) {
    const Rect visible = intersect(rect, {0, 0, picture_.width, picture_.height});
    for (int y = visible.y; y < visible.bottom(); ++y)
        for (int x = visible.x; x < visible.right(); ++x)
            put(x, y, colour);
}

void Canvas::frame(const Rect &rect, int thickness, Colour colour) {
    fill({rect.x, rect.y, rect.width, thickness}, colour);
    fill({rect.x, rect.bottom() - thickness, rect.width, thickness}, colour);
    fill({rect.x, rect.y, thickness, rect.height}, colour);
    fill({rect.right() - thickness, rect.y, thickness, rect.height}, colour);
}

void Canvas::hatch(const Rect &rect, int period, Colour colour) {
    for (int y = rect.y; y < rect.bottom(); ++y)
        for (int x = rect.x; x < rect.right(); ++x)
            if ((x + y) % period == 0)
                put(x, y, colour);
}

void Canvas::arrow(const Rect &rect, int rotation, Colour colour) {
    const int size = std::min(rect.width, rect.height);
    const int left = rect.x + (rect.width - size) / 2, top = rect.y + (rect.height - size) / 2;
    for (int depth = 0; depth < size; ++depth) // from the tip
        for (int across = (size - depth) / 2; across <= (size + depth) / 2; ++across)
            switch (rotation) {
            case 90:
                put(left + size - 1 - depth, top + across, colour);
                break;
            case 180:
                put(left + across, top + size - 1 - depth, colour);
                break;
            case 270:
                put(left + depth, top + across, colour);
                break;
            default:
                put(left + across, top + depth, colour);
            }
}

void Canvas::text(int x, int y, int scale, std::string_view text, Colour colour) {
    for (char c : text) {
        const char *rows = glyph(c);
        for (int row = 0; row < glyph_height; ++row)
            for (int column = 0; column < glyph_width; ++column)
                if (rows[row * (glyph_width + 1) + column] == '#')
                    fill({x + column * scale, y + row * scale, scale, scale}, colour);
        x += (glyph_width + 1) * scale;
    }
}

} // namespace walltool
