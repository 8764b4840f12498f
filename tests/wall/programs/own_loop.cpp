// A main loop of the program over glutMainLoopEvent, drawing outside of the display callback.
#include "scene.h"
#include <GL/freeglut.h>

namespace {

using scene::window::height, scene::window::reshape, scene::window::width;
unsigned step;

void draw() {
    glClear(GL_COLOR_BUFFER_BIT);
    scene::backdrop(width, height, 80 + step);
    glColor3f(1, 1, 1);
    glRecti(static_cast<int>(step) * 19, 20, static_cast<int>(step) * 19 + 40, height - 20);
    glutSwapBuffers();
}

void nothing() {}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(403, 301);
    glutCreateWindow("own loop");
    glutReshapeFunc(reshape);
    glutDisplayFunc(nothing);
    for (;;) {
        glutMainLoopEvent();
        if (step < 5)
            ++step;
        draw();
    }
}
