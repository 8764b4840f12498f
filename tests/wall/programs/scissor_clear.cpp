// Scissored clears and scissored drawing, some boxes across tile borders, one off the window, one empty.
#include "scene.h"
#include <GL/glut.h>

namespace {

using scene::window::height, scene::window::reshape, scene::window::width;

void clear_box(int x, int y, int w, int h, float r, float g, float b) {
    glScissor(x, y, w, h);
    glClearColor(r, g, b, 1);
    glClear(GL_COLOR_BUFFER_BIT);
}

void display() {
    glDisable(GL_SCISSOR_TEST);
    glClearColor(0, 0, 0.3f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    scene::backdrop(width, height);
    glEnable(GL_SCISSOR_TEST);
    for (int i = 0; i < 9; ++i) {
        for (int j = 0; j < 7; ++j) {
            clear_box(i * width / 9 + 3, j * height / 7 + 2, width / 14, height / 13, 0.1f * i, 0.13f * j, 0.5f);
        }
    }
    clear_box(-20, -20, 41, 37, 1, 0, 0);
    clear_box(width - 13, height - 11, 500, 500, 0, 1, 0);
    clear_box(width + 5, 3, 10, 10, 1, 1, 1);
    clear_box(50, 50, 0, 30, 1, 1, 1);
    glScissor(width / 4, height / 4, width / 2, height / 2);
    glColor3f(1, 1, 1);
    glBegin(GL_TRIANGLES);
    glVertex2i(0, 0);
    glVertex2i(width, height / 2);
    glVertex2i(width / 3, height);
    glEnd();
    glutSwapBuffers();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(403, 301);
    glutCreateWindow("scissor");
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutMainLoop();
    return 0;
}
