// glutLeaveMainLoop from the idle callback; main goes on after the loop and returns.
#include "scene.h"
#include <GL/freeglut.h>

namespace {

using scene::window::height, scene::window::reshape, scene::window::width;
unsigned step;

void display() {
    glClear(GL_COLOR_BUFFER_BIT);
    scene::backdrop(width, height, 70 + step);
    glutSwapBuffers();
}

void idle() {
    if (++step == 4)
        glutLeaveMainLoop();
    else
        glutPostRedisplay();
}

} // namespace

int main(int argc, char **argv) {
    glutInit(&argc, argv);
    glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB);
    glutInitWindowSize(303, 203);
    glutCreateWindow("leave");
    glutSetOption(GLUT_ACTION_ON_WINDOW_CLOSE, GLUT_ACTION_GLUTMAINLOOP_RETURNS);
    glutReshapeFunc(reshape);
    glutDisplayFunc(display);
    glutIdleFunc(idle);
    glutMainLoop();
    return 0;
}
