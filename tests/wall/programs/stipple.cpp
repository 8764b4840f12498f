// Polygon stipple, with a pattern that hangs on window coordinates, and line stipple across tile borders.
#include "scene.h"
#include <GL/glut.h>

#include <cstddef>

namespace {

using scene::window::height, scene::window::reshape, scene::window::width;
GLubyte pattern[128];

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    scene::backdrop(width, height, 15);
    glEnable(GL_POLYGON_STIPPLE);
    glPolygonStipple(pattern);
    GLubyte back[128];
    glGetPolygonStipple(back);
    for (int i = 0; i < 6; ++i) {
        if (i == 3)
            glPolygonStipple(back); // what is read back has to be what was set
        scene::colour(scene::scramble(static_cast<unsigned>(i), 2));
        glBegin(GL_TRIANGLES);
        glVertex2i(i * width / 7, 5 + 11 * i);
        glVertex2i(width - 3 * i, height / 2);
        glVertex2i(width / 3 + i * 20, height - 7 * i);
        glEnd();
    }
    glDisable(GL_POLYGON_STIPPLE);
    glEnable(GL_LINE_STIPPLE);
    for (int i = 0; i < 8; ++i) {
        glLineStipple(1 + i % 3, static_cast<GLushort>(0x1c47 + 0x0d31 * i));
        glColor3f(1, 1, 1);
        glBegin(GL_LINE_STRIP);
        glVertex2f(3.5f, static_cast<GLfloat>(i * height / 8) + 4.5f);
        glVertex2f(static_cast<GLfloat>(width) - 4.5f, static_cast<GLfloat>(i * height / 8) + 4.5f);
        glEnd();
    }
    glDisable(GL_LINE_STIPPLE);
    glutSwapBuffers();
}

} // namespace

int main(int argc, char **argv) {
    for (std::size_t i = 0; i < sizeof pattern; ++i)
        pattern[i] = static_cast<GLubyte>(scene::scramble(static_cast<unsigned>(i), 77) >> 9);
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(403, 301);
    glutCreateWindow("stipple");
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutMainLoop();
    return 0;
}
