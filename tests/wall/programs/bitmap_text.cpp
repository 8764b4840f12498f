// Text from glutBitmapCharacter and glutBitmapString all over the window, a line at a time and a glyph at a time.
#include "scene.h"
#include <GL/freeglut.h>

#include <cstdio>

namespace {

using scene::window::height, scene::window::reshape, scene::window::width;
void *const fonts[] = {GLUT_BITMAP_8_BY_13,        GLUT_BITMAP_9_BY_15,      GLUT_BITMAP_TIMES_ROMAN_10,
                       GLUT_BITMAP_TIMES_ROMAN_24, GLUT_BITMAP_HELVETICA_10, GLUT_BITMAP_HELVETICA_12,
                       GLUT_BITMAP_HELVETICA_18};

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    scene::in_pixels(width, height);
    int line = 0;
    for (int y = 4; y < height; y += 19, ++line) {
        void *const font = fonts[line % 7];
        char text[120];
        std::snprintf(text, sizeof text, "%02d: The quick brown fox jumps over the lazy dog, 0123456789 [line %d]",
                      line, line * 37);
        glColor3f(1, 1, static_cast<GLfloat>(line % 5) * 0.25f);
        glRasterPos2i(line % 3 * 7, y);
        if (line % 2)
            glutBitmapString(font, reinterpret_cast<const unsigned char *>(text));
        else
            for (const char *c = text; *c; ++c)
                glutBitmapCharacter(font, *c);
    }
    // How far the pen went, as a bar: the raster position has to move even where nothing shows.
    glRasterPos2i(10, 10);
    glutBitmapString(GLUT_BITMAP_TIMES_ROMAN_24, reinterpret_cast<const unsigned char *>("pen"));
    GLfloat pen[4];
    glGetFloatv(GL_CURRENT_RASTER_POSITION, pen);
    glColor3f(1, 0, 0);
    glRectf(pen[0], pen[1], pen[0] + 30, pen[1] + 12);
    glRectf(3, static_cast<GLfloat>(height) - 12,
            3 + static_cast<GLfloat>(
                    glutBitmapLength(fonts[3], reinterpret_cast<const unsigned char *>("a measured length"))),
            static_cast<GLfloat>(height) - 6);
    glutSwapBuffers();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(403, 301);
    glutCreateWindow("bitmap text");
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutMainLoop();
    return 0;
}
