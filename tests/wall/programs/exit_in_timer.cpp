// A timer calls exit() after a few frames.
#include "scene.h"
#include <GL/glut.h>

#include <cstdlib>

namespace {

using scene::window::height, scene::window::reshape, scene::window::width;
unsigned step;

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    scene::backdrop(width, height, 60 + step);
    glutSwapBuffers();
}

void tick(int value) {
    if (value == 0)
        std::exit(0);
    ++step;
    glutPostRedisplay();
    glutTimerFunc(50, tick, value - 1);
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(303, 203);
    glutCreateWindow("exit in a timer");
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutTimerFunc(50, tick, 3);
    glutMainLoop();
    return 0;
}
