#include "gl/present/over.h"

#include "base/real.h"
#include "base/state.h"
#include "gl/present/correction.h"
#include "gl/present/present.h"
#include "run/report.h"
#include "sync/comm.h"

#include <GL/glx.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <map>
#include <string>

namespace mpiglut::gl {
namespace {

std::atomic<Over> shown{Over::picture};

std::map<GLXDrawable, GLXContext> &contexts() {
    static auto *const map = new std::map<GLXDrawable, GLXContext>; // outlives static destructors, like the windows
    return *map;
}

Font font;

struct Colour {
    float red, green, blue;
};

/// Far from each other for neighbouring ranks.
Colour colour_of(int rank) {
    const float hue = std::fmod(static_cast<float>(rank) * 0.618034f, 1.0f) * 6;
    const auto ramp = [hue](float at) {
        const float distance = std::abs(std::remainder(hue - at, 6.0f));
        return 0.15f + 0.5f * std::clamp(2 - distance, 0.0f, 1.0f);
    };
    return {ramp(0), ramp(2), ramp(4)};
}

void fill(float x, float y, float width, float height) { glRectf(x, y, x + width, y + height); }

/// Text of that height in the middle of a line at y, as wide as `widest` at most.
void write(const std::string &text, float x, float y, float height, float widest) {
    if (!font.draw)
        return;
    float length = 0;
    for (unsigned char c : text)
        length += static_cast<float>(font.width(c));
    const float scale = std::min(height / font.height, widest / std::max(length, 1.0f));
    glPushMatrix();
    REAL(glTranslatef)(x - length * scale / 2, y, 0);
    REAL(glScalef)(scale, -scale, 1); // y down
    for (unsigned char c : text)
        font.draw(c);
    glPopMatrix();
}

/// Tile coordinates, y down: what the viewer sees of this tile.
void draw_identity(const pixmpi::Tile &tile) {
    const auto width = static_cast<float>(tile.rect.width), height = static_cast<float>(tile.rect.height);
    const Colour colour = colour_of(tile.rank);
    glColor3f(colour.red, colour.green, colour.blue);
    fill(0, 0, width, height);
    glColor3f(1, 1, 1);
    glLineWidth(std::max(1.0f, height / 40));
    write(std::to_string(tile.rank), width / 2, height * 0.55f, height * 0.4f, width * 0.8f);
    glLineWidth(std::max(1.0f, height / 160));
    const auto rank = static_cast<std::size_t>(tile.rank);
    write(rank < state().displays.size() ? comm::hosts()[rank] : tile.host, width / 2, height * 0.74f, height * 0.11f,
          width * 0.9f);
    write(tile.name, width / 2, height * 0.9f, height * 0.09f, width * 0.9f);
}

/// A grid and circles that go on behind the bezels, and each tile's border, ramps and number.
void draw_pattern(const pixmpi::Wall &wall, const pixmpi::Tile &tile) {
    const auto wide = static_cast<float>(wall.width), high = static_cast<float>(wall.height);
    const auto width = static_cast<float>(tile.rect.width), height = static_cast<float>(tile.rect.height);
    glPushMatrix();
    REAL(glTranslatef)(static_cast<float>(-tile.rect.x), static_cast<float>(-tile.rect.y), 0);
    const float step = std::max(wide, high) / 40;
    glLineWidth(1);
    glBegin(GL_LINES);
    for (int i = 0; static_cast<float>(i) * step <= std::max(wide, high); ++i) {
        const float at = std::floor(static_cast<float>(i) * step) + 0.5f, level = i % 5 ? 0.28f : 0.6f;
        glColor3f(level, level, level);
        glVertex2f(at, 0);
        glVertex2f(at, high);
        glVertex2f(0, at);
        glVertex2f(wide, at);
    }
    glColor3f(0.9f, 0.7f, 0.2f);
    glVertex2f(0, 0);
    glVertex2f(wide, high);
    glVertex2f(wide, 0);
    glVertex2f(0, high);
    glEnd();
    for (const float radius : {std::min(wide, high) / 2, std::max(wide, high) / 2}) {
        glBegin(GL_LINE_LOOP);
        for (int i = 0; i < 180; ++i) {
            const float angle = static_cast<float>(i) * static_cast<float>(M_PI) / 90;
            glVertex2f(wide / 2 + radius * std::cos(angle), high / 2 + radius * std::sin(angle));
        }
        glEnd();
    }
    glPopMatrix();
    constexpr std::array<Colour, 8> bars{
        {{1, 1, 1}, {1, 1, 0}, {0, 1, 1}, {0, 1, 0}, {1, 0, 1}, {1, 0, 0}, {0, 0, 1}, {0, 0, 0}}};
    for (std::size_t i = 0; i < bars.size(); ++i) {
        glColor3f(bars[i].red, bars[i].green, bars[i].blue);
        const auto place = static_cast<float>(i);
        fill(width * (0.1f + 0.1f * place), height * 0.78f, width * 0.1f, height * 0.06f);
        glColor3f(place / 7, place / 7, place / 7);
        fill(width * (0.1f + 0.1f * place), height * 0.84f, width * 0.1f, height * 0.06f);
    }
    glColor3f(1, 1, 1);
    glBegin(GL_LINE_LOOP);
    for (auto [x, y] :
         {std::array{0.5f, 0.5f}, {width - 0.5f, 0.5f}, {width - 0.5f, height - 0.5f}, {0.5f, height - 0.5f}})
        glVertex2f(x, y);
    glEnd();
    glLineWidth(std::max(1.0f, height / 120));
    write(std::to_string(tile.rank) + "  " + tile.name, width / 2, height * 0.3f, height * 0.12f, width * 0.8f);
}

/// From tile coordinates, corners at integers, to clip coordinates of the real window: turned as the monitor is.
void load_matrix(const Window &window, const pixmpi::Tile &tile) {
    int x0, y0, x1, y1, x2, y2;
    pixmpi::to_framebuffer(tile, 0, 0, x0, y0);
    pixmpi::to_framebuffer(tile, 1, 0, x1, y1);
    pixmpi::to_framebuffer(tile, 0, 1, x2, y2);
    const auto a = static_cast<float>(x1 - x0), b = static_cast<float>(x2 - x0), c = static_cast<float>(y1 - y0),
               d = static_cast<float>(y2 - y0);
    // Pixel centres lie at halves on both sides.
    const float e = static_cast<float>(x0 - window.on_screen.x) + 0.5f - 0.5f * (a + b),
                f = static_cast<float>(y0 - window.on_screen.y) + 0.5f - 0.5f * (c + d);
    const float across = 2 / static_cast<float>(window.on_screen.width),
                down = -2 / static_cast<float>(window.on_screen.height);
    const GLfloat matrix[16] = {a * across, c * down, 0, 0, b * across,     d * down,     0, 0,
                                0,          0,        1, 0, e * across - 1, f * down + 1, 0, 1};
    glMatrixMode(GL_PROJECTION);
    REAL(glLoadMatrixf)(matrix);
    glMatrixMode(GL_MODELVIEW);
    REAL(glLoadIdentity)();
}

GLXContext context_for(Display *display, GLXDrawable drawable, GLXContext like) {
    GLXContext &context = contexts()[drawable];
    if (context)
        return context;
    int id = 0, count = 0;
    REAL(glXQueryContext)(display, like, GLX_FBCONFIG_ID, &id);
    const int wanted[] = {GLX_FBCONFIG_ID, id, None};
    GLXFBConfig *configs = REAL(glXChooseFBConfig)(display, DefaultScreen(display), wanted, &count);
    if (configs && count)
        context = REAL(glXCreateNewContext)(display, configs[0], GLX_RGBA_TYPE, nullptr, True);
    if (configs)
        XFree(configs);
    return context;
}

} // namespace

Over over() { return shown; }
void set_over(Over what) { shown = what; }
bool draws_over() { return shown != Over::picture && shown != Over::frozen; }

void draw_over_here(const Window &window) {
    const Untranslated untranslated;
    const pixmpi::Tile &tile = tile_of(window);
    REAL(glDisable)(GL_TEXTURE_2D);
    REAL(glViewport)(0, 0, window.on_screen.width, window.on_screen.height);

    glClear(GL_COLOR_BUFFER_BIT);
    load_matrix(window, tile);
    if (shown == Over::identify)
        draw_identity(tile);
    else if (shown == Over::pattern)
        draw_pattern(wall_of(window), tile);
    glMatrixMode(GL_PROJECTION);
    REAL(glLoadIdentity)();
    glMatrixMode(GL_MODELVIEW);
    REAL(glLoadIdentity)();
    glColor3f(1, 1, 1);
}

bool in_own_context(Window &window, const std::function<void()> &draw) {
    const Untranslated untranslated;
    Display *display = REAL(glXGetCurrentDisplay)();
    const GLXContext program = glXGetCurrentContext();
    const GLXDrawable drawn = REAL(glXGetCurrentDrawable)(), read = REAL(glXGetCurrentReadDrawable)();
    GLXContext own = nullptr;
    {
        const auto lock = lock_geometry();
        own = context_for(display, window.x_window, program);
    }
    const bool good = own && REAL(glXMakeContextCurrent)(display, window.x_window, window.x_window, own);
    if (good) {
        draw();
        REAL(glFinish)();
    } else {
        report_once(Report::note, "what the operator wants cannot be drawn into the tile's window");
    }
    REAL(glXMakeContextCurrent)(display, drawn, read, program);
    return good;
}

void set_font(const Font &with) { font = with; }

void draw_over(Window &window, const std::function<void()> &drawn) {
    in_own_context(window, [&] {
        draw_over_here(window);
        drawn();
    });
}

void drop_over(const Window &window) {
    const auto lock = lock_geometry();
    const auto found = contexts().find(window.x_window);
    if (found == contexts().end())
        return;
    if (found->second) {
        forget_correction(found->second);
        REAL(glXDestroyContext)(state().display, found->second);
    }
    contexts().erase(found);
}

} // namespace mpiglut::gl
