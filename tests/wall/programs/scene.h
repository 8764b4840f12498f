// What most of these programs share: a background with so much structure that a picture shifted by one pixel shows.
// Plain OpenGL 1.1, so that every program may use it.
#pragma once

#include <GL/gl.h>

namespace scene {

/// The size of a program's only window, and the callback that keeps it.
namespace window {
inline int width = 1, height = 1;

inline void reshape(int w, int h) {
    width = w;
    height = h;
    glViewport(0, 0, w, h);
}
} // namespace window

inline unsigned scramble(unsigned a, unsigned b) {
    unsigned h = a * 0x9e3779b1u ^ b * 0x85ebca77u;
    h ^= h >> 15;
    h *= 0x2c1b3c6du;
    h ^= h >> 12;
    return h;
}

inline void colour(unsigned h) {
    glColor3ub(static_cast<GLubyte>(40 + h % 200), static_cast<GLubyte>(40 + (h >> 8) % 200),
               static_cast<GLubyte>(40 + (h >> 16) % 200));
}

/// Matrices for drawing in pixels, y up. The viewport is the caller's business.
inline void in_pixels(int width, int height) {
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    glOrtho(0, width, 0, height, -1, 1);
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
}

/// Fills (0,0)-(width,height) with cells of two triangles each, no two neighbours alike.
inline void cells(int width, int height, unsigned seed = 1, int cell_width = 23, int cell_height = 17) {
    glBegin(GL_TRIANGLES);
    for (int y = 0, row = 0; y < height; y += cell_height, ++row) {
        for (int x = 0, column = 0; x < width; x += cell_width, ++column) {
            const int right = x + cell_width < width ? x + cell_width : width;
            const int top = y + cell_height < height ? y + cell_height : height;
            const unsigned h = scramble(static_cast<unsigned>(row) + 131 * seed, static_cast<unsigned>(column));
            colour(h);
            glVertex2i(x, y);
            glVertex2i(right, y);
            glVertex2i(x, top);
            colour(h * 31 + 7);
            glVertex2i(right, y);
            glVertex2i(right, top);
            glVertex2i(x, top);
        }
    }
    glEnd();
}

/// in_pixels and cells: the background in one call.
inline void backdrop(int width, int height, unsigned seed = 1) {
    in_pixels(width, height);
    cells(width, height, seed);
}

} // namespace scene
