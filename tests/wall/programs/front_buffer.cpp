// Asks for double buffering but never swaps: draws to the front buffer and flushes.
#include "scene.h"
#include <GL/glut.h>

namespace {

using scene::window::height, scene::window::reshape, scene::window::width;

void display() {
    glDrawBuffer(GL_FRONT);
    glClear(GL_COLOR_BUFFER_BIT);
    scene::backdrop(width, height, 5);
    glColor3f(1, 1, 0);
    glBegin(GL_LINES);
    for (int x = 0; x < width; x += 31) {
        glVertex2i(x, 0);
        glVertex2i(width - x, height);
    }
    glEnd();
    glFlush();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(299, 201);
    glutCreateWindow("front buffer");
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutMainLoop();
    return 0;
}
