#include "pattern_draw.h"

#include <GL/freeglut.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

namespace walltool {

using pixmpi::Rect;

namespace {

void fill(double x, double y, double width, double height) { glRectd(x, y, x + width, y + height); }

// --- the same on all tiles: must go on behind the bezels as if they were windows
// --------------------------------------

/// 1, 2 or 5 times a power of ten, for about 40 lines along the wall.
int grid_step(int longest) {
    const double wanted = std::max(10.0, longest / 40.0), power = std::pow(10, std::floor(std::log10(wanted)));
    for (int factor : {1, 2, 5})
        if (factor * power >= wanted)
            return static_cast<int>(factor * power);
    return static_cast<int>(10 * power);
}

void draw_grid(const Place &place) {
    const int step = grid_step(std::max(place.width, place.height));
    const auto shade = [](int line) {
        const float level = line % 5 ? 0.28f : 0.55f;
        glColor3f(level, level, level);
    };
    glBegin(GL_LINES);
    for (int i = 0; i * step <= place.width; ++i) {
        shade(i);
        glVertex2d(i * step + 0.5, 0);
        glVertex2d(i * step + 0.5, place.height);
    }
    for (int i = 0; i * step <= place.height; ++i) {
        shade(i);
        glVertex2d(0, i * step + 0.5);
        glVertex2d(place.width, i * step + 0.5);
    }
    glEnd();
}

void draw_figures(const Place &place) {
    const double x = place.width / 2.0, y = place.height / 2.0;
    glColor3f(0.9f, 0.7f, 0.2f);
    glBegin(GL_LINES);
    for (double side : {0.0, double(place.width)}) {
        glVertex2d(side, 0);
        glVertex2d(place.width - side, place.height);
    }
    glEnd();
    for (double radius : {std::min(x, y), std::max(x, y)}) {
        glBegin(GL_LINE_LOOP);
        for (int i = 0; i < 360; ++i)
            glVertex2d(x + radius * std::cos(i * M_PI / 180), y + radius * std::sin(i * M_PI / 180));
        glEnd();
    }
}

/// One bar goes across and one down in four seconds. A tile that swaps late shows its piece apart from the others'; a
/// tile that does not wait for the vertical blank shows it broken.
void draw_moving_bars(const Place &place, double seconds) {
    const double phase = std::fmod(seconds / 4, 1),
                 thickness = std::max(4.0, std::max(place.width, place.height) / 150.0);
    glColor3f(1, 1, 1);
    fill(phase * (place.width + thickness) - thickness, 0, thickness, place.height);
    glColor3f(0.3f, 1, 0.3f);
    fill(0, phase * (place.height + thickness) - thickness, place.width, thickness);
}

// --- each tile's own
// ---------------------------------------------------------------------------------------------------

void draw_colour_bars(const Rect &area) {
    constexpr int bars = 8, greys = 16;
    const double bar = area.width / double(bars), grey = area.width / double(greys), height = area.height / 2.0;
    for (int i = 0; i < bars; ++i) {
        const int bits = bars - 1 - i; // white, yellow, magenta, red, cyan, green, blue, black
        glColor3f(bits & 4 ? 1.f : 0.f, bits & 2 ? 1.f : 0.f, bits & 1 ? 1.f : 0.f);
        fill(area.x + i * bar, area.y, bar, height);
    }
    for (int i = 0; i < greys; ++i) {
        const float level = i / float(greys - 1);
        glColor3f(level, level, level);
        fill(area.x + i * grey, area.y + height, grey, height);
    }
}

/// Outlines the tile's outermost pixels, with a mark in each corner: what is missing is off the screen.
void draw_edges(const Rect &tile) {
    const double right = tile.right(), bottom = tile.bottom(), mark = std::min(tile.width, tile.height) / 12.0;
    glColor3f(1, 0.25f, 0.25f);
    fill(tile.x, tile.y, tile.width, 1);
    fill(tile.x, bottom - 1, tile.width, 1);
    fill(tile.x, tile.y, 1, tile.height);
    fill(right - 1, tile.y, 1, tile.height);
    const double corners[4][4] = {{double(tile.x), double(tile.y), 1, 1},
                                  {right, double(tile.y), -1, 1},
                                  {double(tile.x), bottom, 1, -1},
                                  {right, bottom, -1, -1}};
    glBegin(GL_LINES);
    for (const auto &[x, y, across, down] : corners) {
        glVertex2d(x, y);
        glVertex2d(x + across * mark, y + down * mark);
    }
    glEnd();
}

constexpr double stroke_advance = 104.76, stroke_height = 119.05; // of GLUT_STROKE_MONO_ROMAN

void write(double x, double y, double height, const std::string &text) {
    glPushMatrix();
    glTranslated(x, y + height, 0);
    glScaled(height / stroke_height, -height / stroke_height, 1);
    for (unsigned char c : text)
        glutStrokeCharacter(GLUT_STROKE_MONO_ROMAN, c < 0x80 ? c : '?');
    glPopMatrix();
}

std::vector<std::string> labels(const Place &place, long frame) {
    const auto text = [](const char *format, auto... values) {
        char line[200];
        std::snprintf(line, sizeof line, format, values...);
        return std::string(line);
    };
    std::vector<std::string> lines{text("rank %d of %d, tile %s", place.rank, place.ranks, place.name.c_str()),
                                   text("host %s", place.host.c_str()),
                                   text("size %d x %d", place.tile.width, place.tile.height),
                                   text("at %d, %d of %d x %d", place.tile.x, place.tile.y, place.width, place.height)};
    if (place.mm[2] > 0)
        lines.push_back(text("%.1f x %.1f mm at %.1f, %.1f", place.mm[2], place.mm[3], place.mm[0], place.mm[1]));
    lines.push_back(text("frame %ld", frame));
    return lines;
}

/// The rank in large digits, what there is to know beneath, on a dark panel at the upper left.
void draw_labels(const Place &place, long frame) {
    const std::vector<std::string> lines = labels(place, frame);
    std::size_t longest = 1;
    for (const std::string &line : lines)
        longest = std::max(longest, line.size());
    const Rect &tile = place.tile;
    const double inset = std::min(tile.width, tile.height) / 20.0;
    // In heights of a line: what the text takes across and down, rank and spaces included.
    const double across = longest * stroke_advance / stroke_height, down = lines.size() * 1.6 + 5.2;
    const double size = std::max(1.0, std::min(tile.height * 0.6 / down, (tile.width - 4 * inset) / across));
    const double left = tile.x + inset, top = tile.y + inset;
    glColor3f(0.08f, 0.08f, 0.14f);
    fill(left, top, across * size + 2 * inset, down * size);
    glLineWidth(static_cast<float>(std::clamp(size / 3, 1.0, 6.0)));
    glColor3f(1, 0.9f, 0.4f);
    write(left + inset, top + size * 0.8, size * 3, std::to_string(place.rank));
    glLineWidth(static_cast<float>(std::clamp(size / 10, 1.0, 3.0)));
    glColor3f(0.95f, 0.95f, 0.95f);
    for (std::size_t i = 0; i < lines.size(); ++i)
        write(left + inset, top + size * (4.8 + 1.6 * i), size, lines[i]);
    glLineWidth(1);
}

} // namespace

void draw_pattern(const Place &place, double seconds, long frame) {
    draw_grid(place);
    draw_figures(place);
    const Rect &tile = place.tile;
    draw_colour_bars(
        {tile.x + tile.width / 20, tile.y + tile.height * 4 / 5, tile.width * 9 / 10, tile.height * 3 / 20});
    draw_labels(place, frame);
    draw_edges(tile);
    draw_moving_bars(place, seconds);
}

} // namespace walltool
